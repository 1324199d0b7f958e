import { join } from 'node:path'
import { AdvanceableClock, systemClock, VirtualClock } from '@botwright/clock'
import { type Call, createCall } from '@botwright/rest'
import { expect, test } from 'vitest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { BroadcastJob } from './broadcast-job.ts'
import { Broadcaster } from './broadcaster.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const channels = ['general', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9']
const texts = async (rig: ChatRig, content: string): Promise<number[]> =>
  Promise.all(channels.map(async (name) => (await rig.texts(name)).filter((text) => text === content).length))

const news = (ids: readonly string[]) => `
  export default async (ctx) => {
    const broadcast = await ctx.broadcast(${JSON.stringify(ids)}, { content: ctx.typed }, { id: ctx.typed })
    await ctx.reply(JSON.stringify(await broadcast.done()))
  }`

test('a broadcast posts once to each channel, reports failed channels, and is sent once per id', async () => {
  await using rig = await ChatRig.start()
  const ids = channels.map((name) => rig.channel(name))
  const nowhere = '0194f3a0-1234-7abc-8def-0123456789ab'
  await rig.startBot({ 'commands/news.ts': news([...ids, nowhere, ids[0]!]) })
  for (let i = 1; i <= 2; i++) {
    await rig.says('ann', '/news Hello')
    await rig.until(async () => (await rig.texts()).filter((text) => text.startsWith('{')).length === i)
  }
  expect(await texts(rig, 'Hello')).toEqual(channels.map(() => 1))
  const [first, second] = (await rig.texts()).filter((text) => text.startsWith('{'))
  expect(second).toBe(first)
  const { total, done, state, sent, failed } = JSON.parse(first!) as Record<string, unknown> & { sent: object[] }
  expect({ total, done, state, sent: sent.length }).toEqual({ total: 12, done: 12, state: 'done', sent: 11 })
  expect(failed).toEqual([{ channel_id: nowhere, reason: expect.stringContaining('404') }])
})

test('a broadcast continues after a restart and after a reload', inAll, async () => {
  await using rig = await ChatRig.start()
  const ids = channels.map((name) => rig.channel(name))
  const files = {
    'commands/news.ts': `export default async (ctx) => { await ctx.broadcast(${JSON.stringify(ids)}, 'Hello') }`,
  }
  const clock = new AdvanceableClock(systemClock)
  const config = { messageBudget: { requests: 3, seconds: 60 } }
  const options = { clock, config, stateDir: join(rig.root, 'state') }
  const first = await rig.startBot(files, options)
  await rig.says('ann', '/news')
  await rig.until(async () => (await texts(rig, 'Hello')).includes(1))
  await first.replace(rig.source(files))
  await first.stop()
  const before = (await texts(rig, 'Hello')).reduce((sum, one) => sum + one)
  expect(before).toBeLessThan(channels.length)
  await rig.startBot(files, options)
  const isDone = () => rig.logged('info').some((line) => line.includes('done, 11 sent, 0 failed'))
  await rig.until(() => isDone() || (clock.advance(10_000), false))
  expect(await texts(rig, 'Hello')).toEqual(channels.map(() => 1))
  expect(rig.logged('info').filter((line) => line.includes('continues with'))).toHaveLength(1)
})

test('cancelling a broadcast drops the messages that wait for the message budget', inAll, async () => {
  await using rig = await ChatRig.start()
  const ids = channels.map((name) => rig.channel(name))
  const code = `export default async (ctx) => {
    const broadcast = await ctx.broadcast(${JSON.stringify(ids)}, 'Hello')
    for await (const { done } of broadcast.steps()) if (done === 2) break
    const { state, done } = await broadcast.cancel()
    ctx.log.info({}, state + ' at ' + done)
  }`
  const config = { messageBudget: { requests: 2, seconds: 60 } }
  await rig.startBot({ 'commands/news.ts': code }, { config })
  await rig.says('ann', '/news')
  await rig.until(() => rig.logged('info').includes('cancelled at 2'))
  expect((await texts(rig, 'Hello')).reduce((sum, one) => sum + one)).toBe(2)
})

test('reports a message that was in flight when the process died, and does not send it again', async () => {
  await using rig = await ChatRig.start()
  const [one, two] = [rig.channel('c0'), rig.channel('c1')]
  const store = new MemoryStore(systemClock)
  const job = { channels: [one, two], message: { content: 'Hello' }, at: 0, sending: true, sent: [], failed: [] }
  await store.set('broadcast:x', job)
  await using call = createCall({ baseUrl: rig.service.base_url, token })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const broadcasts = new Broadcaster({ call, store, clock: systemClock, log })
  await broadcasts.resume()
  await rig.until(async () => (await broadcasts.next('x', 1))?.state === 'done')
  expect(await broadcasts.next('x', 2)).toMatchObject({
    sent: [{ channel_id: two }],
    failed: [{ channel_id: one, reason: expect.stringContaining('may have arrived') }],
  })
  expect([await rig.texts('c0'), await rig.texts('c1')]).toEqual([[], ['Hello']])
})

