import { VirtualClock } from '@botwright/clock'
import { type Delivery, systemClock } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { Forwards } from './forwards.ts'
import { keysOf } from '../redis/keys.ts'
import { message, until } from '../instances.test.fixture.ts'
import { describeWithRedis, startRedis } from '../redis-rig.test.fixture.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const keys = keysOf('http://chat.test', 'forwards')
const work = (id: number) => ({ event: message(id), attempt: 1, pardons: 0, asked: false })
const key = 'text:general:ann'

describeWithRedis('events for handlers that wait on another instance', () => {
  test('an instance detects that the one it asked has died, and ignores replies to its former id', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const clock = new VirtualClock()
    const ran: number[] = []
    const instance = async (me: () => string) => {
      const run = ({ event: { id } }: Delivery) => (ran.push(id), new Promise<void>(() => {}))
      const forwards = new Forwards({ link, keys, clock, me, run, resumes: () => true })
      await forwards.open()
      await forwards.begin()
      return forwards
    }
    await link.redis.set(keys.member(2), 'b.2')
    const other = await instance(() => 'b.2')
    other.waits(key, true)
    await other.told
    let me = 'a.1'
    const asks = await instance(() => me)
    const heard: unknown[] = []
    const ask = async (id: number) => {
      void asks.send(work(id)).then((how) => heard.push(how))
      await until(() => ran.includes(id))
    }
    const pass = () => clock.advance(1000, async () => void (await link.redis.ping()))

    await ask(1)
    await link.redis.del(keys.member(2))
    await pass()
    expect(heard).toEqual(['lost'])

    await link.redis.set(keys.member(2), 'b.2')
    await ask(2)
    me = 'a.3'
    await asks.begin()
    await link.redis.del(keys.member(2))
    await pass()
    expect(heard).toEqual(['lost'])
    // It no longer asks, either: another instance would run the event on its behalf.
    expect(clock.waiting).toBe(0)
    for (const forwards of [asks, other]) forwards.close()
  })

  test('events of other instances that ran when the lease ended no longer count', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const clock = new VirtualClock()
    let mine = 'b.2'
    const never = () => new Promise<void>(() => {})
    const open = async (me: () => string) => {
      const forwards = new Forwards({ link, keys, clock, me, run: never, resumes: () => true })
      await forwards.open()
      await forwards.begin()
      return forwards
    }
    const [asks, other] = [await open(() => 'a.1'), await open(() => mine)]
    await link.redis.set(keys.member(2), mine)
    other.waits(key, true)
    await other.told
    await until(async () => (void asks.send(work(1)), other.running > 0))
    mine = 'b.3'
    await other.begin()
    expect(other.running).toBe(0)
    for (const forwards of [asks, other]) forwards.close()
  })

  test('a handler that began to wait while no message could be received gets its answer', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const ran: number[] = []
    const run = ({ event: { id } }: Delivery) => void ran.push(id)
    const open = async (me: string) => {
      const forwards = new Forwards({ link, keys, clock: systemClock, me: () => me, run, resumes: () => true })
      await forwards.open()
      await forwards.begin()
      return forwards
    }
    const [asks, other] = [await open('a.1'), await open('b.2')]
    await link.redis.set(keys.member(2), 'b.2')
    void link.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    other.waits(key, true)
    await other.told
    await until(async () => (void asks.send(work(1)), ran.includes(1)))
    for (const forwards of [asks, other]) forwards.close()
  })

  test('waiting handlers are stored again after Redis has refused to', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const clock = new VirtualClock()
    const instance = async (me: string) => {
      const forwards = new Forwards({ link, keys, clock, me: () => me, run: () => {}, resumes: () => true })
      await forwards.open()
      await forwards.begin()
      return forwards
    }
    const [one, other] = [await instance('a.1'), await instance('b.2')]
    await link.redis.config('SET', 'maxmemory', '1')
    one.waits(key, true)
    one.waits('text:random:bob', true)
    one.waits('text:random:bob', false)
    await one.told
    await link.redis.config('SET', 'maxmemory', '0')
    expect(await link.redis.hgetall(keys.waits)).toEqual({})
    await clock.advance(1000)
    await one.told
    expect(await link.redis.hgetall(keys.waits)).toEqual({ [key]: 'a.1' })
    expect(clock.waiting).toBe(0)
    for (const forwards of [one, other]) forwards.close()
  })

  test('the results of changes are not kept', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const clock = new VirtualClock()
    const forwards = new Forwards({ link, keys, clock, me: () => 'a.1', run: () => {}, resumes: () => true })
    for (const on of [true, false, true, false]) forwards.waits(key, on)
    expect(await forwards.told).toBeUndefined()
    forwards.close()
  })

  test('waiting handlers are published again when Redis is back', async () => {
    await using redis = await startRedis()
    await using link = await RedisLink.open({ url: redis.url, log, clock: systemClock, name: 'test' })
    const forwards = new Forwards({
      link,
      keys,
      clock: new VirtualClock(),
      me: () => 'b.2',
      run: () => {},
      resumes: () => true,
    })
    await forwards.open()
    forwards.waits(key, true)
    await forwards.told
    await redis.stop()
    await until(() => link.awaySinceMs)
    forwards.waits(key, false)
    forwards.waits('text:random:bob', true)
    await forwards.told
    await redis.start()
    await until(
      async () => JSON.stringify(await link.redis.hgetall(keys.waits).catch(() => '')) === '{"text:random:bob":"b.2"}',
    )
    forwards.close()
  })
})
