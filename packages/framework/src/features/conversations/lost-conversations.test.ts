import { VirtualClock } from '@botwright/clock'
import type { EventKey } from '@botwright/events/event'
import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { message, start as startBot } from '../../tests/loaded-bot.test.fixture.ts'
import type { Again } from '../../runtime/ports/conversations.ts'
import {
  conversationKey,
  notifyLostConversations,
  storedConversations,
  type StoredConversation,
} from './lost-conversations.ts'

/** A store with the conversations of these events, in a channel each. */
async function start(...events: EventKey[]) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  for (const event of events) {
    const record: StoredConversation = {
      ...{ event, channel_id: `channel ${event}`, user_id: 'ann', lost: 'restarted', sinceMs: clock.now() },
    }
    await store.set(conversationKey(String(event)), record)
  }
  const notified: unknown[] = []
  const warnings: string[] = []
  const call = (async (_: string, { channel_id }: { channel_id: string }) => notified.push(channel_id)) as never
  const log = { warn: (_: object, text: string) => void warnings.push(text) } as Log
  return { clock, store, notified, warnings, host: { store, call, log } }
}

test('notifies only the users of the lost events', async () => {
  const { clock, store, notified, host } = await start(1, 2, 3)
  await notifyLostConversations(host, { eventIds: [1, 3] }, clock.now())
  expect(notified).toEqual(['channel 1', 'channel 3'])
  expect((await storedConversations(store)).map(({ key }) => key)).toEqual([conversationKey('2')])
})

test('notifies no one if no channel or no user is known', async () => {
  const { clock, store, notified, warnings, host } = await start(1, 2)
  const value = (await storedConversations(store))[0]?.value
  await store.set(conversationKey('1'), { ...(value as StoredConversation), channel_id: '' })
  await store.set(conversationKey('2'), { ...(value as StoredConversation), user_id: '' })
  await notifyLostConversations(host, { stored: storedConversations(store) }, clock.now())
  expect([notified, warnings, await storedConversations(store)]).toEqual([[], [], []])
})

test.each([
  [false, ['a user could not be notified of a lost conversation: closed']],
  [true, []],
])('a store that fails is reported, unless the bot stops (%s)', async (isStopping, reported) => {
  const { clock, store, warnings, host } = await start(1)
  const stopping = new AbortController()
  const again: Again = { clock, signal: stopping.signal }
  store.delete = async () => {
    if (isStopping) stopping.abort()
    throw new Error('closed')
  }
  const ended = notifyLostConversations({ ...host, again }, { stored: storedConversations(store) }, clock.now())
  await clock.advance(1000)
  expect(warnings).toEqual(reported)
  stopping.abort()
  await ended
  expect(warnings).toEqual(reported)
})

test('notifies the user of a question of the last day, whenever the conversation began', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const turns = async () => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  const { bot } = await startBot(
    { 'commands/go.ts': "export default async (ctx) => { for (;;) await ctx.ask('Next?', { timeout: '3d' }) }" },
    {},
    { clock, store },
  )
  void bot.handle(message({ command: 'go' }))
  await turns()
  await clock.advance(25 * 3_600_000)
  await bot.handle(message({ content: 'tea' }))
  await turns()
  await clock.advance(60_000)
  const { notified, host } = await start()
  await notifyLostConversations({ ...host, store }, { stored: storedConversations(store) }, clock.now())
  expect(notified).toHaveLength(1)
})
