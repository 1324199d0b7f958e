import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Definition } from '../../author/files/entries.ts'
import type { BotSource } from '../../link/ports.ts'
import type { ObservedBot } from '../../runtime/ports/bot-facts.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { Failures } from './failures.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 10, message: String(holds) }).toBe(true)
}

/** A bot with `events/message.ts` that follows instructions, and this `events/error.ts`. */
async function startBot(kind: 'inline' | 'worker', code: string, options: { handlerSeconds?: number } = {}) {
  const clock = new VirtualClock()
  const lines: string[] = []
  const log = { error: (_: object, text: string) => void lines.push(text) } as never
  const failures = new Failures({ clock, log, hide: (text) => text.replaceAll('purpose', '[secret]') })
  const rig = new Rig(kind, { observer: failures, blockSeconds: 1, ...options })
  const source = rig.source()
  const path = join(rig.root, 'error.mjs')
  const notes = JSON.stringify(join(rig.root, 'notes.txt'))
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs'\nconst note = (text) => appendFileSync(${notes}, text + '\\n')\nexport default ${code}`,
  )
  const entries: Definition[] = [
    ...source.manifest.entries,
    { kind: 'event', name: 'error', file: 'events/error.ts' },
    { kind: 'task', name: 'daily', file: 'tasks/daily.ts' },
    { kind: 'command', name: 'book', file: 'commands/book.ts', durable: true },
  ]
  const full: BotSource = {
    ...source,
    manifest: { entries: entries.slice(0, 2) },
    modules: { ...source.modules, 'events/error.ts': path },
    eager: ['events/error.ts', ...source.eager!],
  }
  await rig.dispatcher.replace(full)
  const bot: Pick<ObservedBot, 'definitions' | 'dispatch'> = {
    definitions: () => entries,
    dispatch: (one, failed) => rig.dispatcher.dispatch(one, (end) => 'reason' in end && failed(end)),
  }
  failures.began(bot as ObservedBot)
  const errors = () => rig.notes.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object)
  return { clock, errors, failures, lines, rig }
}

const noting = '(ctx) => note(JSON.stringify({ ...ctx.failure, text: ctx.error.message, name: ctx.error.name }))'

test('receives the error of a handler with its file, line and event, after the person was answered', async () => {
  const { errors, failures, rig } = await startBot('inline', noting)
  await using _ = rig
  await rig.say(7, 'throw')
  await failures.ended()
  expect(errors()).toEqual([
    {
      ...{ kind: 'handler', file: 'events/message.ts', type: 'message', eventId: 7, line: 9, omitted: 0 },
      ...{ reference: expect.stringMatching(/^\w{4}$/) as string, text: 'thrown on [secret]', name: 'Error' },
    },
  ])
})

test('receives a timeout', async () => {
  const { errors, failures, rig } = await startBot('inline', noting, { handlerSeconds: 0.05 })
  await using _ = rig
  await rig.say(1, 'never')
  await failures.ended()
  expect(errors()).toMatchObject([{ kind: 'timeout', file: 'events/message.ts', text: 'did not end within 0.05 s' }])
})

test(
  'runs in a fresh thread after a handler has ended or blocked its own, and when the event is set aside',
  slow,
  async () => {
    const { errors, rig } = await startBot('worker', noting)
    await using _ = rig
    await rig.say(1, 'exit')
    await until(() => errors().length === 3)
    expect(errors()).toMatchObject([
      { kind: 'crash', file: 'events/message.ts', eventId: 1, again: true },
      { kind: 'crash', again: true },
      {
        kind: 'set_aside',
        text: expect.stringMatching(/^ended its thread with process\.exit\(3\), 3 times/) as string,
      },
    ])
  },
)

test('its own errors, texts and timeouts lead to no further failure', async () => {
  const { failures, rig } = await startBot(
    'inline',
    "() => { note('error'); if (Math.random() < 2) throw new Error('the error of the error') }",
  )
  await using _ = rig
  await rig.say(1, 'throw')
  await failures.ended()
  expect(rig.notes.filter((line) => line === 'error')).toHaveLength(1)
  expect(rig.logged('error').at(-1)).toMatch(/^error\.mjs:3: the error of the error$/)
})

test(
  'if it ends its thread in each of three attempts, it gets no failures until its code is replaced',
  slow,
  async () => {
    const { lines, rig } = await startBot('worker', "() => { note('error'); process.exit(4) }")
    await using _ = rig
    for (let i = 1; i < 4; i++) await rig.say(i, 'throw')
    await until(() => lines.length === 1)
    await rig.say(4, 'throw')
    expect(lines).toEqual([
      'events/error.ts: ended its thread again and again; it gets no failures until its code is replaced',
    ])
    expect(rig.notes.filter((line) => line === 'error')).toHaveLength(3)
    await rig.say(9, 'hello')
  },
)

