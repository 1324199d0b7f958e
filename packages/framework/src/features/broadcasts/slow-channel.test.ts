import { VirtualClock } from '@botwright/clock'
import { type Call, ServiceError } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { BroadcastJob } from './broadcast-job.ts'
import { Broadcaster } from './broadcaster.ts'

// Broadcasts to channels for some of which the service asks to wait.

const none = () => {}
const log = { debug: none, info: none, warn: none, error: none }
const turns = async () => {
  for (let i = 0; i < 200; i++) await Promise.resolve()
}

/** A service on which `slow` channels refuse messages until their time. */
function rig(slow: Record<string, number>, status = 429) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const posted: string[] = []
  let attempts = 0
  const call = (async (
    _: string,
    { channel_id }: { channel_id: string },
    options: { leaving: () => Promise<void> },
  ) => {
    await options.leaving()
    attempts++
    const leftMs = (slow[channel_id] ?? 0) - clock.monotonic()
    if (leftMs > 0)
      throw new ServiceError('ERR_RATE_LIMITED', 'slow', {
        status,
        endpoint: 'messages.create',
        retryAfterSeconds: leftMs / 1000,
      })
    posted.push(channel_id)
    return { id: `of ${channel_id}` }
  }) as unknown as Call
  const start = () => new Broadcaster({ call, store, clock, log })
  const job = async () => (await store.get('broadcast:x'))!.value as BroadcastJob
  return { clock, store, posted, start, job, attempts: () => attempts }
}

test('channels after a slow one go on; it follows when its time has come, and each gets the message once', async () => {
  const { clock, posted, start, job, attempts } = rig({ b: 60_000, d: 30_000 })
  const broadcasts = start()
  await broadcasts.start('x', { channels: ['a', 'b', 'c', 'd', 'e'], message: { content: 'news' } })
  await turns()
  expect(posted).toEqual(['a', 'c', 'e'])
  expect(await broadcasts.next('x', 0)).toMatchObject({ done: 3, total: 5, state: 'running' })
  await clock.advance(30_000)
  await turns()
  await clock.advance(30_000)
  await turns()
  expect([posted, attempts()]).toEqual([['a', 'c', 'e', 'd', 'b'], 7])
  const { sent, ended } = await job()
  expect([sent.map(({ channel_id }) => channel_id), ended]).toEqual([posted, 'done'])
})

test('many channels in quiet hours, for which no request is sent, do not delay the one after them', async () => {
  const quiet = Array.from({ length: 20 }, (_, n) => `quiet ${n}`)
  const { posted, start } = rig(Object.fromEntries(quiet.map((channel) => [channel, 60_000])), 0)
  await start().start('x', { channels: [...quiet, 'awake'], message: { content: 'news' } })
  for (let n = 0; n < 10; n++) await turns()
  expect(posted).toEqual(['awake'])
})

test('after a restart a broadcast goes on with the channels that waited', async () => {
  const { clock, posted, start, job } = rig({ a: 60_000 })
  const first = start()
  await first.start('x', { channels: ['a', 'b', 'c'], message: { content: 'news' } })
  await turns()
  await first.close()
  expect(await job()).toMatchObject({ at: 2, sending: false, channels: ['b', 'c', 'a'] })
  await start().resume()
  await turns()
  await clock.advance(60_000)
  await turns()
  expect([posted, (await job()).ended]).toEqual([['b', 'c', 'a'], 'done'])
})

test('after a restart a broadcast goes on although the store cannot be read at first', async () => {
  const { clock, posted, start, store } = rig({ a: 60_000 })
  const first = start()
  await first.start('x', { channels: ['a', 'b'], message: { content: 'news' } })
  await turns()
  await first.close()
  const { list } = store
  store.list = () => Promise.reject(new Error('disk I/O error'))
  // In a cluster, the takeover of other work goes on meanwhile.
  await start().resume()
  await clock.advance(60_000)
  store.list = list
  await clock.advance(5000)
  await turns()
  expect(posted).toEqual(['b', 'a'])
})

test('after a restart a broadcast goes on although another one cannot', async () => {
  const { clock, posted, start, store } = rig({ a: 60_000 })
  await store.set('broadcast:damaged', null)
  const first = start()
  await first.start('x', { channels: ['a', 'b'], message: { content: 'news' } })
  await turns()
  await first.close()
  await start().resume()
  await clock.advance(60_000)
  await turns()
  expect(posted).toEqual(['b', 'a'])
})

