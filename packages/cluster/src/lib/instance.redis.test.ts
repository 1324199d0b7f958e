import { type Delivery, systemClock, type Term } from '@botwright/framework/cluster'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisLink } from './redis/connect.ts'
import { keysOf } from './redis/keys.ts'
import { partitionOf } from '../protocol/partitions.ts'
import { botsOf, click, delivered, message, until } from './instances.test.fixture.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/redis' } as const

const silent = { debug() {}, info() {}, warn() {}, error() {} }

const openClick = (id: number, interactionId: string) => ({
  ...click(id, `post ${id}`),
  data: { ...click(id, `post ${id}`).data, id: interactionId },
})
const clickAt = (interactionId: string, atMs: number) => ({
  click: { interactionId, token: 'secret', expiresAtMs: Date.now() + 60_000 },
  atMs,
})

describeWithRedis('instances', () => {
  let redis: RedisRig
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  test('one instance leads, and events run once each, in order within a channel, on any instance', async () => {
    await using bots = botsOf(redis, 'order')
    const busy = new Set<string>()
    const overlaps: string[] = []
    const run = async ({ event }: { event: { data: Record<string, unknown> } }) => {
      const channel = String(event.data['channel_id'])
      if (busy.has(channel)) overlaps.push(channel)
      busy.add(channel)
      await new Promise((resolve) => setTimeout(resolve, 1))
      busy.delete(channel)
    }
    const order: number[] = []
    for (let n = 0; n < 3; n++)
      await bots.start({
        run: (delivery) => {
          order.push(delivery.event.id)
          return run(delivery)
        },
      })
    await bots.leader()
    expect(bots.all.filter(({ instance }) => instance.status().leads)).toHaveLength(1)
    const ids = Array.from({ length: 300 }, (_, n) => n + 1)
    const channelOf = (id: number) => `channel ${id % 20}`
    await bots.publish(...ids.map((id) => message(id, channelOf(id))))
    await until(() => order.length === ids.length)
    expect(overlaps).toEqual([])
    expect(new Set(order).size).toBe(ids.length)
    for (let n = 0; n < 20; n++) {
      const inChannel = order.filter((id) => id % 20 === n)
      expect(inChannel).toEqual([...inChannel].sort((a, b) => a - b))
    }
    expect(bots.all.flatMap(({ runs }) => runs).every(({ attempt }) => attempt === 1)).toBe(true)
  })

  test('an event that is published twice runs once, by the same leader and by the next', async () => {
    await using bots = botsOf(redis, 'twice')
    await bots.start()
    await bots.start()
    const first = await bots.leader()
    await first.term.publish(delivered(message(1)))
    await until(() => bots.all.some(({ runs }) => runs.length === 1))
    await first.term.publish(delivered(message(1)))
    await first.term.resign()
    const second = await until(() => bots.all.find(({ term }) => term && term.number > first.terms[0]!.number))
    await second.term!.publish(delivered(message(1)))
    await second.term!.publish(delivered(click(2)))
    await until(() => bots.all.some(({ runs }) => runs.some(({ event }) => event.id === 2)))
    expect(bots.all.flatMap(({ runs }) => runs.map(({ event }) => event.id)).sort()).toEqual([1, 2])
  })

  test('unfinished events of a stopped instance begin on another one at once', async () => {
    await using bots = botsOf(redis, 'drain')
    const hang = () => new Promise<void>(() => {})
    const first = await bots.start({ run: hang })
    const { term } = await bots.leader()
    await bots.publish(message(1))
    await until(() => first.runs.length === 1)
    const second = await bots.start()
    expect(await first.instance.stop({ graceMs: 50 })).toEqual({ unfinished: 1 })
    expect(second.runs).toEqual([])
    await first.instance.close()
    // No instance has to wait for its leases.
    const { instances, leader } = await bots.cluster.status(bots.bot)
    expect(instances.map(({ id }) => id)).toEqual([second.instance.id])
    expect(leader).not.toBe(first.instance.id)
    await until(() => second.runs.length === 1)
    expect(second.runs).toMatchObject([{ event: { id: 1 }, attempt: 2 }])
    // The leader has resigned: no instance had to wait for its lease.
    expect((await until(() => second.term)).number).toBe(term.number + 1)
  })

  test('an instance that stops lets its handlers finish, and takes nothing more', async () => {
    await using bots = botsOf(redis, 'grace')
    let finish!: () => void
    const first = await bots.start({ run: () => new Promise<void>((resolve) => (finish = resolve)) })
    await bots.publish(message(1), message(2))
    await until(() => first.runs.length === 1)
    const second = await bots.start()
    const stopped = first.instance.stop({ graceMs: 5000 })
    finish()
    expect(await stopped).toEqual({ unfinished: 0 })
    await until(() => second.runs.length === 1)
    expect(second.runs).toMatchObject([{ event: { id: 2 }, attempt: 1 }])
    expect(first.runs).toHaveLength(1)
  })

  test('an answer goes to the instance whose handler waits for it', async () => {
    await using bots = botsOf(redis, 'answers')
    const first = await bots.start()
    const second = await bots.start()
    second.instance.waits('text:general:ann', true)
    // On the same connection: its answer comes after the change is known.
    await second.instance.living()
    const ids = Array.from({ length: 10 }, (_, n) => n + 1)
    await bots.publish(...ids.map((id) => message(id, 'general', 'ann')))
    await until(() => second.runs.length === ids.length)
    expect(second.runs.map(({ event }) => event.id)).toEqual(ids)
    expect(first.runs).toEqual([])
    await bots.publish(message(11, 'general', 'bob'))
    second.instance.waits('text:general:ann', false)
    await bots.publish(message(12, 'general', 'ann'))
    await until(() => bots.all.flatMap(({ runs }) => runs).some(({ event }) => event.id === 12))
    // No handler of an instance that has left waits, and the leader learns that it is gone.
    second.instance.waits('text:general:ann', true)
    const { id } = second.instance
    await second.instance.stop({ graceMs: 0 })
    await second.instance.close()
    await bots.publish(message(13, 'general', 'ann'))
    await until(() => first.runs.some(({ event }) => event.id === 13))
    await until(() => first.gone.includes(id))
    expect(first.gone).not.toContain(first.instance.id)
  })

  test(
    'acknowledges an open click once, even if the request takes long, an answered one never, and tries again after a failure',
    inAll,
    async () => {
      await using bots = botsOf(redis, 'acks')
      const sent: string[] = []
      const ends: (() => void)[] = []
      const ack = async ({ interactionId }: { interactionId: string }) => {
        sent.push(interactionId)
        if (interactionId === 'slow') await new Promise<void>((resolve) => ends.push(resolve))
        if (interactionId === 'refused' && sent.filter((id) => id === 'refused').length === 1)
          throw new Error('the instance is disconnected')
      }
      const instances = [await bots.start({ ack }), await bots.start({ ack })]
      const { term } = await bots.leader()
      const soon = Date.now() + 300
      // Long enough for what is noted about them meanwhile, also on a busy computer.
      const late = soon + 3000
      const dues = { open: soon, slow: soon, answered: late, begun: late, refused: soon }
      const ids = Object.entries(dues)
      for (const [n, [interactionId, due]] of ids.entries())
        await term.publish(delivered(openClick(n + 1, interactionId)), clickAt(interactionId, due))
      await until(() => instances.flatMap(({ runs }) => runs).length === ids.length)
      await instances[0]!.instance.answering('answered', 'answered')
      for (const { instance } of instances) await instance.answering('begun', 'begun')
      // While its request is under way, the instance takes the turn of the click again and again. An instance without processor time
      // loses it, so that the request may be made twice here; the simulator checks that it is not made twice otherwise.
      const client = new Redis(redis.url)
      const { acks } = keysOf(bots.bot.baseUrl, bots.bot.botId)
      await until(() => ends.length > 0)
      const turns = new Set<string>()
      await until(async () => turns.add(String(await client.zscore(acks, 'slow'))).size > 4)
      client.disconnect()
      const end = setInterval(() => ends.splice(0).forEach((each) => each()), 5)
      const acked = () => [...new Set(instances.flatMap(({ acks }) => acks.map((each) => each.interactionId)))].sort()
      await until(() => acked().length === 3)
      expect(acked()).toEqual(['open', 'refused', 'slow'])
      // The handler's answer fails after the click was due.
      await until(() => Date.now() > late)
      expect(acked()).toHaveLength(3)
      for (const { instance } of instances) await instance.answering('begun', 'failed')
      await until(() => acked().length === 4)
      clearInterval(end)
      expect(sent.filter((id) => id !== 'slow').sort()).toEqual(['begun', 'open', 'refused', 'refused'])
    },
  )

  test.each([false, true])(
    'an only instance that stops acknowledges a click whose answer was under way and fails; after the grace period: %s',
    async (isLate) => {
      await using bots = botsOf(redis, `last-answer-${isLate}`)
      let end = () => {}
      const { instance, acks, runs } = await bots.start({ run: () => new Promise<void>((resolve) => (end = resolve)) })
      const { term } = await bots.leader()
      await term.publish(delivered(openClick(1, 'open')), clickAt('open', Date.now() + 60_000))
      await until(() => runs.length === 1)
      await instance.answering('open', 'begun')
      const stopped = instance.stop({ graceMs: isLate ? 0 : 10_000 })
      await new Promise((resolve) => setTimeout(resolve, 200))
      await instance.answering('open', 'failed')
      end()
      await stopped
      expect(acks.map(({ interactionId }) => interactionId)).toEqual(['open'])
    },
  )

  test('a click that an instance has received is acknowledged although Redis accepts no writes', async () => {
    await using bots = botsOf(redis, 'full')
    const { acks, runs } = await bots.start({ run: () => new Promise<void>(() => {}) })
    const { term } = await bots.leader()
    await term.publish(delivered(openClick(1, 'open')), clickAt('open', Date.now() + 1000))
    await until(() => runs.length === 1)
    const client = new Redis(redis.url)
    try {
      await client.config('SET', 'maxmemory', '1')
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(acks.map(({ interactionId }) => interactionId)).toEqual(['open'])
    } finally {
      await client.config('SET', 'maxmemory', '0')
      client.disconnect()
    }
  })

  test('another instance acknowledges the click of an owner that has died', async () => {
    await using bots = botsOf(redis, 'dead-owner')
    const hang = () => new Promise<void>(() => {})
    const instances = [await bots.start({ run: hang }), await bots.start({ run: hang })]
    const { term } = await bots.leader()
    await term.publish(delivered(openClick(1, 'orphan')), clickAt('orphan', Date.now() + 300))
    const owner = await until(() => instances.find(({ runs }) => runs.length === 1))
    ;(owner.instance as unknown as { lost(forgotten: boolean): Promise<void> }).lost(false).catch(() => {})
    // Seconds later, no instance would acknowledge it.
    await until(() => instances.some(({ acks }) => acks.length === 1))
  })

  test('a click that was due while no instance ran has failed, and is not acknowledged later', async () => {
    await using bots = botsOf(redis, 'failed')
    const hang = () => new Promise<void>(() => {})
    await bots.start({ run: hang })
    const { term, instance } = await bots.leader()
    await term.publish(delivered(openClick(1, 'heard')), clickAt('heard', Date.now()))
    await until(() => bots.all[0]!.acks.length === 1)
    expect(await instance.unheard(clickAt('heard', 0).click)).toBe(false)
    // Not read by an owner: nothing acknowledges it.
    const link = await RedisLink.open({ url: redis.url, log: silent, clock: systemClock, name: 'test' })
    const keys = keysOf(bots.bot.baseUrl, bots.bot.botId)
    await bots[Symbol.asyncDispose]()
    const turnAtMs = Date.now() - 2000
    for (const [id, name] of [
      [2, 'failed'],
      [3, 'not looked at'],
    ] as const) {
      const event = openClick(id, name)
      await link.redis.zadd(keys.acks, turnAtMs, name)
      await link.redis.hset(keys.clicks, name, `${turnAtMs} ${JSON.stringify(clickAt(name, 0).click)}`)
      const stream = keys.events(partitionOf(event, 64))
      await link.redis.xadd(stream, '*', 'e', JSON.stringify(event), 'c', String(turnAtMs))
    }
    const failed: boolean[] = []
    const run = async ({ event: { id } }: Delivery, { instance }: (typeof bots.all)[number]) => {
      if (id === 2) failed.push(await instance.unheard(clickAt('failed', 0).click))
    }
    await bots.start({ run })
    await bots.start({ run })
    await until(async () => (await link.redis.zcard(keys.acks)) === 0)
    expect(failed).toEqual([true])
    expect(bots.all.flatMap(({ acks }) => acks.map(({ interactionId }) => interactionId))).toEqual(['heard'])
    await link.close()
  })

  test("a webhook's copy reaches the leader, wherever it arrived, and is gone when it is published", async () => {
    await using bots = botsOf(redis, 'offers')
    const heard: number[] = []
    const lead = async (term: Term) => {
      // As a feed does: it notes the copy, and publishes it.
      term.offers(async (event) => {
        heard.push(event.id)
        term.journal.commit({ offered: [event] })
        void term.publish(delivered(event)).then(() => term.journal.commit({ done: [event.id] }))
      })
    }
    const instances = [await bots.start({ lead }), await bots.start({ lead })]
    await bots.leader()
    await Promise.all([...instances, ...instances].map(({ instance }) => instance.offer(message(7))))
    await until(() => instances.flatMap(({ runs }) => runs).length === 1)
    const link = await RedisLink.open({ url: redis.url, log: silent, clock: systemClock, name: 'test' })
    const { offers } = keysOf(bots.bot.baseUrl, bots.bot.botId)
    await until(async () => (await link.redis.hlen(offers)) === 0)
    // Stored while there was no leader.
    await link.redis.hset(offers, '8', JSON.stringify(message(8)))
    await until(() => instances.flatMap(({ runs }) => runs).length === 2)
    await link.close()
    expect(heard.at(-1)).toBe(8)
  })

  test('one instance after the other does what only one may do at a time', async () => {
    await using bots = botsOf(redis, 'alone')
    const instances = await Promise.all([bots.start(), bots.start(), bots.start()])
    let inside = 0
    const turn = async () => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return inside--
    }
    expect(await Promise.all(instances.map(({ instance }) => instance.alone('commands', turn)))).toEqual([1, 1, 1])
    await expect(instances[0].instance.alone('commands', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await instances[1].instance.alone('commands', turn)).toBe(1)
  })

  test('the leader is notified of news, and the status shows all instances', async () => {
    await using bots = botsOf(redis, 'status')
    const first = await bots.start({ run: () => new Promise(() => {}), host: { version: '1.2.3' } })
    const { term } = await bots.leader()
    const second = await bots.start({ run: () => new Promise(() => {}) })
    second.instance.wake('tasks')
    await until(() => first.woken.length === 1)
    expect(first.woken).toEqual(['tasks'])
    expect(second.woken).toEqual([])
    term.journal.commit({ cursor: { after: 5, savedAtMs: 77 } })
    await bots.publish(message(1), message(2), message(3))
    await second.instance.setAside(message(9), 'it never ends')
    await until(async () => (await bots.cluster.status(bots.bot)).cursor?.after === 5)
    const seen = await until(async () => {
      const status = await bots.cluster.status(bots.bot)
      return status.instances.length === 2 && status.instances.some(({ running }) => running === 1) && status
    })
    expect(seen).toMatchObject({
      leader: first.instance.id,
      term: term.number,
      cursor: { after: 5, savedAtMs: 77 },
      instances: [
        { id: first.instance.id, leads: true, version: '1.2.3' },
        { id: second.instance.id, leads: false, version: '1' },
      ],
      partitions: [{ waiting: 2, running: 1 }],
      setAside: [{ event: { id: 9 }, reason: 'it never ends' }],
    })
    expect(seen.partitions[0]!.oldestAtMs).toBeGreaterThan(Date.now() - 60_000)
    expect(await second.instance.living()).toEqual(new Set([first.instance.id, second.instance.id]))
    expect(JSON.stringify(await first.instance.cluster())).toContain(second.instance.id)
  })

  test('finished events leave nothing on Redis', inAll, async () => {
    await using bots = botsOf(redis, 'growth')
    const one = await bots.start()
    const { term } = await bots.leader()
    const ids = Array.from({ length: 1000 }, (_, n) => n + 1)
    await bots.publish(...ids.map((id) => message(id, `channel ${id % 3}`)))
    await until(() => one.runs.length === ids.length)
    term.journal.commit({ cursor: { after: 1000, savedAtMs: 1 } })
    const link = await RedisLink.open({ url: redis.url, log: silent, clock: systemClock, name: 'test' })
    const { prefix } = keysOf(bots.bot.baseUrl, bots.bot.botId)
    await until(async () => (await link.redis.zcard(`${prefix}:seen`)) === 0)
    // None for each event.
    expect((await link.redis.keys(`${prefix}:*`)).length).toBeLessThan(30)
    expect(
      await link.redis.keys(`${prefix}:ev:*`).then((keys) => Promise.all(keys.map((key) => link.redis.xlen(key)))),
    ).toEqual([0, 0, 0])
    await link.close()
  })

  test('an instance that has left leaves no timer and no connection behind: its process ends', async () => {
    const count = (kind: string) => process.getActiveResourcesInfo().filter((one) => one === kind).length
    const connections = () => count('TCPSocketWrap')
    const bots = botsOf(redis, 'leaves')
    const [timersBefore, connectionsBefore] = [count('Timeout'), connections()]
    await bots.start()
    await bots.leader()
    await bots.publish(message(1))
    await until(() => bots.all[0]!.runs.length === 1)
    expect(connections()).toBeGreaterThan(2)
    expect(connections()).toBeLessThanOrEqual(connectionsBefore + 5)
    await bots[Symbol.asyncDispose]()
    // ioredis keeps a process alive for 2 s more if a connection is ended twice.
    const timers = await until(() => connections() <= connectionsBefore && [count('Timeout')])
    expect(timers[0]).toBeLessThanOrEqual(timersBefore)
  })

  test('an instance does not start beside instances of another layout, and reports what to do', async () => {
    await using bots = botsOf(redis, 'layout')
    await bots.start()
    const link = await RedisLink.open({ url: redis.url, log: silent, clock: systemClock, name: 'test' })
    await link.redis.hset(keysOf(bots.bot.baseUrl, bots.bot.botId).layout, 'layout', 1)
    await link.close()
    await expect(bots.start()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringContaining('with layout 1') as string,
    })
  })
})
