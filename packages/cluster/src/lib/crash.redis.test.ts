import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childrenOf } from './children.test.fixture.ts'
import { LEADER_LEASE_MS } from './members/election.ts'
import { message, until } from './instances.test.fixture.ts'
import { keysOf } from './redis/keys.ts'
import { MEMBER_LEASE_MS } from './members/membership.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'
import { redisCluster } from './redis-cluster.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const slow = (id: number, ms: number, channel = 'general') => {
  const event = message(id, channel)
  return { ...event, data: { ...event.data, ms } }
}

describeWithRedis('instances that die or stand still', () => {
  let redis: RedisRig
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())
  const look = (botId: string) => redisCluster(redis.url).status({ baseUrl: 'http://chat.test', botId })
  /** How long the leases of a bot still hold. Redis ends them, however busy this computer is. */
  const leasesOf = async (botId: string) => {
    const { leader, prefix } = keysOf('http://chat.test', botId)
    const client = new Redis(redis.url)
    const members = await client.keys(`${prefix}:member:*`)
    const [led, ...held] = await Promise.all([leader, ...members].map((key) => client.pttl(key)))
    client.disconnect()
    return { leader: led!, longestMember: Math.max(...held) }
  }
  const cursorOf = async (botId: string) => (await look(botId)).cursor?.after

  test.concurrent(
    'when the leader is killed another one leads once its lease has ended, from where the position was',
    { tags: 'all/redis' },
    async () => {
      await using bots = childrenOf(redis, 'leader-dies')
      await Promise.all([bots.start(), bots.start()])
      const first = await bots.leader()
      first.say({ save: 41 })
      await until(async () => (await cursorOf('leader-dies')) === 41)
      first.kill('SIGKILL')
      expect((await leasesOf('leader-dies')).leader).toBeLessThanOrEqual(LEADER_LEASE_MS)
      await bots.leader(first)
      // The new leader learns that an instance is gone.
      await until(() => bots.of('gone').length > 0)
      expect(await cursorOf('leader-dies')).toBe(41)
    },
  )

  test.concurrent('the event of a killed instance runs again elsewhere, marked, before later events of its channel', async () => {
    await using bots = childrenOf(redis, 'runner-dies')
    await Promise.all([bots.start(), bots.start()])
    await bots.publish(slow(3, 0, 'other'))
    await until(async () => (await look('runner-dies')).partitions.length === 0)
    await bots.publish(slow(1, 60_000), slow(2, 0))
    const [begun] = await until(() => bots.of('begun', 1).length > 0 && bots.of('begun', 1))
    begun!.child.kill('SIGKILL')
    expect((await leasesOf('runner-dies')).longestMember).toBeLessThanOrEqual(MEMBER_LEASE_MS)
    await until(() => bots.of('begun', 1).find((told) => 'attempt' in told && told.attempt === 2))
    expect(bots.of('begun', 2)).toEqual([])
    expect(bots.of('begun', 3)).toHaveLength(1)
  })

  test.concurrent(
    'an event over which instances die too often is set aside, and its channel goes on',
    { tags: 'all/redis' },
    async () => {
      await using bots = childrenOf(redis, 'poison')
      const first = await bots.start({ handlerAttempts: 1 })
      await bots.publish(slow(1, 60_000), slow(2, 0))
      await until(() => bots.of('begun', 1).length > 0)
      first.kill('SIGKILL')
      await bots.start({ handlerAttempts: 1 })
      await until(() => bots.of('ended', 2).length > 0)
      expect(bots.of('begun', 1)).toHaveLength(1)
      await until(() => bots.of('aside', 1).length === 1)
      const bot = { baseUrl: 'http://chat.test', botId: 'poison' }
      const { setAside } = await redisCluster(redis.url).status(bot)
      expect(setAside).toMatchObject([{ event: { id: 1 }, reason: 'the instance crashed once while running it' }])
      expect(await redisCluster(redis.url).replay(bot, [1, 7])).toEqual([1])
      await until(() => bots.of('begun', 1).length === 2)
      expect((await redisCluster(redis.url).status(bot)).setAside).toEqual([])
    },
  )

  test.concurrent('a leader that was frozen writes nothing when it goes on', { tags: 'all/redis' }, async () => {
    await using bots = childrenOf(redis, 'leader-freezes')
    await Promise.all([bots.start(), bots.start()])
    const first = await bots.leader()
    first.kill('SIGSTOP')
    const second = await bots.leader(first)
    second.say({ save: 100 })
    await until(async () => (await cursorOf('leader-freezes')) === 100)
    // They wait in its pipe: it reads them as the first thing when it goes on.
    first.say({ save: 50 })
    first.say({ publish: [message(51)] })
    first.kill('SIGCONT')
    await until(() => first.told.some(({ kind }) => kind === 'over'))
    await wait(500)
    expect(await cursorOf('leader-freezes')).toBe(100)
    expect(bots.of('begun', 51)).toEqual([])
  })

  test.concurrent(
    'the event of an instance that was frozen for too long runs elsewhere, and ends only there',
    { tags: 'all/redis' },
    async () => {
      await using bots = childrenOf(redis, 'runner-freezes')
      await Promise.all([bots.start(), bots.start()])
      await bots.publish(slow(1, 1500))
      const [begun] = await until(() => bots.of('begun', 1).length > 0 && bots.of('begun', 1))
      const frozen = begun!.child
      frozen.kill('SIGSTOP')
      const again = await until(() => bots.of('ended', 1).find(({ child }) => child !== frozen))
      expect(again).toMatchObject({ attempt: 2 })
      frozen.kill('SIGCONT')
      await until(() => frozen.told.some(({ kind }) => kind === 'lost'))
      // It joins again, and works: alone now, so the next event is its own.
      await until(async () => {
        frozen.say({ fence: true })
        await wait(50)
        return frozen.told.some((told) => told.kind === 'fence' && told.code === '')
      })
      for (const child of bots.all) if (child !== frozen) child.say({ stop: 0 })
      await bots.publish(slow(2, 0))
      await until(() => bots.of('ended', 2).some(({ child }) => child === frozen))
      expect(bots.of('ended', 1)).toHaveLength(1)
      await until(async () => (await look('runner-freezes')).partitions.length === 0)
    },
  )
})
