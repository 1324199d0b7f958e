// @module-tag all/redis
import { Redis } from 'ioredis'
import { expect, test, vi } from 'vitest'
import { botsOf, message, until } from './instances.test.fixture.ts'
import { describeWithRedis, startRedis } from './redis-rig.test.fixture.ts'

describeWithRedis('a Redis that has lost all', () => {
  test('each instance logs the loss once; the feed continues after the last position that an instance read', async () => {
    await using redis = await startRedis()
    await using bots = botsOf(redis, 'lost')
    const instances = [await bots.start(), await bots.start()]
    await bots.publish(message(76), message(77), message(78))
    const { term } = await bots.leader()
    type Hears = { heard(position: { after: number }): void }
    const heard = instances.map(({ instance }) => vi.spyOn(instance as unknown as Hears, 'heard'))
    term.journal.commit({ cursor: { after: 78, savedAtMs: 5 } })
    await until(async () => (await bots.cluster.status(bots.bot)).cursor?.after === 78)
    // Each instance reads it when it renews its lease, once a second.
    await until(() => heard.every(({ mock }) => mock.calls.some(([{ after }]) => after === 78)))
    const client = new Redis(redis.url)
    await client.flushall()
    await until(() => instances.every(({ log }) => log.some((line) => line.includes('has rejoined'))))
    const next = await bots.leader()
    expect(next.term.journal.cursor()).toEqual({ era: 0, after: 78, savedAtMs: 5 })
    await until(async () => (await bots.cluster.status(bots.bot)).cursor?.after === 78)
    for (const { log, lost } of instances) {
      expect(log.filter((line) => line.includes('Redis has lost all data'))).toEqual([
        expect.stringContaining('The feed continues after event 78'),
      ])
      expect(lost).toBe(1)
    }
    client.disconnect()
    await bots.publish(message(79))
    await until(() => instances.some(({ runs }) => runs.some(({ event }) => event.id === 79)))
  })

  test('the number of partitions stays, so that a new instance runs what waits in all of them', async () => {
    await using redis = await startRedis()
    await using bots = botsOf(redis, 'partitions')
    await bots.cluster.repartition(bots.bot, 100)
    const old = await bots.start({ run: () => new Promise<void>(() => {}) })
    await bots.leader()
    const client = new Redis(redis.url)
    await client.flushall()
    client.disconnect()
    await until(() => old.log.some((line) => line.includes('has rejoined')))
    const ids = Array.from({ length: 200 }, (_, n) => n + 1)
    await bots.publish(...ids.map((id) => message(id, `channel ${id}`)))
    await until(() => old.runs.length === ids.length)
    const next = await bots.start()
    await old.instance.stop({ graceMs: 0 })
    await old.instance.close()
    await until(() => new Set(next.runs.map(({ event }) => event.id)).size === ids.length)
    expect((await bots.cluster.status(bots.bot)).instances).toMatchObject([{ partitions: 100 }])
  })
})
