// @module-tag all/redis
import type { Delivery } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { botsOf, message, until } from './instances.test.fixture.ts'
import { MEMBER_LEASE_MS } from './members/membership.ts'
import { describeWithRedis, startRedis } from './redis-rig.test.fixture.ts'

describeWithRedis('a Redis that is started anew', () => {
  test('loses no event, keeps the order within a channel, and is logged once', async () => {
    // With `everysec` a busy disk may lose the last writes, and with them the mark of running events.
    await using redis = await startRedis({ appendfsync: 'always' })
    await using bots = botsOf(redis, 'restart')
    const order: { id: number; attempt: number }[] = []
    const run = async ({ event: { id }, attempt }: Delivery) => {
      order.push({ id, attempt })
      await new Promise((resolve) => setTimeout(resolve, 4))
    }
    const instances = [await bots.start({ run }), await bots.start({ run })]
    const { term } = await bots.leader()
    const ids = Array.from({ length: 400 }, (_, n) => n + 1)
    const events = ids.map((id) => message(id, `channel ${id % 4}`))
    await bots.publish(...events.slice(0, 200))
    await until(() => order.length > 50)
    await redis.kill()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await redis.start()
    // The former leader does not go on as if nothing had been lost.
    await until(() => term.signal.aborted)
    await bots.publish(...events)
    await until(() => new Set(order.map(({ id }) => id)).size === ids.length)
    for (let n = 0; n < 4; n++) {
      const firsts = [...new Set(order.filter(({ id }) => id % 4 === n).map(({ id }) => id))]
      expect(firsts).toEqual([...firsts].sort((a, b) => a - b))
    }
    const seen = new Set<number>()
    for (const { id, attempt } of order) {
      if (seen.has(id)) expect(attempt).toBeGreaterThan(1)
      seen.add(id)
    }
    for (const { log } of instances) {
      expect(log.filter((line) => line.includes('Redis is unavailable'))).toHaveLength(1)
      expect(log.filter((line) => line.includes('Redis is back'))).toHaveLength(1)
    }
  })

  test('a handler that uses its state meanwhile waits for it; when that takes too long its event runs again, marked', async () => {
    // A busy disk must not lose the mark that the event has begun.
    await using redis = await startRedis({ appendfsync: 'always' })
    await using bots = botsOf(redis, 'state')
    let goOn = () => {}
    const refused: unknown[] = []
    const one = await bots.start({
      async run({ event: { id }, attempt }, { instance }) {
        if (attempt === 1) await new Promise<void>((resolve) => (goOn = resolve))
        await instance.store.set(`done ${id}`, attempt).catch((error: { code: unknown }) => refused.push(error.code))
      },
    })
    const away = async (id: number, long: () => Promise<unknown>) => {
      await bots.publish(message(id))
      await until(() => one.runs.some(({ event }) => event.id === id))
      await redis.kill()
      goOn()
      await long()
      await redis.start()
      return until(async () => (await one.instance.store.get(`done ${id}`).catch(() => undefined))?.value)
    }
    expect(await away(1, () => until(() => one.log.some((line) => line.includes('Redis is unavailable'))))).toBe(1)
    expect(refused).toEqual([])
    const { lost } = one
    const lostForAll = async () => {
      const killedMs = performance.now()
      await until(() => one.lost === lost + 1)
      // It gives up earlier than its lease ends on Redis, which no instance can have renewed since.
      await until(() => performance.now() - killedMs > MEMBER_LEASE_MS)
    }
    expect(await away(2, lostForAll)).toBe(2)
    expect(one.runs.at(-1)).toMatchObject({ event: { id: 2 }, attempt: 2 })
    // The last request of the first run was not done in the name of the second.
    expect(refused).toEqual(['ERR_FENCED'])
  })

  test('a Redis that is not there lets no instance start, and no text holds its password', async () => {
    const { redisCluster } = await import('./redis-cluster.ts')
    const cluster = redisCluster('redis://bot:very-secret@127.0.0.1:1/0')
    const looked = await cluster.status({ baseUrl: 'http://chat.test', botId: 'x' }).catch((error: Error) => error)
    expect(looked).toMatchObject({ code: 'ERR_CLUSTER', message: expect.stringContaining('127.0.0.1:1') as string })
    expect(String((looked as Error).stack)).not.toContain('very-secret')
  })
})
