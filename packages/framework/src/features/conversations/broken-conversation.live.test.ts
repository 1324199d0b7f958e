import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { click, id, message, start } from '../../tests/loaded-bot.test.fixture.ts'
import type { Log } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import {
  conversationKey,
  formerConversations,
  notifyLostConversations,
  storedConversations,
} from './lost-conversations.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

// Failures around a question, which must not affect other users and handlers.

const received = "export default (ctx) => ctx.send(ctx.channel_id, 'received ' + ctx.content)"
const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}
const clickOf = (user_id: string, custom_id: string): Delivery => {
  const { event } = click(custom_id)
  return { event: { ...event, data: { ...event.data, user_id } }, attempt: 1 }
}

test('a handler that waits for a word or a click ends with the first, and the other is handled as usual', async () => {
  const code = `export default async (ctx) => {
    const first = await Promise.race([ctx.ask('Word?'), ctx.clicked({ id: '${id(60)}' })])
    await ctx.send(ctx.channel_id, typeof first === 'string' ? first : 'clicked ' + first.params)
  }`
  const { bot, calls } = await start({ 'commands/either.ts': code, 'events/message.ts': received })
  void bot.handle(message({ command: 'either' }))
  await turns()
  await bot.handle(clickOf(id(40), '?x'))
  await turns()
  await bot.handle(message({ content: 'later' }))
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'clicked x', 'received later'])
})

test('a handler receives two answers that it waits for at once, and both queues continue', async () => {
  const code = `export default async (ctx) => {
    const [word, click] = await Promise.all([ctx.ask('Word?'), ctx.clicked({ id: '${id(60)}' })])
    await ctx.send(ctx.channel_id, word + ' ' + click.params)
    await ctx.ask('More?')
  }`
  const { bot, calls } = await start({ 'commands/both.ts': code })
  void bot.handle(message({ command: 'both' }))
  await turns()
  const clicked = bot.handle(clickOf(id(40), '?x'))
  await bot.handle(message({ content: 'tea' }))
  await clicked
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'tea x', 'More?'])
})

test('an unawaited question is an error and takes no messages', async () => {
  const rejected: unknown[] = []
  const note = (reason: unknown) => void rejected.push(reason)
  process.on('unhandledRejection', note)
  const code = "export default (ctx) => { ctx.ask('Word?') }"
  const { bot, calls } = await start({ 'commands/loose.ts': code, 'events/message.ts': received })
  await bot.handle(message({ command: 'loose' }))
  await turns()
  await bot.handle(message({ content: 'later' }))
  process.off('unhandledRejection', note)
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'received later'])
  expect(rejected).toEqual([expect.objectContaining({ code: 'ERR_INVALID_REQUEST' })])
})

test("a question that cannot be stored fails, and the user's next message is handled as usual", async () => {
  const store = new MemoryStore(new VirtualClock())
  store.set = () => Promise.reject(new Error('the disk is full'))
  const code = "export default (ctx) => ctx.ask('Word?')"
  const files = { 'commands/ask.ts': code, 'events/message.ts': received }
  const { bot, calls, logged } = await start(files, {}, { store })
  await bot.handle(message({ command: 'ask' }))
  await bot.handle(message({ content: 'later' }))
  expect(calls.map(([, input]) => input['content'])).toEqual([
    'Word?',
    expect.stringMatching(/^Something went wrong/),
    'received later',
  ])
  expect(logged[0]).toContain('the disk is full')
})

test('a click of another user who cannot be notified does not affect the waiting handler', async () => {
  const contents: unknown[] = []
  const call = ((name: string, input: Record<string, unknown>) => {
    if (name === 'interactions.callback') return Promise.reject(new Error('no answer came'))
    contents.push(input['content'])
    return Promise.resolve({ id: id(60), channel_id: id(20) })
  }) as unknown as Call
  const code = `export default async (ctx) => 'clicked ' + (await ctx.clicked({ id: '${id(60)}' })).params`
  const { bot, logged } = await start({ 'commands/wait.ts': code }, {}, { call })
  const running = bot.handle(message({ command: 'wait' }))
  await turns()
  void bot.handle(clickOf(id(41), '?stranger'))
  await turns()
  void bot.handle(clickOf(id(40), '?mine'))
  await running
  expect(contents).toEqual(['clicked mine'])
  expect(logged).toEqual([expect.stringContaining('the user could not be notified: no answer came')])
})

test('a choice that times out rejects, even if its message is gone', async () => {
  const contents: unknown[] = []
  const call = ((name: string, input: Record<string, unknown>) => {
    if (name === 'messages.update') return Promise.reject(new Error('404 not found'))
    contents.push(input['content'])
    return Promise.resolve({ id: id(60), channel_id: id(20) })
  }) as unknown as Call
  const { bot, clock, logged } = await start(
    { 'commands/choose.ts': "export default (ctx) => ctx.choose('Which?', ['a', 'b'], { timeout: '1m' })" },
    {},
    { call },
  )
  const running = bot.handle(message({ command: 'choose' }))
  await turns()
  await clock.advance(60_000)
  await running
  expect(contents).toEqual(['Which?', 'No answer came within 1 min. To start again: /choose'])
  expect(logged).toEqual([])
})

