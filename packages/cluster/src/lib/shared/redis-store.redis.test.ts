import { systemClock, VirtualClock, type Clock } from '@botwright/clock'
import type { Log, StateStore } from '@botwright/framework/cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { keysOf } from '../redis/keys.ts'
import { describeWithRedis, type RedisRig, startRedis } from '../redis-rig.test.fixture.ts'
import { RedisStore, type RedisStoreOptions } from './redis-store.ts'
import { RedisTime } from '../redis/redis-time.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/redis' } as const

// The suites of the port are in the package that owns it, and are not published: there is no name to import them by.
type Suite = (name: string, make: (clock: VirtualClock) => StateStore) => void
const suite = async (file: string) =>
  (await import(new URL(`../../../../framework/src/${file}.test.fixture.ts`, import.meta.url).href)) as unknown
const { storeSuite } = (await suite('runtime/state/store-suite')) as { storeSuite: Suite }
const { dueRowsSuite } = (await suite('features/due-rows/due-row-runner-suite')) as { dueRowsSuite: Suite }

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
let bots = 0

describeWithRedis('the state on Redis', () => {
  let redis: RedisRig
  let link: RedisLink
  const open = (rig: RedisRig, more = {}) =>
    RedisLink.open({ url: rig.url, log, clock: systemClock, name: 'state', ...more })
  beforeAll(async () => {
    redis = await startRedis()
    link = await open(redis)
  })
  afterAll(async () => {
    await link.close()
    await redis[Symbol.asyncDispose]()
  })
  const newKeys = () => keysOf('http://127.0.0.1:1/v1', `bot ${++bots}`)
  const storeOf = (clock: Clock, more: Partial<RedisStoreOptions> = {}) =>
    new RedisStore({ link, keys: newKeys(), clock, ...more })

  storeSuite('the store on Redis', (clock) => storeOf(clock))
  dueRowsSuite('due rows on Redis', (clock) => storeOf(clock))

  test('is one for all instances, and another for each bot', async () => {
    await using other = await open(redis)
    const keys = newKeys()
    const [here, there] = [storeOf(systemClock, { keys }), storeOf(systemClock, { keys, link: other })]
    await here.set('k', { a: 1 })
    const { version } = (await there.get('k'))!
    const won = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? here : there).set('k', i, { expected: version })),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    expect((await here.get('k'))?.value).toBe(won.indexOf(true))
    const another = storeOf(systemClock)
    expect(await another.list('')).toEqual([])
    expect(await another.set('k', 2, { expected: 0 })).toBe(true)
  })

  test('many values are listed whole, in order, over pages of any size', slow, async () => {
    const store = storeOf(systemClock)
    const keys = Array.from({ length: 450 }, (_, i) => `k:${String(i).padStart(3, '0')}`)
    await Promise.all(keys.map((key) => store.set(key, key)))
    expect((await store.list('k:')).map(({ key }) => key)).toEqual(keys)
    expect((await store.list('', { after: 'k:100', limit: 300 })).map(({ key }) => key)).toEqual(keys.slice(101, 401))
    const large = 'x'.repeat(3_000_000)
    for (let i = 0; i < 4; i++) await store.set(`large:${i}`, large)
    expect(await store.list('large:')).toHaveLength(4)
  })

  test('an instance whose lease is over writes nothing', async () => {
    const keys = newKeys()
    const fence: { key?: string } = { key: keys.member(7) }
    const store = storeOf(systemClock, { keys, fence: () => fence.key })
    await link.redis.set(keys.member(7), 'here')
    expect(await store.set('k', 1)).toBe(true)
    const { version } = (await store.get('k'))!
    await link.redis.del(keys.member(7))
    const refused = {
      code: 'ERR_FENCED',
      message: expect.stringMatching(/"k": this instance was disconnected .* nothing was written/),
    }
    await expect(store.set('k', 2)).rejects.toMatchObject(refused)
    await expect(store.set('k', 2, { expected: version })).rejects.toMatchObject(refused)
    await expect(store.delete('k')).rejects.toMatchObject(refused)
    // Another number's lease is not its own.
    await link.redis.set(keys.member(8), 'another')
    await expect(store.set('k', 2)).rejects.toMatchObject(refused)
    delete fence.key
    await expect(store.set('k', 2)).rejects.toMatchObject(refused)
    expect(await store.get('k')).toMatchObject({ value: 1, version })
    fence.key = keys.member(8)
    expect(await store.set('k', 2, { expected: version })).toBe(true)
  })

  test('expired values are removed by later writes, and by Redis itself', async () => {
    const clock = new VirtualClock()
    const keys = newKeys()
    const store = storeOf(clock, { keys })
    for (let i = 0; i < 50; i++) await store.set(`k${i}`, i, { expiresAtMs: clock.now() + 1000 })
    expect(await link.redis.pttl(`${keys.state.value}k0`)).toBeGreaterThan(1000)
    // Longer than it was meant to be kept, for clocks that differ, but not for ever.
    expect(await link.redis.pttl(`${keys.state.value}k0`)).toBeLessThan(120_000)
    await clock.advance(1000)
    for (let i = 0; i < 3; i++) await store.set('other', i)
    // The marks of the last writes expire, too.
    const names = async () =>
      (await link.redis.keys(`${keys.prefix}*`)).filter((name) => !name.startsWith(keys.state.written)).sort()
    const [mark] = await link.redis.keys(`${keys.state.written}*`)
    expect(await link.redis.pttl(mark!)).toBeGreaterThan(0)
    expect(await names()).toEqual([`${keys.state.value}other`, keys.state.names, keys.state.versions].sort())
    expect(await link.redis.zcard(keys.state.names)).toBe(1)
    await store.delete('other')
    expect(await names()).toEqual([keys.state.versions])
  })

  test('a time is the same for instances whose clocks differ', async () => {
    const keys = newKeys()
    const ahead: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 }
    const time = new RedisTime(link, ahead)
    await time.measure()
    expect(Math.abs(time.offsetMs + 3_600_000)).toBeLessThan(1000)
    const [here, there] = [storeOf(systemClock, { keys }), storeOf(time.clock, { keys })]
    const expiresAtMs = time.clock.now() + 60_000
    await there.set('k', 1, { expiresAtMs })
    expect(await there.get('k')).toEqual({ value: 1, version: 1, expiresAtMs })
    expect((await here.get('k'))!.expiresAtMs! - Date.now()).toBeLessThanOrEqual(61_000)
    await here.set('short', 1, { expiresAtMs: Date.now() + 30_000 })
    expect(await there.get('short')).toMatchObject({ value: 1 })
    // In step, nothing is added.
    const equal = new RedisTime(link, systemClock)
    await equal.measure()
    expect(equal.offsetMs).toBe(0)
  })

  test('the shared time is measured again at once when the clock of the host is set', async () => {
    let aheadMs = -3_600_000
    const time = new RedisTime(link, { ...systemClock, now: () => Date.now() + aheadMs })
    await time.measure()
    for (aheadMs of [0, 7_200_000]) {
      // Noticed by the first look at the clock; its answer is there before that of the next command.
      void time.clock.now()
      await link.redis.time()
      expect(Math.abs(time.clock.now() - Date.now())).toBeLessThan(1000)
    }
  })

  test(
    'while Redis is away every call fails within its time, and afterwards everything is there',
    { tags: 'all/redis' },
    async () => {
      await using rig = await startRedis()
      await using own = await open(rig, { answerMs: 300 })
      const store = storeOf(systemClock, { link: own, waitMs: 100 })
      await store.set('k', 'kept')
      rig.freeze()
      // Its connection is still open: only the missing replies show it.
      await expect(store.set('k', 'lost?')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringMatching(
          /^redis:\S+: it does not respond; .*; it is unknown whether the write took effect$/,
        ),
      })
      await expect(store.get('k')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringMatching(/Redis is unavailable; state cannot be read or written/),
      })
      rig.thaw()
      await rig.kill()
      for (const run of [() => store.get('k'), () => store.set('k', 1), () => store.delete('k'), () => store.list('')])
        await expect(run()).rejects.toMatchObject({ code: 'ERR_STATE' })
      await rig.start()
      expect(await own.there(60_000)).toBe(true)
      expect(['kept', 'lost?']).toContain((await store.get('k'))?.value)
      expect(await store.set('k', 'again')).toBe(true)
    },
  )

  test('a read whose connection ends is asked again', async () => {
    await using own = await open(redis)
    const store = storeOf(systemClock, { link: own })
    await store.set('k', 1)
    const cut = own.redis.client('LIST').then((list) => /id=(\d+) .*name=state /.exec(String(list)))
    expect(await cut).not.toBeNull()
    const reading = store.get('k')
    own.redis.disconnect(true)
    expect((await reading)?.value).toBe(1)
  })

  test('a write whose answer was lost is asked again, and done once', async () => {
    await using rig = await startRedis()
    await using own = await open(rig, { answerMs: 200 })
    const store = storeOf(systemClock, { link: own })
    await store.set('k', 1)
    const { version } = (await store.get('k'))!
    rig.freeze()
    const writing = [store.set('k', 2, { expected: version }), store.delete('other', { expected: 7 })]
    await expect.poll(() => own.awaySinceMs).toBeDefined()
    rig.thaw()
    expect(await Promise.all(writing)).toEqual([true, false])
    expect(await store.get('k')).toEqual({ value: 2, version: version + 1 })
    expect(await store.delete('k', { expected: version + 1 })).toBe(true)
  })

  test('writes of a life that is over are not done in the next one', async () => {
    await using rig = await startRedis()
    await using own = await open(rig)
    const keys = newKeys()
    await own.redis.mset(keys.member(1), 'here', keys.member(2), 'here')
    let life = 1
    const store = storeOf(systemClock, { link: own, keys, fence: () => keys.member(life) })
    await own.redis.del(keys.member(1))
    await rig.stop()
    const writing = store.set('k', 'late')
    life = 2
    await rig.start()
    await expect(writing).rejects.toMatchObject({ code: 'ERR_FENCED' })
  })

  test('reports a full memory and a damaged value, without the value', async () => {
    await using rig = await startRedis()
    await using own = await open(rig)
    const keys = newKeys()
    const store = storeOf(systemClock, { link: own, keys })
    await store.set('k', 1)
    await own.redis.set(`${keys.state.value}bad`, 'no value')
    await expect(store.get('bad')).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringMatching(/"bad" is damaged and cannot be read/),
    })
    await own.redis.config('SET', 'maxmemory', '1')
    const full = await store.set('k', 'canary value').catch((error: unknown) => error as Error & { cause: unknown })
    expect(full).toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringMatching(/its memory is full \(maxmemory\)/),
    })
    expect(JSON.stringify([(full as Error).message, (full as { cause?: unknown }).cause])).not.toContain('canary')
  })
})
