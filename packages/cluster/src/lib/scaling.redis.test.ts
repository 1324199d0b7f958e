import type { Delivery } from '@botwright/framework/cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { botsOf, message, until } from './instances.test.fixture.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'

describeWithRedis('a cluster that grows and shrinks', () => {
  let redis: RedisRig
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  test(
    'runs each event once, in order within a channel, while instances join and leave under load',
    { tags: 'all/redis' },
    async () => {
      await using bots = botsOf(redis, 'scaling')
      const order: number[] = []
      const busy = new Set<number>()
      const overlaps: number[] = []
      const channels = 40
      const run = async ({ event: { id } }: Delivery) => {
        const channel = id % channels
        if (busy.has(channel)) overlaps.push(id)
        busy.add(channel)
        order.push(id)
        await new Promise((resolve) => setTimeout(resolve, 1 + (id % 7)))
        busy.delete(channel)
      }
      const start = () => bots.start({ run })
      await start()
      const count = 4000
      const published = (async () => {
        for (let from = 1; from <= count; from += 100) {
          const ids = Array.from({ length: 100 }, (_, n) => from + n)
          await bots.publish(...ids.map((id) => message(id, `channel ${id % channels}`)))
        }
      })()
      const reach = (part: number) => until(() => order.length >= count * part)
      await reach(0.1)
      await start()
      await reach(0.25)
      await start()
      await reach(0.4)
      const leave = async ({ instance }: (typeof bots.all)[number]) => {
        expect(await instance.stop({ graceMs: 10_000 })).toEqual({ unfinished: 0 })
        await instance.close()
      }
      // The leader first.
      await leave(bots.all[0]!)
      await reach(0.6)
      await start()
      await reach(0.75)
      await leave(bots.all[1]!)
      await published
      await until(() => order.length >= count)
      const runs = bots.all.flatMap((one) => one.runs.map((run) => ({ run, instance: one.instance.id })))
      expect(runs.filter(({ run }) => run.attempt > 1)).toEqual([])
      expect(bots.all.flatMap(({ lost }) => lost)).toEqual([0, 0, 0, 0])
      expect(overlaps).toEqual([])
      expect(order).toHaveLength(count)
      expect(new Set(order).size).toBe(count)
      for (let channel = 0; channel < channels; channel++) {
        const ids = order.filter((id) => id % channels === channel)
        expect(ids).toEqual([...ids].sort((a, b) => a - b))
      }
      expect(bots.all.every(({ runs }) => runs.length > 0)).toBe(true)
    },
  )

  test('balances the partitions across instances with as few moves as possible', async () => {
    await using bots = botsOf(redis, 'balance')
    const owned = async () => {
      const { instances } = await bots.cluster.status(bots.bot)
      return instances.map(({ partitions }) => partitions).sort()
    }
    for (const expected of [[64], [32, 32], [21, 21, 22], [16, 16, 16, 16]]) {
      await bots.start()
      await until(async () => JSON.stringify(await owned()) === JSON.stringify(expected))
    }
  })

  test(
    'the number of partitions changes only while all instances are stopped, and waiting events keep their order',
    { tags: 'all/redis' },
    async () => {
      const bots = botsOf(redis, 'partitions')
      const hang = () => new Promise<void>(() => {})
      const first = await bots.start({ run: hang })
      const ids = Array.from({ length: 60 }, (_, n) => n + 1)
      await bots.publish(...ids.map((id) => message(id, `channel ${id % 6}`)))
      await until(() => first.runs.length === 6)
      await expect(bots.cluster.repartition(bots.bot, 16)).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringContaining('stop all of them first') as string,
      })
      await bots[Symbol.asyncDispose]()
      for (const partitions of [16, 3, 100]) await bots.cluster.repartition(bots.bot, partitions)
      await using after = botsOf(redis, 'partitions')
      const second = await after.start()
      await until(() => second.runs.length === 60)
      for (let channel = 0; channel < 6; channel++)
        expect(second.runs.map(({ event }) => event.id).filter((id) => id % 6 === channel)).toEqual(
          ids.filter((id) => id % 6 === channel),
        )
      expect(
        second.runs
          .filter(({ attempt }) => attempt > 1)
          .map(({ event }) => event.id)
          .sort(),
      ).toEqual([1, 2, 3, 4, 5, 6])
      expect((await after.cluster.status(after.bot)).instances).toMatchObject([{ partitions: 100 }])
    },
  )
})