test('a failed notification of a lost conversation does not stop the others', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  for (const channel_id of [id(1), id(2), id(3)])
    await store.set(conversationKey(channel_id), {
      channel_id,
      user_id: id(40),
      again: '/signup',
      sinceMs: clock.now(),
    })
  const notified: unknown[] = []
  const call = ((_name: string, { channel_id }: { channel_id: string }) => {
    if (channel_id === id(1)) return Promise.reject(new Error('403 not allowed'))
    notified.push(channel_id)
    return Promise.resolve({})
  }) as unknown as Call
  const warnings: string[] = []
  const log = { warn: (_facts: object, text: string) => void warnings.push(text) } as Log
  await notifyLostConversations({ store, call, log }, { stored: storedConversations(store) }, clock.now())
  expect(notified).toEqual([id(2), id(3)])
  expect(warnings).toEqual(['a user could not be notified of a lost conversation: 403 not allowed'])
})

/** A store that fails until `isWell`. */
function failingStore(clock: VirtualClock) {
  const store = new MemoryStore(clock)
  const disk = { store, isWell: true }
  const { delete: remove, list } = store
  const met = <T>(work: () => Promise<T>) => (disk.isWell ? work() : Promise.reject(new Error('disk full')))
  store.delete = (...given) => met(() => remove.apply(store, given))
  store.list = (...given) => met(() => list.apply(store, given))
  return disk
}

test('the record of a conversation that has ended is removed later if the disk fails', async () => {
  const clock = new VirtualClock()
  const disk = failingStore(clock)
  const files = { 'commands/ask.ts': "export default async (ctx) => 'got ' + (await ctx.ask('Word?'))" }
  const { bot, calls, logged } = await start(files, {}, { store: disk.store, clock })
  const asked = bot.handle(message({ command: 'ask' }))
  await turns()
  expect(await storedConversations(disk.store)).toHaveLength(1)
  disk.isWell = false
  await bot.handle(message({ content: 'tea' }))
  await asked
  await clock.advance(60_000)
  disk.isWell = true
  await clock.advance(5000)
  expect(await storedConversations(disk.store)).toEqual([])
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'got tea'])
  expect(logged).toEqual([expect.stringContaining('could not be removed from the store: disk full')])
})

test('lost conversations of a disk that fails are reported once it works, and those of this process are not', async () => {
  const clock = new VirtualClock()
  const disk = failingStore(clock)
  const { store } = disk
  const ask = (run: string) =>
    store.set(conversationKey(run), { channel_id: run, user_id: id(40), lost: 'restarted', sinceMs: clock.now() })
  await ask('lost')
  await ask('other')
  const notified: unknown[] = []
  const call = (async (_name: string, { channel_id }: { channel_id: string }) => notified.push(channel_id)) as never
  const log = { warn: () => {} } as unknown as Log
  const again = { clock, signal: new AbortController().signal }
  disk.isWell = false
  const written = new Set<string>()
  const stored = formerConversations(store, written, again)
  const ended = notifyLostConversations({ store, call, log, again }, { stored }, clock.now())
  await ask('own')
  written.add(conversationKey('own'))
  await clock.advance(12_000)
  // It can be read, but not written.
  const { list } = new MemoryStore(clock)
  const reads = store.list
  store.list = (...given) => list.apply(store, given)
  await clock.advance(12_000)
  expect(notified).toEqual([])
  store.list = reads
  disk.isWell = true
  await clock.advance(12_000)
  await ended
  expect(notified).toEqual(['lost', 'other'])
  expect((await storedConversations(store)).map(({ key }) => key)).toEqual([conversationKey('own')])
})

test.each([false, true])(
  'a record of a lost conversation that cannot be deleted does not stop the notification of others; it is tried again: %s',
  async (isAgain) => {
    const clock = new VirtualClock()
    const store = new MemoryStore(clock)
    for (const run of ['kept', 'other'])
      await store.set(conversationKey(run), {
        channel_id: run,
        user_id: id(40),
        lost: 'restarted',
        sinceMs: clock.now(),
      })
    const { delete: remove } = store
    let isStuck = true
    store.delete = async (key, options) => {
      if (isStuck && key === conversationKey('kept')) throw new Error('no connection')
      return remove.call(store, key, options)
    }
    const notified: unknown[] = []
    const call = (async (_name: string, { channel_id }: { channel_id: string }) => notified.push(channel_id)) as never
    const warnings: string[] = []
    const log = { warn: (_facts: object, text: string) => void warnings.push(text) } as Log
    const host = { store, call, log, ...(isAgain && { again: { clock, signal: new AbortController().signal } }) }
    const ended = notifyLostConversations(host, { stored: storedConversations(store) }, clock.now())
    await clock.advance(12_000)
    expect(notified).toEqual(['other'])
    isStuck = false
    await clock.advance(12_000)
    await ended
    expect(notified).toEqual(isAgain ? ['other', 'kept'] : ['other'])
    expect(warnings).toEqual(['a user could not be notified of a lost conversation: no connection'])
  },
)

