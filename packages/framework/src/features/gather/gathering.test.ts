import { VirtualClock } from '@botwright/clock'
import { type Delivery, eventKey, type Gathered, Unfinished } from '@botwright/events'
import { expect, test } from 'vitest'
import type { Definition } from '../../author/files/entries.ts'
import type { Outcome } from '../../link/ports.ts'
import type { Gather } from '../../author/gather.ts'
import { Gathering } from './gathering.ts'

const perUser: Gather = { quietMs: 1000, maxMs: 3000, per: 'user' }

const file = (kind: 'command' | 'event', name: string, gather?: Gather): Definition => ({
  ...{ kind, name, file: `${kind}s/${name}.ts` },
  ...(gather && { facts: { gather } }),
})

/** A bot that notes its runs. A run whose text is in `slow` ends when the test ends it. */
function rig(definitions: readonly Definition[], slow: readonly string[] = [], { answerBots = false } = {}) {
  const clock = new VirtualClock()
  const runs: string[] = []
  const open: (() => void)[] = []
  const ended: number[] = []
  const failed: [number, unknown][] = []
  const dispatch = async ({ event, burst, gathers, attempt }: Delivery) => {
    const { content, by = 'events/message.ts' } = event.data
    if (gathers && content !== 'unmatched') {
      gathering.report(eventKey(event), by as string)
      // Another file of the event still works.
      if (content === 'slow') await new Promise<void>((resolve) => open.push(resolve))
      return
    }
    const text = (burst?.events ?? [event]).map(({ data }) => String(data['content'])).join(' ')
    runs.push(`${event.type === 'message' ? '' : `${event.type} `}${text}${attempt > 1 ? ' again' : ''}`)
    if (slow.includes(text)) await new Promise<void>((resolve) => open.push(resolve))
  }
  const files = async (all: readonly Delivery[]) =>
    all.map(({ event: { data } }) => `commands/${String(data['words'] ?? data['command'])}.ts`)
  const outcomes: string[] = []
  const logged: string[] = []
  const log = {
    debug() {},
    info() {},
    warn: (_facts: object, text: string) => void logged.push(text),
    error: (_facts: object, text: string) => void logged.push(text),
  }
  const observer = { outcome: ({ eventId, result }: Outcome) => void outcomes.push(`${eventId} ${result}`) }
  const gathering = new Gathering({ clock, log, observer, config: { answerBots }, dispatcher: { dispatch, files } })
  gathering.update(definitions)
  let id = 0
  let onGathered: ((id: number, gathered: Gathered) => void) | undefined
  const turns = async () => {
    for (let i = 0; i < 30; i++) await Promise.resolve()
  }
  /** Sends an event, as its queue does: when the one before has been handled or gathered. */
  const send = async (content: string, data: Record<string, unknown> = {}, { type = 'message', attempt = 1 } = {}) => {
    const event = { id: ++id, type, data: { channel_id: 'c', author_id: 'ann', content, ...data }, created_at: '' }
    const own = id
    const handled = gathering.dispatch({ event, attempt }).then(
      (gathered) => {
        if (!gathered) return
        onGathered?.(own, gathered)
        return gathered.ends.then(
          () => void ended.push(own),
          (error) => void failed.push([own, error]),
        )
      },
      (error: unknown) => void failed.push([own, error]),
    )
    handled.catch(() => {})
    await turns()
  }
  const pass = async (ms: number) => {
    await clock.advance(ms)
    await turns()
  }
  return {
    gathering,
    outcomes,
    logged,
    runs,
    ended,
    failed,
    send,
    pass,
    turns,
    onGathered: (listener: NonNullable<typeof onGathered>) => void (onGathered = listener),
    endRun: async () => (open.shift()!(), turns()),
  }
}

test('each person has a burst, and an event is open until its burst has ended', async () => {
  const t = rig([file('event', 'message', perUser)], ['a b'])
  await t.send('a')
  await t.send('1', { author_id: 'bob' })
  await t.pass(900)
  await t.send('b')
  await t.pass(100)
  expect([t.runs, t.ended]).toEqual([['1'], [2]])
  await t.pass(900)
  expect([t.runs, t.ended]).toEqual([['1', 'a b'], [2]])
  await t.endRun()
  expect(t.ended).toEqual([2, 1, 3])
})