test('a limit of the whole bot does not lead to one request after another', async () => {
  const channels = Array.from({ length: 100 }, (_, i) => `c${i}`)
  const { clock, posted, start, attempts } = rig(Object.fromEntries(channels.map((channel) => [channel, 60_000])))
  await start().start('x', { channels, message: { content: 'news' } })
  for (let second = 0; second < 30; second++) {
    await turns()
    await clock.advance(1000)
  }
  expect(attempts()).toBeLessThanOrEqual(12)
  for (let second = 0; second < 60; second++) {
    await turns()
    await clock.advance(1000)
  }
  await turns()
  expect(new Set(posted).size).toBe(100)
})

test('a broadcast that waits for slow channels can be cancelled', async () => {
  const { posted, start } = rig({ b: 60_000 })
  const broadcasts = start()
  await broadcasts.start('x', { channels: ['a', 'b'], message: { content: 'news' } })
  await turns()
  expect(await broadcasts.cancel('x')).toMatchObject({ done: 1, state: 'cancelled' })
  expect(posted).toEqual(['a'])
})

test('a broadcast with an id of its author is sent once, also if it is requested again days later', async () => {
  const { clock, posted, start } = rig({})
  const input = { channels: ['a', 'b'], message: { content: 'news' }, isNamed: true } as const
  await start().start('release 2.0', input)
  await turns()
  await clock.advance(3 * 24 * 60 * 60_000)
  expect(await start().start('release 2.0', input)).toMatchObject({ done: 2, state: 'done' })
  await turns()
  expect(posted).toEqual(['a', 'b'])
})

test('a broadcast waits while too many messages wait for the budget', async () => {
  const { clock, store, posted, job } = rig({})
  let isFull = true
  const call = (async (_: string, { channel_id }: { channel_id: string }) => {
    if (isFull) throw new ServiceError('ERR_QUEUE_FULL', 'full', { status: 0, endpoint: 'messages.create' })
    posted.push(channel_id)
    return { id: `of ${channel_id}` }
  }) as unknown as Call
  await new Broadcaster({ call, store, clock, log }).start('x', { channels: ['a', 'b'], message: { content: 'news' } })
  await turns()
  isFull = false
  await clock.advance(5000)
  await turns()
  expect([posted, (await job()).failed]).toEqual([['a', 'b'], []])
})

test('many broadcasts may wait for a store that fails, without a warning of a leak', async () => {
  const { clock, posted, start, store } = rig({})
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  const broadcasts = start()
  const set = store.set.bind(store)
  store.set = (...given) => ((given[1] as BroadcastJob).sending ? Promise.reject(new Error('away')) : set(...given))
  const names = Array.from({ length: 20 }, (_, n) => `${n}`)
  for (const name of names) await broadcasts.start(name, { channels: [name], message: { content: 'news' } })
  await turns()
  await new Promise((resolve) => setImmediate(resolve))
  store.set = set
  for (let n = 0; n < 20; n++) {
    await clock.advance(5000)
    await turns()
  }
  process.off('warning', warned)
  expect(posted.toSorted()).toEqual(names.toSorted())
  expect(warnings).toEqual([])
})

test('progress that could not be stored is forgotten once another instance continues', async () => {
  const { clock, store, start, job } = rig({})
  const broadcasts = start()
  const set = store.set.bind(store)
  let refused = 0
  store.set = async (...given) => {
    if ((given[1] as BroadcastJob).sent.length === 0) return set(...given)
    refused++
    throw new Error('Redis is full')
  }
  await broadcasts.start('x', { channels: ['a', 'b'], message: { content: 'news' } })
  await turns()
  expect(refused).toBe(1)
  broadcasts.abandon()
  store.set = set
  const sent = ['a', 'b'].map((channel_id) => ({ channel_id, message_id: `of ${channel_id}` }))
  const ended: BroadcastJob = { ...(await job()), at: 2, sending: false, sent, ended: 'done' }
  await store.set('broadcast:x', ended)
  await clock.advance(60_000)
  await turns()
  expect(await job()).toEqual(ended)
})
