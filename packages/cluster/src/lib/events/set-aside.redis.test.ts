import { systemClock as clock, VirtualClock } from '@botwright/clock'
import type { BotEvent } from '@botwright/framework/cluster'
import { expect } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { keysOf } from '../redis/keys.ts'
import { agreeOnLayout } from './layout.ts'
import { describeWithRedis, startRedis, testWithRedis as test } from '../redis-rig.test.fixture.ts'
import { listSetAside, replay, setAside } from './set-aside.ts'

const aside = (place: Parameters<typeof setAside>[0], event: BotEvent, atMs: number) =>
  setAside(place, { event, reason: 'why' }, new VirtualClock(atMs), new AbortController().signal)

const log = { debug() {}, info() {}, warn() {}, error() {} }

describeWithRedis('the events that are set aside', () => {
  test('keep their place when a new event with the same id is set aside, and a replay of the id runs both', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock, name: 'aside' })
    const place = { link, keys: keysOf('http://chat.test', 'bot') }
    await agreeOnLayout(place)
    const event = (id: number, text: string) => ({ id, type: 'message', data: { text }, created_at: '' })
    await aside(place, { ...event(900, 'new'), era: 1 }, 2)
    await aside(place, event(900, 'old'), 1)
    await aside(place, event(901, 'other'), 1)
    const texts = async () => (await listSetAside(place)).map((one) => one.event.data['text'])
    expect(await texts()).toEqual(['old', 'other', 'new'])
    expect(await replay(place, [900])).toEqual([900, 900])
    expect(await texts()).toEqual(['other'])
  })
  test('are read in pages, however many there are', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock, name: 'aside' })
    const place = { link, keys: keysOf('http://chat.test', 'bot') }
    await agreeOnLayout(place)
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1)
    const event = (id: number) => ({ id, type: 'message', data: { text: 'x'.repeat(1000) }, created_at: '' })
    await Promise.all(ids.map((id) => aside(place, event(id), id)))
    const countOf = async (command: string) =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await link.redis.info('commandstats'))?.[1] ?? 0)
    const wholeHashes = await countOf('hgetall')
    expect((await listSetAside(place)).map((one) => one.event.id)).toEqual(ids)
    expect([await countOf('hgetall'), (await countOf('hscan')) > 5]).toEqual([wholeHashes, true])
  })
})
