import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { createFeed, openJournal, type ReportEntry } from '@botwright/events'
import { eventTypes } from '@botwright/protocol/facts'
import { UnknownTypes } from '../features/unknown-types/unknown-types.ts'
import { Rig } from './dispatcher-rig.test.fixture.ts'

/** A seeded random generator. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const keys = [
  'id',
  'channel_id',
  'server_id',
  'message_id',
  'author_id',
  'author',
  'content',
  'author_bot',
  'custom_id',
]
const moreKeys = ['token', 'user', 'emoji', 'mentions', 'components', '__proto__', 'constructor', 'toString', '']
const newTypes = [
  'poll_closed',
  '__proto__',
  'constructor',
  'toString',
  '\ud800',
  '../../etc',
  'unknown',
  'x'.repeat(3000),
]
const words = [
  '/boom',
  '/boom now',
  '/',
  '//',
  'hi',
  '\ud800',
  '\u0000',
  '🙂',
  '__proto__',
  '/constructor',
  '',
  'fail',
  'b1',
]

/** A page of possible events: most envelopes are valid, whatever their data contain. */
function generator(random: () => number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  let id = 0
  const value = (depth = 0): unknown => {
    const kind = Math.floor(random() * 12)
    if (kind < 5) return pick(words)
    if (kind === 5) return random() < 0.02 ? 'x'.repeat(100_000) : pick(words).repeat(20)
    if (kind === 6) return Math.round((random() - 0.5) * 1e6) / 10
    if (kind === 7) return pick([null, true, false, 0, -0, 1e308])
    if (kind === 8 && depth < 3) return [value(depth + 1), value(depth + 1)]
    if (kind === 9 && depth < 3) return data(depth + 1)
    return `channel-${Math.floor(random() * 30)}`
  }
  const data = (depth = 0): unknown => {
    const entries = [...keys, ...moreKeys].filter(() => random() < 0.5).map((key) => [key, value(depth)])
    // With own `__proto__` keys, as JSON.parse creates them.
    return JSON.parse(`{${entries.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join()}}`)
  }
  return {
    event(): unknown {
      const odd = random()
      if (odd < 0.02) return pick<unknown>([null, 7, 'text', [], {}])
      // Repeated, or out of order.
      const repeated = odd < 0.06
      if (!repeated) id += 1 + Math.floor(random() * 3)
      const type = random() < 0.3 ? pick(newTypes) : pick(eventTypes)
      const event: Record<string, unknown> = {
        id: repeated ? Math.max(1, id - Math.floor(random() * 50)) : id,
        type,
        data: random() < 0.05 ? pick<unknown>([null, undefined]) : data(),
        created_at: random() < 0.9 ? new Date().toISOString() : value(),
      }
      if (odd > 0.99) event[pick(['id', 'type', 'data'])] = value()
      return event
    },
    last: () => id,
  }
}

const throwing = `export default async (ctx) => {
  const text = JSON.stringify(ctx.event)
  if (text.length % 3 === 0) throw new Error('thrown on purpose')
  if (text.length % 3 === 1) { await null; throw { not: 'an error' } }
}`

/** Sends `count` generated events through a feed to a bot in this thread, and returns their results. */
export async function runGenerated(count: number, seed: number) {
  await using rig = new Rig('inline')
  const files = [
    'events/message.ts',
    'events/unknown.ts',
    'events/reaction_add.ts',
    'commands/boom.ts',
    'buttons/fail.ts',
  ]
  const modules = Object.fromEntries(
    files.map((file) => {
      const path = join(rig.root, file.replace(/\W/g, '-') + '.mjs')
      writeFileSync(path, throwing)
      return [file, path]
    }),
  )
  const kinds = { commands: 'command', buttons: 'button', events: 'event' } as const
  const entries = files.map((file) => {
    const [folder, name = ''] = file.replace('.ts', '').split('/')
    return { kind: kinds[folder as keyof typeof kinds], name, file }
  })
  await rig.dispatcher.replace({ manifest: { entries }, root: rig.root, modules })
  const make = generator(seeded(seed))
  const journal = openJournal({ file: ':memory:', baseUrl: 'http://x/v1', botId: 'b', clock: systemClock })
  const reports = new Map<string, number>()
  const unknown = new UnknownTypes({ debug() {}, info() {}, warn() {}, error() {} })
  const sawUnknown = { count: 0 }
  const known: ReadonlySet<string> = new Set(eventTypes)
  let made = 0
  const failures: unknown[] = []
  const told = { errors: 0 }
  const feed = createFeed({
    listEvents: async (_, signal) => {
      if (made >= count)
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        )
      told.errors += rig.logged('error').length
      rig.lines.length = 0
      const events = Array.from({ length: Math.min(100, count - made) }, make.event)
      made += events.length
      return { events, last: make.last() }
    },
    journal,
    clock: systemClock,
    report: ({ code }: ReportEntry) => void reports.set(code, (reports.get(code) ?? 0) + 1),
    received: (delivery) => {
      unknown.received(delivery)
      if (!known.has(delivery.event.type)) sawUnknown.count++
    },
    run: (delivery) => {
      try {
        const running = rig.dispatcher.dispatch(delivery)
        return running?.catch((error: unknown) => void failures.push(error))
      } catch (error) {
        failures.push(error)
      }
    },
    start: 'kept',
  })
  feed.start()
  while (made < count || feed.stats().running > 0 || feed.stats().waiting > 0)
    await new Promise((resolve) => setTimeout(resolve, 5))
  const stats = feed.stats()
  await feed.stop({ graceMs: 1000 })
  journal.close()
  told.errors += rig.logged('error').length
  return { made, stats, unknown: unknown.count, sawUnknown: sawUnknown.count, errors: told.errors, failures, reports }
}
