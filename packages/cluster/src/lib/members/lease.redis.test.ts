import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/framework/cluster'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { redisLease } from './lease.ts'
import { describeWithRedis, type RedisRig, startRedis } from '../redis-rig.test.fixture.ts'

/** The suite for every lock with one holder at a time, on one instance or on many. */
interface Door {
  /** False: another holder is in. */
  enter(): Promise<boolean>
  leave(): Promise<void>
}

function suite(make: (name: string) => Door): void {
  test('one holder at a time, and the next one when it has let go', async () => {
    const [a, b] = [make('one at a time'), make('one at a time')]
    expect(await a.enter()).toBe(true)
    expect(await b.enter()).toBe(false)
    await a.leave()
    expect(await b.enter()).toBe(true)
    expect(await a.enter()).toBe(false)
    await b.leave()
  })

  test('of many who come at the same time one gets it', async () => {
    const all = Array.from({ length: 8 }, () => make('many'))
    const got = await Promise.all(all.map((door) => door.enter()))
    expect(got.filter(Boolean)).toHaveLength(1)
    await all[got.indexOf(true)]!.leave()
  })

  test('releasing it twice, or without having it, does not take it from another holder', async () => {
    const [a, b] = [make('twice'), make('twice')]
    await a.enter()
    await a.leave()
    expect(await b.enter()).toBe(true)
    await a.leave()
    expect(await make('twice').enter()).toBe(false)
    await b.leave()
  })

  test('leases of different names are independent', async () => {
    const [a, b] = [make('this'), make('that')]
    expect(await a.enter()).toBe(true)
    expect(await b.enter()).toBe(true)
    await a.leave()
    await b.leave()
  })
}

describe('the lock of one instance', async () => {
  // It is not published: there is no name to import it by.
  const { lockSupervisor } = (await import(
    new URL('../../../../framework/src/features/host-files/lock.ts', import.meta.url).href
  )) as { lockSupervisor: (of: object) => { release(): void } }
  const folder = mkdtempSync(join(tmpdir(), 'botwright-lease-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  suite((name) => {
    let held: { release(): void } | undefined
    return {
      async enter() {
        try {
          held = lockSupervisor({ baseUrl: 'http://chat.test', botId: name, username: name, folder })
          return true
        } catch (error) {
          if ((error as { code?: string }).code === 'ERR_ALREADY_RUNNING') return false
          throw error
        }
      },
      async leave() {
        held?.release()
      },
    }
  })
})

describeWithRedis('the lease on Redis', () => {
  let redis: RedisRig
  let link: RedisLink
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  beforeAll(async () => {
    redis = await startRedis()
    link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
  })
  afterAll(async () => {
    await link.close()
    await redis[Symbol.asyncDispose]()
  })
  const make = (name: string, clock = systemClock, leaseMs = 5000) =>
    redisLease({
      redis: link.redis,
      key: `lease:${name}`,
      counter: `count:${name}`,
      holder: () => 'somebody',
      clock,
      leaseMs,
      marginMs: leaseMs / 5,
    })

  suite((name) => {
    const lease = make(name)
    return { enter: async () => (await lease.take()) !== undefined, leave: () => lease.release() }
  })

  test('its number rises with each holder', async () => {
    const [a, b] = [make('number'), make('number')]
    const first = await a.take()
    await a.release()
    expect(await b.take()).toBe(first! + 1)
    await b.release()
  })

  test('ends by itself, and its holder knows that before another one has it', async () => {
    const [a, b] = [make('ends', systemClock, 1000), make('ends', systemClock, 1000)]
    await a.take()
    expect(a.sure).toBe(true)
    let number: number | undefined
    while (number === undefined) {
      const wasSure = a.sure
      number = await b.take()
      if (number !== undefined) expect(wasSure).toBe(false)
    }
    expect(a.over).toBe(true)
    expect(await a.renew()).toBe(false)
    expect(b.sure).toBe(true)
  })

  test('it holds for as long as it is renewed', async () => {
    const [a, b] = [make('renewed', systemClock, 600_000), make('renewed', systemClock, 600_000)]
    await a.take()
    // As if it had been taken eight minutes ago.
    await link.redis.pexpire('lease:renewed', 120_000)
    expect(await a.renew()).toBe(true)
    expect(await link.redis.pttl('lease:renewed')).toBeGreaterThan(500_000)
    expect(await b.take()).toBeUndefined()
    await a.release()
  })

  test('a holder that was frozen is not sure, and one whose wall clock was set asks Redis', async () => {
    let [monotonicMs, wallMs] = [0, 0]
    const clock = { ...systemClock, now: () => wallMs, monotonic: () => monotonicMs }
    const a = make('clock', clock)
    await a.take()
    wallMs += 60_000
    expect(a).toMatchObject({ sure: false, over: false })
    expect(await a.renew()).toBe(true)
    expect(a.sure).toBe(true)
    monotonicMs += 60_000
    expect(a).toMatchObject({ sure: false, over: true })
    await a.release()
  })
})
