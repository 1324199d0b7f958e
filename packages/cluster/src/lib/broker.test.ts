import { systemClock } from '@botwright/framework/cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Broker, Crew, Hands, Work } from './broker.ts'
import { BullBroker } from './bullmq-broker.ts'
import { RedisLink } from './connect.ts'
import { keysOf } from './keys.ts'
import { click, message, until } from './machines.test.fixture.ts'
import { Pen } from './pen.ts'
import { rowOf } from './queues.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'

/** An engine, with what the tests must be able to do to it. */
interface BrokerRig extends AsyncDisposable {
  broker: Broker
  /** A new term begins; its number. */
  term(): Promise<number>
  /** The start of the engine. */
  server: string
}

/** What holds for every engine behind the machines. */
function suite(make: () => Promise<BrokerRig>): void {
  const handsOf = (run: (work: Work) => void | Promise<void>, others = false): Hands => ({
    run: async (work) => run(work),
    ack: async () => {},
    others: () => others,
    cutOff: () => {},
    malformed: () => {},
    error: () => {},
  })
  const endOf = (crew: Crew) => crew.end({ drained: true })

  test('keeps each event once, in its order, whoever publishes it again', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const events = Array.from({ length: 600 }, (_, n) => message(n + 1))
    let term = await rig.term()
    expect(await broker.publish({ term, era: 0, server, events: events.slice(0, 400) })).toBe(true)
    term = await rig.term()
    expect(await broker.publish({ term, era: 0, server, events: events.slice(200) })).toBe(true)
    expect(await broker.waiting()).toBe(600)
    const ran: number[] = []
    const crew = broker.crew(
      'one',
      handsOf(({ event }) => void ran.push(event.id)),
    )
    await until(() => ran.length === 600)
    expect(ran).toEqual(events.map(({ id }) => id))
    expect(await broker.publish({ term, era: 0, server, events })).toBe(true)
    await until(async () => (await broker.waiting()) === 0)
    await endOf(crew)
    expect(ran).toHaveLength(600)
  })

  test('keeps nothing for a term that is over, or of another start of the engine', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const term = await rig.term()
    expect(await broker.publish({ term, era: 0, server: 'another', events: [message(1)] })).toBe(false)
    await rig.term()
    expect(await broker.publish({ term, era: 0, server, events: [message(1)] })).toBe(false)
    expect(await broker.waiting()).toBe(0)
  })

  test('an id of another era is another event', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const term = await rig.term()
    await broker.publish({ term, era: 0, server, events: [message(1)] })
    await broker.publish({ term, era: 1, server, events: [message(1)] })
    expect(await broker.waiting()).toBe(2)
  })

  test('what a crew has begun and not ended is begun again by another, marked and pardoned; what it had not begun is not marked', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const term = await rig.term()
    await broker.publish({ term, era: 0, server, events: [message(1), message(2)] })
    const begun: Work[] = []
    const first = broker.crew(
      'one',
      handsOf((work) => (begun.push(work), new Promise(() => {}))),
    )
    await until(() => begun.length === 1)
    expect(first.running).toBe(1)
    await first.pause()
    await first.idle(20)
    await endOf(first)
    const second = broker.crew(
      'two',
      handsOf((work) => void begun.push(work)),
    )
    await until(() => begun.length === 3)
    await endOf(second)
    expect(begun).toMatchObject([
      { event: { id: 1 }, attempt: 1, pardons: 0 },
      { event: { id: 1 }, attempt: 2, pardons: 1 },
      { event: { id: 2 }, attempt: 1, pardons: 0 },
    ])
  })

  test('a paused crew begins nothing, and another one begins it unmarked', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const begun: [string, number][] = []
    const first = broker.crew(
      'one',
      handsOf(({ attempt }) => void begun.push(['one', attempt])),
    )
    await first.pause()
    const events = Array.from({ length: 40 }, (_, n) => message(n + 1, `channel ${n}`))
    await broker.publish({ term: await rig.term(), era: 0, server, events })
    const second = broker.crew(
      'two',
      handsOf(({ attempt }) => void begun.push(['two', attempt])),
    )
    await until(() => begun.length === events.length)
    await endOf(first)
    await endOf(second)
    expect(begun.every(([who, attempt]) => who === 'two' && attempt === 1)).toBe(true)
  })

  test('what a machine held whose lease is over is begun by another at once; what the others hold stays theirs', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const begun: [string, number, number][] = []
    const crewOf = (name: string) =>
      broker.crew(
        name,
        handsOf(({ event, attempt }) => (begun.push([name, event.id, attempt]), new Promise(() => {}))),
      )
    const dead = crewOf('dead')
    await broker.publish({ term: await rig.term(), era: 0, server, events: [message(1), message(2)] })
    await until(() => begun.length === 1)
    const lives = crewOf('lives')
    await broker.publish({ term: await rig.term(), era: 0, server, events: [message(3, 'another channel')] })
    await until(() => begun.length === 2)
    const [, [holder = '']] = begun as [unknown, string[]]
    await dead.pause()
    await broker.takeBack(new Set(['dead', 'somebody else']))
    const again = [1, ...(holder === 'dead' ? [3] : [])].map((id) => ['lives', id, 2])
    await until(() => begun.length === 2 + again.length)
    expect(begun.slice(2)).toEqual(expect.arrayContaining(again))
    await broker.takeBack(new Set(['dead']))
    await lives.pause()
    await Promise.all([dead, lives].map(endOf))
    expect(begun).toHaveLength(2 + again.length)
  })

  test('crews take turns at a row with a backlog, and never have it at the same time', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const ran: string[] = []
    let busy = 0
    const crewOf = (name: string) =>
      broker.crew(
        name,
        handsOf(async () => {
          expect(++busy).toBe(1)
          await new Promise((resolve) => setTimeout(resolve, 5))
          busy--
          ran.push(name)
        }, true),
      )
    const events = Array.from({ length: 400 }, (_, n) => message(n + 1))
    await broker.publish({ term: await rig.term(), era: 0, server, events })
    const crews = [crewOf('one'), crewOf('two')]
    await until(() => new Set(ran).size === 2)
    await Promise.all(crews.map(endOf))
  })

  test('a click waits behind no message', async () => {
    await using rig = await make()
    const { broker, server } = rig
    const events = [...Array.from({ length: 64 }, (_, n) => message(n + 1, `channel ${n}`)), click(100)]
    await broker.publish({ term: await rig.term(), era: 0, server, events })
    const begun: number[] = []
    const crew = broker.crew(
      'one',
      handsOf(({ event }) => (begun.push(event.id), event.id === 100 ? undefined : new Promise(() => {}))),
    )
    await until(() => begun.includes(100))
    await endOf(crew)
  })
}

