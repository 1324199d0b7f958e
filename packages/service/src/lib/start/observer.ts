import type { Chat } from '../chat.ts'
import { canSee, findChannel, findMember } from '../store/access.ts'
import type { StreamEvent, StreamEventType } from '../people-api/stream-events.ts'

/** One event of a person's stream. */
export type PersonEvent = { [T in StreamEventType]: { type: T; data: StreamEvent<T> } }[StreamEventType]

/**
 * Read-only, in-process access to the state of the service without HTTP, so that tests need not poll.
 */
export interface ServiceObserver {
  /** Subscribes to everything that a person's page would receive. Returns the function that unsubscribes. */
  person(userId: string, callback: (event: PersonEvent) => void): () => void
  /** The id of the newest stored event of a bot, or 0, and whether one of its polls is waiting. */
  bot(botId: string): { newestEvent: number; polls: boolean }
  /** Calls back with 1 when a fault begins to delay a response to a bot, and with -1 at its end. Returns the function that unsubscribes. */
  delayedAnswers(callback: (change: 1 | -1) => void): () => void
  /** Calls back each time a poll of a bot starts waiting. Returns the function that unsubscribes. */
  polls(botId: string, callback: () => void): () => void
  /** The access of a bot or a person to a channel: whether they are in the server (true in direct messages) and can see the channel; and the registered commands of a bot. */
  accessOf(userId: string, channelId: string): { server: boolean; channel: boolean; commands: string[] }
}

export const createObserver = (chat: Chat): ServiceObserver => ({
  person: (userId, callback) =>
    chat.stream.subscribe(userId, {
      send: (type, data) => Promise.resolve(callback({ type, data: JSON.parse(data) as StreamEvent } as PersonEvent)),
      end: () => {},
    }),
  bot: (botId) => ({
    newestEvent:
      chat.sql.get<{ id: number | null }>('SELECT max(id) AS id FROM targets WHERE bot_id = ?', botId)?.id ?? 0,
    polls: chat.feed.waits(botId),
  }),
  delayedAnswers(callback) {
    const { watchers } = chat.delayedAnswers
    watchers.add(callback)
    return () => void watchers.delete(callback)
  },
  polls(botId, callback) {
    const watch = (polling: string) => polling === botId && callback()
    chat.feed.watchers.add(watch)
    return () => void chat.feed.watchers.delete(watch)
  },
  accessOf(userId, channelId) {
    const channel = findChannel(chat, channelId)
    const bot = chat.sql.get<{ commands: string }>('SELECT commands FROM bots WHERE user_id = ?', userId)
    return {
      server: !channel?.server_id || findMember(chat, channel.server_id, userId) !== undefined,
      channel: channel !== undefined && canSee(chat, channel, userId),
      commands: (JSON.parse(bot?.commands ?? '[]') as { name: string }[]).map(({ name }) => name),
    }
  },
})