test('a burst lasts as long as its maximum, or until it has a hundred events', async () => {
  const t = rig([file('event', 'message', perUser)])
  for (let i = 0; i < 4; i++) {
    await t.send(String(i))
    await t.pass(900)
  }
  expect(t.runs).toEqual(['0 1 2 3'])
  for (let i = 0; i < 101; i++) await t.send('x')
  await t.pass(0)
  expect(t.runs[1]?.length).toBe(199)
})

test('a burst that waits for its queue has a hundred events at most', async () => {
  const t = rig([file('event', 'message', perUser)], ['a'])
  await t.send('a')
  await t.pass(1000)
  expect(t.runs).toEqual(['a'])
  for (let i = 0; i < 250; i++) await t.send('x')
  await t.endRun()
  await t.pass(1000)
  expect(t.runs.slice(1).map((run) => run.split(' ').length)).toEqual([100, 100, 50])
  expect(t.ended).toHaveLength(251)
})

test('a file that does not match gathers nothing', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('unmatched')
  await t.pass(5000)
  expect([t.runs, t.ended]).toEqual([['unmatched'], []])
})

test('events of a channel that have another file end its bursts, and run after them', async () => {
  const t = rig([file('event', 'message', perUser), file('event', 'reaction_add'), file('command', 'ping')], ['a b'])
  await t.send('a')
  await t.send('other channel', { channel_id: 'd' })
  await t.send('typing', {}, { type: 'unhandled' })
  await t.send('b')
  await t.send('thumb', {}, { type: 'reaction_add' })
  await t.send('ping', { command: 'ping' })
  expect(t.runs).toEqual(['unhandled typing', 'a b'])
  await t.endRun()
  expect(t.runs).toEqual(['unhandled typing', 'a b', 'reaction_add thumb', 'ping'])
  await t.send('not a command of the bot', { command: 'pong' })
  await t.pass(1000)
  expect(t.runs.slice(4)).toEqual(['other channel', 'not a command of the bot'])
})

test('events that come while a burst runs form the next one', async () => {
  const t = rig([file('event', 'message', perUser)], ['a'])
  await t.send('a')
  await t.pass(1000)
  await t.send('b')
  await t.send('c')
  await t.pass(5000)
  expect(t.runs).toEqual(['a'])
  await t.endRun()
  await t.pass(1000)
  expect(t.runs).toEqual(['a', 'b c'])
})

test('commands are gathered by their file; another command ends the burst', async () => {
  const t = rig([file('command', 'note', { ...perUser, per: 'channel' }), file('command', 'todo', perUser)])
  await t.send('milk', { command: 'note' })
  await t.send('tea', { command: 'note', author_id: 'bob' })
  await t.send('shop', { command: 'todo' })
  expect(t.runs).toEqual(['milk tea'])
  await t.pass(1000)
  expect(t.runs).toEqual(['milk tea', 'shop'])
})

test('a burst with an event that is delivered again is marked', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('a', {}, { attempt: 2 })
  await t.send('b')
  await t.pass(1000)
  expect(t.runs).toEqual(['a b again'])
})

test('a stop begins no burst: its events, and those that wait for one, run after the next start', async () => {
  const t = rig([file('event', 'message', perUser), file('command', 'ping')], ['a'])
  await t.send('a')
  await t.pass(1000)
  await t.send('b')
  await t.send('1', { channel_id: 'd' })
  t.gathering.stop()
  await t.pass(60_000)
  expect([t.runs, t.failed.map(([id]) => id)]).toEqual([['a'], [3]])
  await t.endRun()
  expect(t.failed.map(([id]) => id)).toEqual([3, 2])
  expect(t.failed.every(([, error]) => error instanceof Unfinished)).toBe(true)
  expect([t.runs, t.ended]).toEqual([['a'], [1]])
})

test('after new code without gather, the events of a burst run one by one', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('a')
  await t.send('b')
  t.gathering.update([file('event', 'message')])
  await t.pass(1000)
  expect(t.runs).toEqual(['a', 'b'])
})

test('an event runs at once if new code no longer gathers it when its other files have ended', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('a')
  await t.send('slow')
  t.gathering.update([file('event', 'message')])
  await t.endRun()
  await t.pass(0)
  expect([t.runs, t.ended]).toEqual([
    ['a', 'slow'],
    [1, 2],
  ])
})

