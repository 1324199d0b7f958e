import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { Broadcaster } from './broadcaster.ts'

// A process has started, and an event asks for a broadcast of the former one, which is not resumed yet.

const channels = ['a', 'b', 'c']

async function start({ stored = true } = {}) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const job = { channels, message: { content: 'x' }, at: 1, sending: false, failed: [] }
  if (stored) await store.set('broadcast:news', { ...job, sent: [{ channel_id: 'a', message_id: '1' }] })
  const sent: string[] = []
  const call = (async (_name: string, { channel_id }: { channel_id: string }) => {
    sent.push(channel_id)
    return { id: channel_id }
  }) as unknown as Call
  const nothing = () => undefined
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  return { broadcasts: new Broadcaster({ call, store, clock, log }), sent, store }
}

test('a handler that waits for its end gets the end', async () => {
  const { broadcasts, sent } = await start()
  expect(await broadcasts.next('news', Infinity)).toMatchObject({ state: 'done', done: 3 })
  await broadcasts.resume()
  expect(sent).toEqual(['b', 'c'])
})

test('a handler that cancels it ends it', async () => {
  const { broadcasts, sent } = await start()
  expect(await broadcasts.cancel('news')).toMatchObject({ state: 'cancelled', done: 1 })
  await broadcasts.resume()
  expect(sent).toEqual([])
})

const input = { channels, message: { content: 'x' } }
const turns = () => new Promise((resolve) => setImmediate(resolve))

test('one whose first write has no response yet is not begun a second time', async () => {
  const { broadcasts, sent, store } = await start({ stored: false })
  const { set } = store
  let respond = () => {}
  const response = new Promise<void>((resolve) => (respond = resolve))
  store.set = async (...given) => {
    store.set = set
    const done = await set.apply(store, given)
    await response
    return done
  }
  const started = broadcasts.start('news', input)
  await turns()
  const resumed = broadcasts.resume()
  await turns()
  respond()
  await Promise.all([started, resumed])
  await broadcasts.next('news', Infinity)
  await turns()
  expect(sent).toEqual(channels)
})

test('one that ends while the list of unfinished ones is on its way is sent once', async () => {
  const { broadcasts, sent, store } = await start({ stored: false })
  await broadcasts.start('news', input)
  const list = store.list('broadcast:')
  await broadcasts.next('news', Infinity)
  await broadcasts.resume(list)
  await turns()
  expect(sent).toEqual(channels)
})