describeWithRedis('BullMQ as the engine', () => {
  let redis: RedisRig
  let bots = 0
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  suite(async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const keys = keysOf('http://chat.test', `broker ${bots++}`)
    const pen = new Pen(link)
    const broker = new BullBroker({ link, keys, clock: systemClock, pen })
    await broker.prepare()
    return {
      broker,
      server: await pen.server(),
      term: () => link.redis.incr(keys.terms),
      async [Symbol.asyncDispose]() {
        await broker.close()
        await link.close()
      },
    }
  })

  test('an event that begins wakes nobody else: BullMQ marks a row of one event at a time for workers that could not have the next', async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const keys = keysOf('http://chat.test', 'unheard')
    const pen = new Pen(link)
    const broker = new BullBroker({ link, keys, clock: systemClock, pen })
    await broker.prepare()
    const ran: number[] = []
    const crew = broker.crew('one', {
      run: async ({ event }) => void ran.push(event.id),
      ack: async () => {},
      others: () => false,
      cutOff: () => {},
      malformed: () => {},
      error: () => {},
    })
    const rowKey = (name: string) => `${keys.prefix}:${rowOf(message(1))}:${name}`
    const marks = () => Promise.all([keys.unheard, rowKey('marker')].map((key) => link.redis.exists(key)))
    await link.redis.set(keys.terms, 1)
    const batch = { term: 1, era: 0, server: await pen.server() }
    // The first is taken by a worker that looks for one, those behind it by the one that has just finished.
    await broker.publish({ ...batch, events: [message(1), message(2), message(3)] })
    await until(() => ran.length === 3)
    await until(async () => (await link.redis.llen(rowKey('active'))) === 0)
    expect(await marks()).toEqual([1, 0])
    await crew.end({ drained: false })
    await broker.close()
  })

  test('events spread over all rows, and the same lane goes to the same row', () => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 3200; n++) {
      const row = rowOf(message(1, `channel-${n}`))
      counts.set(row, (counts.get(row) ?? 0) + 1)
    }
    expect(counts.size).toBe(32)
    expect(Math.max(...counts.values())).toBeLessThan(160)
    expect(rowOf(message(1, 'general'))).toBe(rowOf(message(2, 'general', 'bob')))
    // Part of the layout: with other rows machines of two releases would run a channel's events at the same time.
    expect([rowOf(message(1, 'general')), rowOf(click(1))]).toEqual(['p27', 'c3'])
  })
})