test('receives 60 failures a minute, and then the number of those that were left out', async () => {
  const { clock, errors, failures, rig } = await startBot('inline', noting)
  await using _ = rig
  for (let i = 1; i <= 70; i++) {
    await rig.say(i, 'throw')
    await failures.ended()
  }
  expect(errors()).toHaveLength(60)
  await clock.advance(61_000)
  await rig.say(71, 'throw')
  await failures.ended()
  expect(errors().at(-1)).toMatchObject({ eventId: 71, omitted: 10 })
})

test('names a task and a durable run, and an event that was set aside without running', async () => {
  const { errors, failures, rig } = await startBot('inline', noting)
  await using _ = rig
  const error = { message: 'no disk', at: 'tasks/daily.ts:3', reference: '', name: 'DiskError', code: 'ENOSPC' }
  failures.outcome({ eventId: -4, type: 'task', file: 'tasks/daily.ts', result: 'error', error, again: true })
  failures.outcome({
    ...{ eventId: '3@1', type: 'message', file: 'commands/book.ts', result: 'error' },
    error: { ...error, at: 'commands/book.ts' },
  })
  const event = { id: 5, type: 'message', data: {}, created_at: '' }
  failures.unrun(
    { event, attempt: 1 },
    { result: 'dead_lettered', message: 'after 10 attempts', file: async () => 'events/message.ts' },
  )
  await until(() => errors().length === 3)
  expect(errors()).toEqual([
    { kind: 'task', file: 'tasks/daily.ts', line: 3, again: true, omitted: 0, text: 'no disk', name: 'DiskError' },
    {
      ...{ kind: 'durable_run', file: 'commands/book.ts', type: 'message', eventId: '3@1', omitted: 0 },
      ...{ text: 'no disk', name: 'DiskError' },
    },
    {
      ...{ kind: 'set_aside', file: 'events/message.ts', type: 'message', eventId: 5, omitted: 0 },
      ...{ text: 'after 10 attempts', name: 'Error' },
    },
  ])
})

test('a failure that is left when the bot closes is dropped', async () => {
  const { failures, lines, rig } = await startBot('inline', noting)
  await using _ = rig
  await rig.say(1, 'throw')
  await rig.dispatcher.close({ graceMs: 0 })
  failures.outcome({
    eventId: 2,
    type: 'message',
    file: 'x',
    result: 'error',
    error: { message: 'x', at: '', reference: '' },
  })
  await failures.ended()
  expect(lines.filter((line) => !line.includes('thrown on'))).toEqual([])
})

test('receives further failures after an instance has lost its lease while it worked', async () => {
  const { errors, rig } = await startBot(
    'inline',
    `async (ctx) => { if (ctx.failure.eventId === 1) { note('works'); await new Promise(() => {}) } ${noting.slice('(ctx) => '.length)} }`,
  )
  await using _ = rig
  await rig.say(1, 'throw')
  await until(() => rig.notes.includes('works'))
  await rig.dispatcher.abandon()
  await rig.say(2, 'throw')
  await until(() => errors().length === 1)
  expect(errors()).toMatchObject([{ eventId: 2 }])
})

test('names the era of an event that was set aside without running', async () => {
  const { errors, failures, rig } = await startBot('inline', noting)
  await using _ = rig
  const event = { id: 5, era: 1, type: 'message', data: {}, created_at: '' }
  failures.unrun({ event, attempt: 11 }, { result: 'dead_lettered', message: 'broken', file: async () => undefined })
  await until(() => errors().length === 1)
  expect(errors()).toMatchObject([{ eventId: '5@1' }])
})

test('a bot that has stopped leaves no timer that keeps the process alive', async () => {
  const { failures, rig } = await startBot('inline', noting)
  await using _ = rig
  await rig.say(1, 'throw')
  const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
  const before = timers()
  await failures.ended()
  expect(timers()).toBe(before)
})

test('hides the values of declared variables, as the log does', async () => {
  await using rig = await ChatRig.start()
  const variables = { SHOP_ADDRESS: 'shop.intern.example', GREETING: 'Good morning' }
  const config = { env: z.object({ SHOP_ADDRESS: z.string(), GREETING: z.string().meta({ public: true }) }) }
  const files = {
    'commands/buy.ts':
      "export default (ctx) => { throw new Error(ctx.env.GREETING + ' from ' + ctx.env.SHOP_ADDRESS) }",
    'events/error.ts':
      "export default (ctx) => ctx.log.warn({ stack: ctx.error.stack }, 'failed: ' + ctx.error.message)",
  }
  const { stdout, stderr } = process
  const io = { stdout, stderr, env: { ...process.env, ...variables } }
  await rig.startBot(files, { config, variables, io, dispatcher: 'inline' })
  await rig.says('ann', '/buy')
  await rig.until(() => rig.logged('warn').some((line) => line.startsWith('failed: ')))
  expect(rig.logged('warn')).toContain('failed: Good morning from [secret]')
  const { facts } = rig.lines.find(({ message }) => message.startsWith('failed: '))!
  expect(JSON.stringify(facts)).not.toContain('shop.intern.example')
})