test.each(['events/message.ts', 'events/new.ts'])(
  'an event runs if %s begins to gather before its definition has arrived',
  async (by) => {
    const other: Definition = { kind: 'event', name: 'message', file: 'events/other.ts', facts: { gather: perUser } }
    const t = rig([file('event', 'message'), other])
    await t.send('a', { by })
    await t.pass(0)
    expect([t.runs, t.ended, t.logged]).toEqual([['a'], [1], []])
  },
)

test('a burst counts as one running event, as it has one handler', async () => {
  const t = rig([file('event', 'message', perUser)], ['a b c'])
  const begun: number[] = []
  t.onGathered((id, { begins }) => void begins.then(() => begun.push(id)))
  for (const text of ['a', 'b', 'c']) await t.send(text)
  await t.pass(1000)
  expect([t.runs, begun]).toEqual([['a b c'], [1]])
  await t.endRun()
  expect(t.ended).toEqual([1, 2, 3])
})

test('an instance that is fenced drops its bursts', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('a')
  t.gathering.abandon()
  await t.pass(5000)
  expect([t.runs, t.ended, t.failed]).toEqual([[], [], []])
  await t.send('b')
  await t.pass(1000)
  expect(t.runs).toEqual(['b'])
})

test('the outcome of the other events is reported when the burst has ended', async () => {
  const t = rig([file('event', 'message', perUser)])
  for (const text of ['a', 'b', 'c']) await t.send(text)
  expect(t.outcomes).toEqual([])
  await t.pass(1000)
  expect(t.outcomes).toEqual(['1 ok', '2 ok'])
})

test('the events of a burst are set aside together', async () => {
  const t = rig([file('event', 'message', perUser)], ['a b'])
  await t.send('a')
  await t.send('b')
  await t.pass(1000)
  const setAside = (id: number) =>
    t.gathering.setAside({ id, type: 'message', data: {}, created_at: '' }, 'crashed').map((one) => one.id)
  expect([setAside(1), setAside(2)]).toEqual([[1], [1, 2]])
  await t.endRun()
  expect(t.outcomes).toEqual(['1 dead_lettered'])
  expect(t.logged).toEqual(['event 1 (message) is set aside with event 2, which ended its burst'])
})

test('another subcommand ends the burst; an alias of the command does not', async () => {
  const add = { ...file('command', 'queue add', perUser), aliases: ['q'] }
  const t = rig([add, file('command', 'queue list')])
  await t.send('tea', { command: 'queue', words: 'queue add' })
  await t.send('milk', { command: 'q', words: 'queue add' })
  await t.send('all', { command: 'queue', words: 'queue list' })
  await t.send('salt', { command: 'queue', words: 'queue add' })
  expect(t.runs).toEqual(['tea milk', 'all'])
  await t.pass(1000)
  expect(t.runs).toEqual(['tea milk', 'all', 'salt'])
})

test('events of types that the service added end the bursts of a bot that handles them', async () => {
  const t = rig([file('event', 'message', perUser), file('event', 'unknown')])
  await t.send('a')
  await t.send('new', {}, { type: 'poll_closed' })
  expect(t.runs).toEqual(['a', 'poll_closed new'])
})

test('a command in a message of another bot is a message, unless the bot answers bots', async () => {
  const definitions = [file('event', 'message', perUser), file('command', 'ping')]
  const t = rig(definitions)
  await t.send('a', { author_bot: true })
  await t.send('b', { author_bot: true, command: 'ping' })
  await t.pass(1000)
  expect(t.runs).toEqual(['a b'])
  const answers = rig(definitions, [], { answerBots: true })
  await answers.send('a', { author_bot: true })
  await answers.send('b', { author_bot: true, command: 'ping' })
  expect(answers.runs).toEqual(['a', 'b'])
})

test('the events of a file that new code no longer has do not run: its other files have had them', async () => {
  const t = rig([file('event', 'message', perUser)])
  await t.send('a')
  t.gathering.update([{ kind: 'event', name: 'message', file: 'events/other.ts' }])
  await t.pass(1000)
  expect([t.runs, t.ended]).toEqual([[], [1]])
})

test('an event that another file has set aside is not gathered', async () => {
  const t = rig([file('event', 'message', perUser)], ['unmatched'])
  await t.send('unmatched')
  t.gathering.report(1, 'events/message.ts')
  t.gathering.setAside({ id: 1, type: 'message', data: {}, created_at: '' }, 'crashed')
  await t.endRun()
  await t.pass(1000)
  expect(t.runs).toEqual(['unmatched'])
})