test('notifies users of the former process, whose clock was ahead, and not those whose handler asks again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const ask = (run: string) => {
    const record = { event: 1, channel_id: run, user_id: id(40), lost: 'restarted', sinceMs: clock.now() + 3_600_000 }
    return store.set(conversationKey(run), record)
  }
  await ask('lost')
  await ask('again')
  const stored = storedConversations(store)
  await stored
  await ask('again')
  const notified: unknown[] = []
  const call = (async (_name: string, { channel_id }: { channel_id: string }) => notified.push(channel_id)) as never
  await notifyLostConversations({ store, call, log: {} as Log }, { stored }, clock.now())
  expect(notified).toEqual(['lost'])
  expect((await storedConversations(store)).map(({ key }) => key)).toEqual([conversationKey('again')])
})

test('waits for the answer to a question that was posted before a crash instead of asking again', inAll, async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const files = { 'commands/ask.ts': "export default async (ctx) => 'got ' + (await ctx.ask('Word?'))" }
  const bot = await rig.startBot(files, options)
  await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'stall', seconds: 30 })
  await rig.says('ann', '/ask')
  await rig.until(async () => (await rig.texts()).includes('Word?'))
  // The response to this post is lost.
  await bot.stop({ graceMs: 0 })
  await rig.says('ann', 'tea')
  await rig.startBot(files, options)
  await rig.until(async () => (await rig.texts()).length > 3)
  expect(await rig.texts()).toEqual(['/ask', 'Word?', 'tea', 'got tea'])
  expect(rig.logged('error')).toEqual([])
})

test('waits for a click on the buttons that were posted before a crash', inAll, async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const files = {
    'commands/pick.ts': "export default async (ctx) => 'got ' + (await ctx.choose('Which?', ['x', 'y']))",
  }
  const bot = await rig.startBot(files, options)
  await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'stall', seconds: 30 })
  await rig.says('ann', '/pick')
  await rig.until(async () => (await rig.texts()).includes('Which?'))
  // The response to this post is lost.
  await bot.stop({ graceMs: 0 })
  await rig.startBot(files, options)
  await rig.until(async () => (await rig.calls('POST', /\/messages$/)).some(({ status }) => status === 429))
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).length > 2)
  expect(await rig.texts()).toEqual(['/pick', 'Which?\n**x**', 'got x'])
  expect(rig.logged('error')).toEqual([])
})

test('ctx.signal does not abort while the handler waits for an answer; the time limit starts again afterwards', async () => {
  const code = `export default async (ctx) => {
    const { signal } = ctx
    const word = await ctx.ask('Word?', { timeout: '1h' })
    await ctx.send(ctx.channel_id, word + ' ' + signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'over'
  }`
  const { bot, calls, clock } = await start({ 'commands/ask.ts': code })
  const running = bot.handle(message({ command: 'ask' }))
  await turns()
  await clock.advance(50 * 60_000)
  void bot.handle(message({ content: 'tea' }))
  await turns()
  await clock.advance(59_000)
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'tea false'])
  await clock.advance(1000)
  await running
  expect(calls.map(([, input]) => input['content'])).toEqual(['Word?', 'tea false', 'over'])
})

test('a choice with invalid options is not posted', async () => {
  const code = `export default async (ctx) => {
    for (const options of [{ by: 'ann' }, { timeout: 'soon' }])
      await ctx.choose('Which?', ['x'], options).catch((error) => ctx.send(ctx.channel_id, error.code))
  }`
  const { bot, calls } = await start({ 'commands/pick.ts': code })
  await bot.handle(message({ command: 'pick' }))
  expect(calls.map(([, input]) => input['content'])).toEqual(['ERR_INVALID_REQUEST', 'ERR_DEFINITION'])
})

test(
  'a click counts before the response to its question arrives, also if others are asked meanwhile',
  inAll,
  async () => {
    await using rig = await ChatRig.start(['ann', 'bob'])
    const pick =
      "export default async (ctx) => ctx.send(ctx.channel_id, 'got ' + await ctx.choose('Which?', ['x', 'y']))"
    await rig.startBot({ 'commands/pick.ts': pick })
    await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'slow', seconds: 2 })
    await rig.says('ann', '/pick')
    await rig.until(async () => (await rig.texts()).includes('Which?'))
    await rig.says('bob', '/pick', 'random')
    await rig.clicks('random', 'bob')
    await rig.until(async () => (await rig.texts('random')).includes('got x'))
    await rig.clicks('general', 'ann')
    await rig.until(async () => (await rig.texts()).includes('got x'))
    // A click that waits for two seconds is acknowledged.
    expect((await rig.callbacks()).filter((type) => type !== 'ack')).toEqual(['update', 'update'])
  },
)
