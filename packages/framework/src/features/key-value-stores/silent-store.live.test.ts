import { sleep, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { heldPrefix } from '../quiet-hours/held-prefix.ts'
import { quietNow } from '../quiet-hours/quiet-now.test.fixture.ts'

const files = {
  'commands/send.ts': 'export default (ctx) => void ctx.send(ctx.channel_id, ctx.typed)',
  'commands/news.ts': 'export default (ctx) => void ctx.broadcast([ctx.channel_id], ctx.typed)',
}
const never = () => new Promise<never>(() => {})

/** The bot stops, and a request of its store gets no answer. */
const stops = async (rig: ChatRig, bot: { stop: () => Promise<unknown> }): Promise<void> => {
  await bot.stop()
  expect(rig.logged('error').join()).toContain('the store of bot.config.ts did not answer within')
}

test('a bot stops whose store does not list the held messages', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const config = { store: () => store, quietHours: quietNow, limits: { graceSeconds: 1 } }
  const bot = await rig.startBot(files, { config })
  const list = store.list.bind(store)
  store.list = never
  await rig.says('ann', '/send tea')
  await rig.until(async () => (await list(heldPrefix)).length === 1)
  await stops(rig, bot)
})

test('a bot stops whose store does not keep the progress of a broadcast', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const bot = await rig.startBot(files, { config: { store: () => store, limits: { graceSeconds: 1 } } })
  const set = store.set.bind(store)
  let isSilent = false
  store.set = (...given) => {
    const { sent = [] } = given[1] as { sent?: unknown[] }
    if (sent.length === 0) return set(...given)
    isSilent = true
    return never()
  }
  await rig.says('ann', '/news tea')
  await rig.until(() => isSilent)
  await stops(rig, bot)
})

test.each([
  ['is never made', () => ({ store: () => never() })],
  [
    'does not answer',
    () => {
      const store = new MemoryStore(systemClock)
      return { store: () => Object.assign(store, { list: never }), quietHours: quietNow }
    },
  ],
])('a stop ends a start whose store %s', { tags: ['all/real-time'] }, async (_, settings) => {
  await using rig = await ChatRig.start()
  const stopping = new AbortController()
  const config = { ...settings(), limits: { graceSeconds: 1 } }
  const starting = rig.startBot(files, { config, signal: stopping.signal })
  const ended = expect(starting).rejects.toThrow('stopped')
  await rig.until(async () => (await rig.calls('GET', /\/me$/)).length > 0)
  stopping.abort(new Error('stopped'))
  await ended
})

test('the signal of a start changes nothing once the bot has started', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const startup = new AbortController()
  const bot = await rig.startBot(
    { 'commands/note.ts': 'export default async (ctx) => { await ctx.state.server.set("note", 1); return "noted" }' },
    { config: { store: () => store }, signal: startup.signal },
  )
  startup.abort(new Error('the time of the start is over'))
  const set = store.set.bind(store)
  store.set = async (...given) => {
    await sleep(systemClock, 6000)
    return set(...given)
  }
  await rig.says('ann', '/note')
  await rig.until(async () => (await rig.texts()).length > 1)
  expect(await rig.texts()).toEqual(['/note', 'noted'])
  expect(bot.ready).toBe(true)
})
