import { afterAll, beforeAll, expect, test } from 'vitest'
import { botsOf, click, delivered, message, until } from './machines.test.fixture.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'

describeWithRedis('machines', () => {
  let redis: RedisRig
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  test('one machine leads, and events run once each, in order within a channel, on any machine', async () => {
    await using bots = botsOf(redis, 'order')
    const busy = new Set<string>()
    const run = async ({ event }: { event: { data: Record<string, unknown> } }) => {
      const channel = String(event.data['channel_id'])
      expect(busy.has(channel)).toBe(false)
      busy.add(channel)
      await new Promise((resolve) => setTimeout(resolve, 1))
      busy.delete(channel)
    }
    const order: number[] = []
    for (let n = 0; n < 3; n++)
      await bots.start({
        run: (delivery) => {
          order.push(delivery.id)
          return run(delivery)
        },
      })
    const { term } = await bots.leader()
    expect(bots.all.filter(({ machine }) => machine.status().leads)).toHaveLength(1)
    const ids = Array.from({ length: 300 }, (_, n) => n + 1)
    const channelOf = (id: number) => `channel ${id % 20}`
    await Promise.all(ids.map((id) => term.publish(delivered(message(id, channelOf(id))))))
    await until(() => order.length === ids.length)
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
    await until(() => bots.all.some(({ runs }) => runs.some(({ id }) => id === 2)))
    expect(bots.all.flatMap(({ runs }) => runs.map(({ id }) => id)).sort()).toEqual([1, 2])
  })
})
