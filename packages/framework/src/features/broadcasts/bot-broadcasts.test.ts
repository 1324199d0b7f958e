import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { Broadcaster } from './broadcaster.ts'
import { BotBroadcasts } from './bot-broadcasts.ts'

const job = { channels: ['a', 'b'], message: { content: 'x' }, at: 1, sending: false, sent: [], failed: [] }
const nothing = () => undefined
const turns = () => new Promise((resolve) => setImmediate(resolve))

function rig() {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const failing: { error?: Error | undefined } = {}
  const [posted, errors, loading]: [string[], string[], Promise<unknown>[]] = [[], [], []]
  const call = (async (_name: string, { channel_id }: { channel_id: string }) => {
    posted.push(channel_id)
    return { id: channel_id }
  }) as unknown as Call
  const log = { debug: nothing, info: nothing, warn: nothing, error: (_: object, text: string) => errors.push(text) }
  const broadcasts = new BotBroadcasts({
    ...{ store, log },
    open: async () => {
      if (failing.error) throw failing.error
      return new Broadcaster({ call, store, clock, log })
    },
    loading: (loaded) => loading.push(loaded),
  })
  return { broadcasts, clock, store, posted, errors, loading, failing }
}

test('a bot without broadcasts loads no code of them', async () => {
  const { broadcasts, loading } = rig()
  await broadcasts.resume()
  broadcasts.abandon()
  await broadcasts.close()
  await broadcasts.resume()
  expect(loading).toEqual([])
})

test('an unfinished broadcast loads the code, once', async () => {
  const { broadcasts, store, posted, loading } = rig()
  await store.set('broadcast:news', job)
  await broadcasts.resume()
  expect(await broadcasts.next('news', Infinity)).toMatchObject({ state: 'done', done: 2 })
  await broadcasts.resume()
  expect([posted, loading.length]).toEqual([['b'], 1])
})

test('broadcasts that cannot be read at the start continue later', async () => {
  const { broadcasts, clock, store, posted, errors } = rig()
  await store.set('broadcast:news', job)
  const { list } = store
  store.list = () => Promise.reject(new Error('disk full'))
  await broadcasts.resume()
  store.list = list
  await clock.advance(5000)
  await turns()
  expect(errors).toEqual(['unfinished broadcasts could not be read: disk full; trying again'])
  expect(posted).toEqual(['b'])
})

test('a bot that stops while the code loads sends the first message after its next start', async () => {
  const { broadcasts, store, posted } = rig()
  const started = broadcasts.start('news', { channels: ['a', 'b'], message: { content: 'x' } })
  await broadcasts.close()
  expect(await started).toMatchObject({ state: 'running', done: 0 })
  await turns()
  expect(posted).toEqual([])
  expect((await store.list('broadcast:')).map(({ key }) => key)).toEqual(['broadcast:news'])
})

test('code that cannot be loaded is reported, is loaded again, and does not keep the bot from closing', async () => {
  const { broadcasts, store, errors, failing, posted } = rig()
  failing.error = new Error('the package was replaced')
  await store.set('broadcast:news', job)
  await broadcasts.resume()
  expect(errors).toEqual(['the code of unfinished broadcasts could not be loaded: the package was replaced'])
  const started = broadcasts.start('more', { channels: ['c'], message: { content: 'x' } })
  const closed = rig()
  closed.failing.error = failing.error
  const refused = closed.broadcasts.start('more', { channels: ['c'], message: { content: 'x' } })
  await Promise.all([
    expect(started).rejects.toThrow('replaced'),
    expect(refused).rejects.toThrow('replaced'),
    closed.broadcasts.close(),
  ])
  failing.error = undefined
  expect(await broadcasts.next('news', Infinity)).toMatchObject({ state: 'done', done: 2 })
  expect(posted).toEqual(['b'])
})
