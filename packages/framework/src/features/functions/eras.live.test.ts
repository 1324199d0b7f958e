// The service gets another database, so that the ids of its events start again.

import { VirtualClock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { type Call, createFetchCall } from '@botwright/rest/fetch'
import { expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { ServiceClock } from '../delivery/service-clock.ts'
import { catchUpEvents, type CatchUpHost } from './catch-up-events.ts'
import { EventMarks } from './event-marks.ts'
import { FunctionRig } from './function-rig.test.fixture.ts'
import { type Position, readPosition } from './position.ts'

/** The first test of the file stands for these. */
const slow = { tags: 'all/live' } as const

/** Scheduled runs on a service that is replaced by another one. */
class EraRig implements AsyncDisposable {
  readonly first: ChatRig
  readonly second: ChatRig
  readonly clock = new VirtualClock()
  readonly store = new MemoryStore(this.clock)
  readonly log = { debug() {}, info() {}, warn() {}, error() {} }
  readonly marks = new EventMarks(this)
  readonly untilMs = this.clock.now() + 60_000
  /** The texts of the events that ran. */
  readonly seen: unknown[] = []
  readonly #calls: ReturnType<typeof createFetchCall>[]
  isReplaced = false

  constructor(first: ChatRig, second: ChatRig) {
    this.first = first
    this.second = second
    this.#calls = [first, second].map(({ service }) => createFetchCall({ baseUrl: service.base_url, token }))
  }

  static async start(): Promise<EraRig> {
    return new EraRig(await ChatRig.start(), await ChatRig.start())
  }

  get call() {
    return this.#calls[this.isReplaced ? 1 : 0]!
  }

  async newest(): Promise<BotEvent> {
    const { events } = await this.call('events.list', { after: 1, wait: 0 })
    return events.at(-1) as BotEvent
  }

  /** A scheduled run. `ran` is called after each event, and `polls` before each call. */
  async scheduled({
    ran = async (_text) => {},
    polls = async () => {},
    store = this.store,
  }: { ran?: (text: unknown) => Promise<void>; polls?: () => Promise<void>; store?: StateStore } = {}): Promise<void> {
    const { clock, log, marks, untilMs } = this
    const call = async (...given: Parameters<Call>) => {
      await polls()
      return this.call(...given)
    }
    const host: CatchUpHost = {
      ...{ store, clock, log, marks, untilMs, beginUntilMs: untilMs, service: new ServiceClock(clock) },
      config: await readConfig({}, 'bot.config.ts', {}),
      call: Object.assign(call, { stats: () => this.call.stats() }) as never,
      run: async ({ data }) => {
        this.seen.push(data['content'])
        await ran(data['content'])
      },
    }
    await catchUpEvents(host)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const call of this.#calls) await call[Symbol.asyncDispose]()
    for (const rig of [this.first, this.second]) await rig[Symbol.asyncDispose]()
  }
}

test('a former event that was left does not hide the new ones', async () => {
  await using it = await EraRig.start()
  await it.scheduled()
  for (const text of ['one', 'two', 'three']) await it.first.says('ann', text)
  // Another invocation has it.
  await it.marks.claim(await it.newest(), it.untilMs)
  await it.first.says('ann', 'replace', 'random')
  await it.scheduled({ ran: async (text) => void (it.isReplaced ||= text === 'replace') })
  await it.second.says('ann', 'four')
  await it.scheduled()
  expect(it.seen).toEqual(['one', 'two', 'replace', 'four'])
})

test('a scheduled run that began before does not bring the former position back', slow, async () => {
  await using it = await EraRig.start()
  await it.scheduled()
  await it.first.says('ann', 'one')
  await it.scheduled()
  await it.first.says('ann', 'two')
  // While it runs the last event, another one notices that the ids have started again.
  await it.scheduled({
    ran: async (text) => {
      if (text !== 'two') return
      it.isReplaced = true
      await it.scheduled()
      it.isReplaced = false
    },
  })
  it.isReplaced = true
  expect(await readPosition(it.store)).toMatchObject({ after: 1, era: 1 })
  await it.second.says('ann', 'three')
  await it.scheduled()
  expect(it.seen).toEqual(['one', 'two', 'three'])
})

test('an event webhook that arrives while a scheduled run notices it does not run again', slow, async () => {
  await using it = await EraRig.start()
  // The id of this event has no mark.
  await it.first.says('ann', 'before the bot')
  await it.scheduled()
  for (const text of ['one', 'two']) await it.first.says('ann', text)
  await it.scheduled()
  it.isReplaced = true
  let isWaiting = true
  const store = Object.assign(Object.create(it.store) as StateStore, {
    set: async (key: string, value: unknown, options?: Parameters<StateStore['set']>[2]) => {
      if (isWaiting && key === 'function:position') {
        isWaiting = false
        // Its invocation has read the former position.
        await it.second.says('ann', 'three')
        const three = await it.newest()
        expect(await it.marks.claim(three, it.untilMs)).toEqual({ attempt: 1 })
        await it.marks.run(three, 1, async () => void it.seen.push('three'))
      }
      return it.store.set(key, value, options)
    },
    get: (key: string) => it.store.get(key),
  })
  await it.scheduled({ store })
  await it.second.says('ann', 'four')
  await it.scheduled()
  expect(it.seen).toEqual(['one', 'two', 'three', 'four'])
})

test('an event webhook of the former ids that arrives again later does not run again', slow, async () => {
  await using it = await FunctionRig.start({ 'commands/ping.ts': 'export default () => `pong ${Math.random()}`' })
  await it.scheduled()
  await it.rig.says('ann', '/ping')
  await it.texts(1)
  await it.idle()
  const [{ id, type, data }] = (await it.events()) as [BotEvent]
  // A scheduled run has noticed that the ids have started again.
  const { value } = (await it.store.get('function:position'))!
  await it.store.set('function:position', { ...(value as Position), era: 1 })
  expect(await it.post({ id, event: type, data })).toBe(200)
  await it.idle()
  expect(await it.texts(1)).toHaveLength(1)
})

test('a new event runs although a former one had its id', slow, async () => {
  await using it = await EraRig.start()
  await it.scheduled()
  await it.first.says('ann', 'one')
  const former = await it.newest()
  await it.scheduled()
  it.isReplaced = true
  await it.second.says('ann', 'two')
  const next = await it.newest()
  expect(next.id).toBe(former.id)
  // By a webhook, before a scheduled run has noticed that the ids have started again.
  expect(await it.marks.claim(next, it.untilMs)).toEqual({ attempt: 1 })
})

test('a second scheduled run that notices leaves no event behind that the first one has left', slow, async () => {
  await using it = await EraRig.start()
  await it.scheduled()
  for (const text of ['one', 'two', 'three']) await it.first.says('ann', text)
  await it.scheduled()
  it.isReplaced = true
  let isFirst = true
  await it.scheduled({
    polls: async () => {
      if (!isFirst) return
      isFirst = false
      await it.scheduled()
      await it.second.says('ann', 'four')
      // Its invocation is killed.
      await it.marks.claim(await it.newest(), it.clock.now() + 1000)
    },
  })
  expect(it.seen).toEqual(['one', 'two', 'three'])
  await it.clock.advance(1000)
  await it.scheduled()
  expect(it.seen).toEqual(['one', 'two', 'three', 'four'])
})