test('sends a rate-limited message after a crash', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const options = { store, clock: systemClock, log }
  const path = `/v1/channels/${rig.channel('c0')}/messages`
  await rig.fault('POST', path, {
    then: { status: 429, headers: { 'retry-after': '60' }, body: { error: 'slow down' } },
  })
  await using first = createCall({ baseUrl: rig.service.base_url, token })
  await new Broadcaster({ ...options, call: first }).start('x', {
    channels: [rig.channel('c0')],
    message: { content: 'Hello' },
  })
  await rig.until(() => first.stats().rateLimited === 1)
  // A copy of the store, as it is when the process dies now.
  const copy = new MemoryStore(systemClock)
  await rig.until(async () => {
    const job = (await store.get('broadcast:x'))!.value
    return (await copy.set('broadcast:x', job)) && (job as { sending: boolean }).sending === false
  })
  await using second = createCall({ baseUrl: rig.service.base_url, token })
  const broadcasts = new Broadcaster({ ...options, store: copy, call: second })
  await broadcasts.resume()
  expect(await broadcasts.next('x', 0)).toMatchObject({ state: 'done', sent: [{}], failed: [] })
  expect(await rig.texts('c0')).toEqual(['Hello'])
})

test('a broadcast reaches every channel although the service is unreachable for a while', async () => {
  await using rig = await ChatRig.start()
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  await using unreachable = createCall({ baseUrl: 'http://127.0.0.1:9/v1', token, clock })
  await using reachable = createCall({ baseUrl: rig.service.base_url, token })
  let isDown = true
  const call = ((...args: Parameters<Call>) => (isDown ? unreachable : reachable)(...args)) as unknown as Call
  const broadcasts = new Broadcaster({ call, store, clock, log })
  const ids = [rig.channel('c0'), rig.channel('c1')]
  await broadcasts.start('x', { channels: ids, message: { content: 'Hello' } })
  const job = async () => (await store.get('broadcast:x'))!.value as BroadcastJob
  await rig.until(async () => (await clock.advance(500), unreachable.stats().requests > 10 && !(await job()).sending))
  expect(await job()).toMatchObject({ at: 0, sent: [], failed: [] })
  isDown = false
  await rig.until(async () => (await clock.advance(500), (await job()).ended === 'done'))
  expect([await rig.texts('c0'), await rig.texts('c1')]).toEqual([['Hello'], ['Hello']])
})

test('a handler sends a direct message, edits, deletes, purges and reads its budget', inAll, async () => {
  await using rig = await ChatRig.start()
  const code = `export default async (ctx) => {
    await ctx.dm(ctx.user.id, 'psst')
    const message = await ctx.send(ctx.channel_id, 'first')
    await ctx.edit(message, 'second')
    await ctx.delete(await ctx.send(ctx.channel_id, 'never mind'))
    const gone = await ctx.purge(ctx.channel_id, { last: 50, where: (one) => one.content === 'second' })
    const { used, limit, waiting, freeInMs } = await ctx.budget()
    return JSON.stringify({ gone: gone.deleted.length, used, limit, waiting, freeInMs })
  }`
  await rig.startBot({ 'commands/tidy.ts': code })
  await rig.says('ann', '/tidy')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('{')))
  expect(JSON.parse((await rig.texts())[1]!)).toEqual({ gone: 1, used: 3, limit: 30, waiting: 0, freeInMs: 0 })
})

test('a reply to a deleted message is sent without a reference', inAll, async () => {
  await using rig = await ChatRig.start()
  const late = `export default async (ctx) => {
    const { channel_id, id: message_id } = ctx.event
    while (await ctx.api.messages.get({ channel_id, message_id }).catch(() => undefined));
    return 'got ' + (await ctx.ask('Which?'))
  }`
  await rig.startBot({ 'commands/late.ts': late })
  const channel_id = rig.channel('general')
  const { id: message_id } = await rig.person('ann').messages.create({ channel_id, content: '/late' })
  await rig.person('ann').messages.delete({ channel_id, message_id })
  await rig.until(async () => (await rig.texts()).includes('Which?'))
  await rig.says('ann', 'this')
  await rig.until(async () => (await rig.texts()).includes('got this'))
  expect(rig.logged('error')).toEqual([])
})

test('a purge with an invalid count deletes nothing', inAll, async () => {
  await using rig = await ChatRig.start()
  const purge = 'export default (ctx) => ctx.purge(ctx.channel_id, { last: Number(ctx.typed) })'
  await rig.startBot({ 'commands/purge.ts': purge })
  await rig.says('ann', '/purge all')
  await rig.until(() => rig.logged('error').length === 1)
  expect(rig.logged('error')[0]).toContain('purge: last must be 0 or a positive number, not NaN')
  expect(await rig.texts()).toContain('/purge all')
})

test('a handler posts through a channel webhook, whose URL appears in no error', inAll, async () => {
  await using rig = await ChatRig.start()
  const { url } = await rig.person('ann').channelWebhooks.create({ channel_id: rig.channel('c0'), name: 'News desk' })
  const code = `
    import { channelWebhook } from ${JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)}
    const news = channelWebhook(${JSON.stringify(url)})
    export default async (ctx) => {
      const { id } = await news.postAndWait({ content: ctx.typed, username: 'Reporter' })
      await news.post('and more')
      return id === undefined ? 'no id' : (await news.get()).name
    }`
  await rig.startBot({ 'commands/news.ts': code })
  await rig.says('ann', '/news Hello')
  await rig.until(async () => (await rig.texts()).length === 2)
  expect((await rig.texts())[1]).toBe('News desk')
  expect(await rig.texts('c0')).toEqual(['Hello', 'and more'])
  await rig.says('ann', '/news ' + 'x'.repeat(1990))
  await rig.says('ann', '/news')
  await rig.until(() => rig.logged('error').length === 1)
  expect(JSON.stringify(rig.lines)).not.toContain(url.split('/').at(-1))
})
