// @module-tag all/redis
import { systemClock } from '@botwright/framework/cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agreeOnLayout } from './events/layout.ts'
import { RedisInstance } from './instance.ts'
import { botsOf, until } from './instances.test.fixture.ts'
import { LeaderConnection } from './members/leader-connection.ts'
import { repartition } from './members/repartition.ts'
import { RedisLink } from './redis/connect.ts'
import { keysOf } from './redis/keys.ts'
import { RedisTime } from './redis/redis-time.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'
import { sharedParts } from './shared/shared.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

describeWithRedis('an instance that joins while the number of partitions changes', () => {
  let redis: RedisRig
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  /** A bot of its own, on a connection of its own. */
  async function placeOf(name: string) {
    const link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const bots = botsOf(redis, name)
    return { link, bots, keys: keysOf(bots.bot.baseUrl, name) }
  }

  test('it is noticed if it joins after the look at the instances', async () => {
    const { bots: many, keys, link: own } = await placeOf('later')
    await using bots = many
    await using link = own
    await agreeOnLayout({ link, keys })
    const { xrange } = link.redis
    let joined: Promise<unknown> | undefined
    link.redis.xrange = async (...given: [string, string, string]) => {
      await (joined ??= bots.start())
      return xrange.apply(link.redis, given)
    }
    await expect(repartition({ link, keys }, 16)).rejects.toMatchObject({
      message: expect.stringContaining('stop all of them first') as string,
    })
    const owned = async () => (await bots.cluster.status(bots.bot)).instances[0]?.partitions
    await until(async () => (await owned()) === 64)
  })

  test('it has the new number if it was cut off meanwhile', async () => {
    const { bots: many, keys, link: own } = await placeOf('cut off')
    await using bots = many
    await using link = own
    const one = await bots.start()
    await until(async () => (await link.redis.hlen(keys.owners)) === 64)
    await bots.leader()
    // Its lease ends; it joins again once it notices that.
    await link.redis.del(keys.member(Number(one.instance.id.split('.').at(-1))))
    await bots.cluster.repartition(bots.bot, 16)
    await until(() => one.lost === 1)
    await until(async () => (await link.redis.hlen(keys.owners)) > 0)
    expect(await link.redis.hlen(keys.owners)).toBe(16)
  })

  test('it has the new number if it had looked before', async () => {
    const { bots, keys, link } = await placeOf('before')
    const partitions = await agreeOnLayout({ link, keys })
    expect(partitions).toBe(64)
    await bots.cluster.repartition(bots.bot, 16)
    const host = {
      ...{ ...bots.bot, version: '1', clock: systemClock, log, report() {}, timeoutMs: 1000, handlerAttempts: 3 },
    }
    const parts = { host, link, keys, partitions, leaderConnection: new LeaderConnection(link) }
    const time = new RedisTime(link, systemClock)
    const instance = await RedisInstance.join({ ...parts, time, shared: sharedParts(host, link, keys) })
    try {
      const none = async () => {}
      instance.start({
        run() {},
        setAside() {},
        lead: none,
        ack: none,
        lost: none,
        joined() {},
        gone: none,
        woken() {},
      })
      // The status counts those that the layout has.
      const owned = () => link.redis.hlen(keys.owners)
      await until(async () => (await owned()) > 0)
      expect(await owned()).toBe(16)
    } finally {
      await instance.close()
    }
  })
})
