import type { VirtualClock } from '@botwright/clock'
import type { StateStore } from '@botwright/framework/cluster'
import { httpRedisStore } from '@botwright/framework/functions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RestRig, startRest } from '../redis-rest.test.fixture.ts'
import { describeWithRedis, type RedisRig, startRedis } from '../redis-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/redis' } as const

// The suites of the port are in the package that owns it, and are not published: there is no name to import them by.
type Suite = (name: string, make: (clock: VirtualClock) => StateStore) => void
const suite = async (file: string) =>
  (await import(new URL(`../../../../framework/src/${file}.test.fixture.ts`, import.meta.url).href)) as unknown
const { storeSuite } = (await suite('runtime/state/store-suite')) as { storeSuite: Suite }
const { dueRowsSuite } = (await suite('features/due-rows/due-row-runner-suite')) as { dueRowsSuite: Suite }

describeWithRedis('the state on Redis over HTTP', () => {
  let redis: RedisRig
  let rest: RestRig
  let bots = 0
  const storeOf = (more: Partial<Parameters<typeof httpRedisStore>[0]> = {}) =>
    httpRedisStore({ url: rest.url, token: rest.token, prefix: `bot ${++bots}`, ...more })

  beforeAll(async () => {
    redis = await startRedis()
    rest = await startRest(redis)
  })
  afterAll(async () => {
    await rest[Symbol.asyncDispose]()
    await redis[Symbol.asyncDispose]()
  })

  storeSuite('the store over HTTP', (clock) => storeOf({ clock }))
  dueRowsSuite('due rows over HTTP', (clock) => storeOf({ clock }))

  test('of many writers at the same time, one is first', slow, async () => {
    const prefix = `bot ${++bots}`
    const all = Array.from({ length: 20 }, () => storeOf({ prefix }))
    const won = await Promise.all(all.map((store, i) => store.set('k', i, { expected: 0 })))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect((await all[0]!.get('k'))?.value).toBe(won.indexOf(true))
  })

  test('a write whose response was lost is done once', slow, async () => {
    const store = storeOf()
    rest.lose(1)
    expect(await store.set('k', 1, { expected: 0 })).toBe(true)
    rest.lose(2)
    await expect(store.set('k', 2)).rejects.toMatchObject({ code: 'ERR_STATE' })
    rest.lose(0)
    expect(await store.get('k')).toMatchObject({ value: 2 })
  })

  test('a wrong token, an invalid URL and a host that is down are errors with the reason', slow, async () => {
    await expect(storeOf({ token: 'another' }).get('k')).rejects.toThrow('Redis over HTTP: HTTP 401: WRONGPASS')
    await expect(storeOf({ url: 'http://127.0.0.1:9' }).get('k')).rejects.toMatchObject({ code: 'ERR_STATE' })
    expect(() => storeOf({ url: 'redis://host' })).toThrow(/url is not an http or https URL/)
  })
})
