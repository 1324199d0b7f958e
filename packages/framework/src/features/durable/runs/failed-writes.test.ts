import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import type { MemoryStore } from '../../../author/state/memory-store.ts'
import { Waiting } from '../../../bot/conversation/waiting.ts'
import { RunStore } from '../stored/run-store.ts'
import { wakeDelivery } from '../../../link/run-event.ts'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// The store refuses writes for a while: no answer, event or request counts as handled until it is stored.

const form = { 'commands/go.ts': durable("return 'got ' + (await ctx.ask('Name?', { timeout: '1h' }))") }

/** Lets every write fail while `isFull`, and every read while `isUnreadable`. */
function failing(store: MemoryStore): { isFull: boolean; isUnreadable: boolean } {
  const disk = { isFull: false, isUnreadable: false }
  const { get, set } = store
  store.set = (...given) => (disk.isFull ? Promise.reject(new Error('disk full')) : set.apply(store, given))
  store.get = (key) => (disk.isUnreadable ? Promise.reject(new Error('disk I/O error')) : get.call(store, key))
  return disk
}

/** Whether a promise has settled, after everything that can happen now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => (settled = true))
  await turns()
  return settled
}

const answer = (rig: Restarts, content: string) =>
  message({ id: id(11), content, created_at: new Date(rig.clock.now()).toISOString() })

test('an answer to a run that was dropped is not settled until it is stored', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot, calls, logged } = await rig.start(form)
  const begun = message({ command: 'go' })
  await bot.handle(begun)
  await rig.clock.advance(40_000)
  disk.isFull = true
  const { event } = answer(rig, 'Ann')
  const wake = { run: String(begun.event.id), file: 'commands/go.ts', answer: event }
  const woken = Promise.resolve(bot.handle(wakeDelivery(wake, { now: rig.clock.now() })))
  expect(await isSettled(woken)).toBe(false)
  await rig.clock.advance(30_000)
  expect(await isSettled(woken)).toBe(false)
  disk.isFull = false
  await rig.clock.advance(30_000)
  await woken
  expect(texts(calls)).toEqual(['Name?', 'got Ann'])
  expect(await rig.head()).toMatchObject({ status: 'done' })
  expect(logged.filter((line) => line.includes('disk full')).length).toBeLessThan(6)
})

test('an answer to a run in memory is not settled until it is stored', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable(
      "const name = await ctx.ask('Name?', { timeout: '1h' }); await ctx.reply('hi ' + name); return ctx.ask('Age?', { timeout: '1h' })",
    ),
  })
  await bot.handle(message({ command: 'go' }))
  disk.isFull = true
  const answered = Promise.resolve(bot.handle(answer(rig, 'Ann')))
  expect(await isSettled(answered)).toBe(false)
  disk.isFull = false
  await rig.clock.advance(30_000)
  await answered
  expect(texts(calls)).toEqual(['Name?', 'hi Ann', 'Age?'])
})

test('a command whose first step cannot be stored is not settled until it is', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot, calls } = await rig.start(form)
  disk.isFull = true
  const begun = Promise.resolve(bot.handle(message({ command: 'go' })))
  expect(await isSettled(begun)).toBe(false)
  disk.isFull = false
  await rig.clock.advance(30_000)
  await begun
  expect(texts(calls)).toEqual(['Name?'])
  await bot.handle(answer(rig, 'Ann'))
  expect(texts(calls)).toEqual(['Name?', 'got Ann'])
})

test('a command whose first step is not stored is not settled while the store cannot be read either', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot, calls } = await rig.start(form)
  disk.isFull = true
  const begun = Promise.resolve(bot.handle(message({ command: 'go' })))
  await turns()
  disk.isUnreadable = true
  await rig.clock.advance(30_000)
  expect(await isSettled(begun)).toBe(false)
  Object.assign(disk, { isFull: false, isUnreadable: false })
  await rig.clock.advance(30_000)
  await begun
  expect(texts(calls)).toEqual(['Name?'])
  await bot.handle(answer(rig, 'Ann'))
  expect(texts(calls)).toEqual(['Name?', 'got Ann'])
})

test('a run whose end is stored although its write has failed does not begin again', async () => {
  const rig = new Restarts()
  const { set } = rig.store
  let fails = true
  rig.store.set = async (...given) => {
    const done = await set.apply(rig.store, given)
    const [key, head] = given
    if (!fails || !key.startsWith('run:head:') || (head as { status: string }).status !== 'failed') return done
    fails = false
    throw new Error('it is unknown whether the write took effect')
  }
  const { bot, calls } = await rig.start({ 'commands/go.ts': durable("await ctx.reply('Hi'); throw new Error('no')") })
  const begun = Promise.resolve(bot.handle(message({ command: 'go' })))
  await turns()
  await rig.clock.advance(30_000)
  await begun
  expect(texts(calls)).toEqual(['Hi', expect.stringContaining('Something went wrong')])
  expect(await rig.head()).toMatchObject({ status: 'failed', error: 'no' })
})

test('a command whose record cannot be read is not settled until it can', async () => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start(form)
  const { store } = rig
  const { get } = store
  store.get = () => Promise.reject(new Error('disk I/O error'))
  const begun = Promise.resolve(bot.handle({ ...message({ command: 'go' }), attempt: 2 }))
  expect(await isSettled(begun)).toBe(false)
  store.get = get
  await rig.clock.advance(30_000)
  await begun
  expect(texts(calls)).toEqual(['Name?'])
})

test('a run that is due tries once, and its row stays', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot, calls, logged } = await rig.start({
    'commands/go.ts': durable("await ctx.sleep('35s'); return 'awake'"),
  })
  await bot.handle(message({ command: 'go' }))
  await rig.clock.advance(36_000)
  disk.isFull = true
  const waking = rig.wake(bot)
  expect(await isSettled(waking)).toBe(true)
  expect(logged).toHaveLength(1)
  expect(await new RunStore(rig.store).due(1)).toHaveLength(1)
  disk.isFull = false
  await rig.wake(bot)
  expect(texts(calls)).toEqual(['awake'])
})

test('a request to cancel a run stays until its end is stored', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const { bot } = await rig.start(form)
  const begun = message({ command: 'go' })
  await bot.handle(begun)
  await new RunStore(rig.store).request(String(begun.event.id), { action: 'cancel', reason: 'no longer needed' })
  disk.isFull = true
  await rig.wake(bot)
  disk.isFull = false
  await rig.wake(bot)
  expect(await rig.head()).toMatchObject({ status: 'cancelled', error: 'no longer needed' })
})

test('a message is not posted again if its step could not be stored', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const posted: Record<string, unknown>[] = []
  const call = (async (name: string, { content, reply_to }: Record<string, unknown>) => {
    if (name === 'messages.list') return { messages: posted }
    const created_at = new Date(rig.clock.now()).toISOString()
    const reply = { reply_to_id: reply_to, channel_id: id(20), author_id: id(1), components: [] }
    posted.push({ ...reply, id: id(500 + posted.length), content, created_at })
    disk.isFull = posted.length === 1
    return posted.at(-1)
  }) as unknown as Call
  const { bot } = await rig.start(form, { call })
  const begun = Promise.resolve(bot.handle(message({ command: 'go' })))
  await isSettled(begun)
  disk.isFull = false
  await rig.clock.advance(60_000)
  await begun
  await bot.handle(answer(rig, 'Ann'))
  expect(posted.map(({ content }) => content)).toEqual(['Name?', 'got Ann'])
})

test('a thread does not end before a run is stored, which it continues later', async () => {
  const rig = new Restarts()
  const disk = failing(rig.store)
  const talks: boolean[] = []
  const waiting = new Waiting({ waits: () => {}, talks: (_, on) => void talks.push(on), due: () => {} })
  const { bot, calls } = await rig.start(form, { waiting } as object)
  await bot.handle(message({ command: 'go' }))
  disk.isFull = true
  const answered = Promise.resolve(bot.handle(answer(rig, 'Ann')))
  expect(await isSettled(answered)).toBe(false)
  expect(talks).toEqual([true])
  disk.isFull = false
  await rig.clock.advance(30_000)
  await answered
  expect(texts(calls)).toEqual(['Name?', 'got Ann'])
  await turns()
  expect(talks).toEqual([true, false])
})
