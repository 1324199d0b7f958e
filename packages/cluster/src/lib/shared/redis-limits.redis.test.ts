import { sleep, systemClock } from '@botwright/clock'
import type { Clock, LimitStore, Log } from '@botwright/framework/cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { keysOf } from '../redis/keys.ts'
import { ASK_AGAIN_MS } from './limit-scripts.ts'
import { describeWithRedis, type RedisRig, startRedis } from '../redis-rig.test.fixture.ts'
import { RedisLimits, type RedisLimitsOptions } from './redis-limits.ts'

interface LimitRig {
  seconds: number
  make(more?: { queueLimit?: number }): Promise<LimitStore>
  pass(ms: number): Promise<void>
  nowMs(): number
  wait(ms: number): Promise<void>
}

// The suite of the port is in the package that owns it, and is not published: there is no name to import it by.
const suite = new URL('../../../../rest/src/lib/limit-suite.test.fixture.ts', import.meta.url)
const { limitSuite } = (await import(suite.href)) as { limitSuite: (name: string, start: () => LimitRig) => void }

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
let bots = 0
const clock = systemClock
const wait = (ms: number) => sleep(clock, ms)

describeWithRedis('the message budget on Redis', () => {
  let redis: RedisRig
  const links: RedisLink[] = []
  const open = async (rig: RedisRig, more = {}) => {
    const link = await RedisLink.open({ url: rig.url, log, clock, name: 'limits', ...more })
    links.push(link)
    return link
  }
  beforeAll(async () => {
    redis = await startRedis()
    await open(redis)
  })
  afterAll(async () => {
    await Promise.all(links.map((link) => link.close()))
    await redis[Symbol.asyncDispose]()
  })
  const newKeys = () => keysOf('http://127.0.0.1:1/v1', `bot ${++bots}`)
  const limitsOf = (more: Partial<RedisLimitsOptions> = {}) =>
    new RedisLimits({ link: links[0]!, keys: newKeys(), clock, requests: 30, seconds: 0.3, timeoutMs: 2000, ...more })

  limitSuite('the budget of many instances', () => ({
    // Time enough to look at a queue before a window is over.
    seconds: 1,
    make: (more) => Promise.resolve(limitsOf({ ...more, seconds: 1 })),
    pass: wait,
    nowMs: () => clock.monotonic(),
    wait,
  }))

  test.concurrent('eight instances, 150 messages: no window ever holds more than 30 arrivals', async () => {
    const keys = newKeys()
    const instances = await Promise.all(
      Array.from({ length: 8 }, async () => limitsOf({ keys, link: await open(redis) })),
    )
    const arrivals: number[] = []
    const send = async (i: number) => {
      const limits = instances[i % 8]!
      await limits.take(i % 5 === 0 ? 'broadcast' : 'reply')
      await wait(5 * Math.random())
      arrivals.push(clock.monotonic())
      if (i % 10 === 0) limits.again()
      await wait(5 * Math.random())
      limits.release(true)
    }
    await Promise.all(Array.from({ length: 150 }, (_, i) => send(i)))
    expect(arrivals).toHaveLength(150)
    for (const [i, time] of arrivals.slice(30).entries()) expect(time - arrivals[i]!).toBeGreaterThanOrEqual(300)
    // And it is used: five windows, not fifty.
    expect(arrivals.at(-1)! - arrivals[0]!).toBeLessThan(10_000)
    for (const limits of instances) limits.close()
  })

  /** Limits on a connection of their own, the arguments of each script that they run, and how to end that connection once. */
  async function watched(more: Partial<RedisLimitsOptions> = {}) {
    const link = await open(redis)
    const sizes: number[] = []
    const run = link.run.bind(link)
    link.run = (program, names, args = []) => {
      sizes.push(args.length)
      return run(program, names, args)
    }
    const keys = newKeys()
    const limits = limitsOf({ keys, link, seconds: 600, timeoutMs: 600_000, ...more })
    const reconnect = async () => {
      const back = new Promise((resolve) => link.watch({ back: resolve }))
      await links[0]!.redis.client('KILL', 'ID', await link.redis.client('ID'))
      await back
    }
    return { limits, keys, sizes, reconnect }
  }

  test('an instance brings nothing for slots that a refusing Redis never gave', async () => {
    // It asks again a hundred times as fast.
    const fast: Clock = { ...clock, after: (ms, fire, options) => clock.after(ms / 100, fire, options) }
    const { limits, sizes, reconnect } = await watched({ clock: fast })
    await links[0]!.redis.config('SET', 'min-replicas-to-write', '1')
    const abort = new AbortController()
    const waiting = Array.from({ length: 100 }, () => limits.take('reply', abort.signal).catch(() => 'aborted'))
    const begun = sizes.length
    await expect.poll(() => sizes.length - begun).toBeGreaterThan(50)
    await links[0]!.redis.config('SET', 'min-replicas-to-write', '0')
    abort.abort()
    await Promise.all(waiting)
    sizes.length = 0
    await reconnect()
    // At most the slots of its last question.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 + 2 * 30)
    limits.close()
  })

  test('an instance brings many slots in parts, so that no script is long', async () => {
    const { limits, keys, sizes, reconnect } = await watched({ requests: 900 })
    await Promise.all(Array.from({ length: 900 }, () => limits.take('reply')))
    await links[0]!.redis.del(keys.limits.slots)
    sizes.length = 0
    await reconnect()
    await expect.poll(() => links[0]!.redis.zcard(keys.limits.slots)).toBe(900)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    limits.close()
  })

  test('a released slot goes to a waiting instance at once', async () => {
    const keys = newKeys()
    // The instance that waits never asks again by itself: only the news can wake it.
    const deaf: Clock = {
      ...clock,
      after: (ms, fire, options) => (ms >= ASK_AGAIN_MS ? { cancel() {} } : clock.after(ms, fire, options)),
    }
    // A window longer than the test may take.
    const options = { keys, seconds: 600 }
    const [one, two] = [limitsOf(options), limitsOf({ ...options, clock: deaf, link: await open(redis) })]
    for (let i = 0; i < 30; i++) await one.take('reply')
    const turn = two.take('reply')
    await expect.poll(() => two.waiting).toBe(1)
    expect(two.used).toBe(30)
    one.release(false)
    await turn
    one.close()
    two.close()
  })

  test("another instance's answer goes before this instance's broadcast", async () => {
    const keys = newKeys()
    const options = { keys, seconds: 60, requests: 6 }
    const [one, two] = [limitsOf(options), limitsOf({ ...options, link: await open(redis) })]
    for (let i = 0; i < 6; i++) await one.take('reply')
    const order: string[] = []
    const broadcast = Promise.resolve(one.take('broadcast')).then(() => order.push('broadcast'))
    const answers = Array.from({ length: 3 }, () => two.take('answer').then(() => order.push('answer')))
    // How many wait on each instance is known to all.
    await expect
      .poll(async () =>
        (await links[0]!.redis.zrange(keys.limits.wanted, '0', '-1')).map((one) => one.slice(0, 3)).sort(),
      )
      .toEqual(['1 3', '3 1'])
    // Two of these four would do for the broadcast, if it went first.
    for (let i = 0; i < 4; i++) one.release(false)
    await Promise.all(answers)
    expect(order).toEqual(['answer', 'answer', 'answer'])
    one.release(false)
    await broadcast
    one.close()
    two.close()
  })

  test.concurrent(
    'requests of a dead instance count until they can have arrived, and one window more',
    { tags: 'all/redis' },
    async () => {
      const keys = newKeys()
      const options = { keys, requests: 1, timeoutMs: 300 }
      const own = await open(redis)
      const dead = limitsOf({ ...options, link: own })
      await dead.take('reply')
      const diedMs = clock.monotonic()
      await own.close()
      const alive = limitsOf(options)
      await alive.take('reply')
      expect(clock.monotonic() - diedMs).toBeGreaterThan(300 + 300)
      expect(clock.monotonic() - diedMs).toBeLessThan(5000)
      alive.close()
    },
  )

  test.concurrent(
    'while Redis is unavailable nothing is sent, and a Redis that has lost its data gets the sent messages again',
    { tags: 'all/redis' },
    async ({ expect }) => {
      await using rig = await startRedis({ appendonly: 'no' })
      const keys = newKeys()
      const options = { keys, seconds: 3.5, requests: 2 }
      const [one, two] = [
        limitsOf({ ...options, link: await open(rig) }),
        limitsOf({ ...options, link: await open(rig) }),
      ]
      await one.take('reply')
      const sentMs = clock.monotonic()
      one.release(true)
      await one.take('reply')
      await expect.poll(() => two.used).toBe(2)
      await rig.kill()
      const turns = [two.take('answer'), two.take('answer')].map((turn) => turn.then(() => clock.monotonic()))
      one.release(true)
      await wait(100)
      await rig.start()
      for (const wentMs of await Promise.all(turns)) expect(wentMs - sentMs).toBeGreaterThanOrEqual(3500)
      one.close()
      two.close()
    },
  )

  test('its keys on Redis expire', async () => {
    const keys = newKeys()
    const limits = limitsOf({ keys })
    await limits.take('reply')
    limits.release(true)
    limits.close()
    await expect(limits.take('reply')).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    const names = await links[0]!.redis.keys(`${keys.prefix}*`)
    expect(names).toEqual([keys.limits.slots])
    // As long as a message under way can count, and no longer.
    expect(await links[0]!.redis.pttl(keys.limits.slots)).toBeLessThan(5000)
    expect(await links[0]!.redis.pttl(keys.limits.slots)).toBeGreaterThan(0)
  })
})
