import type { Chat } from './chat.ts'
import { canSee, findChannel, findMember } from './store/access.ts'
import type { StreamEvent, StreamEventType } from './stream-events.ts'

/** One event of a person's stream. */
export type Told = { [T in StreamEventType]: { type: T; data: StreamEvent<T> } }[StreamEventType]

/**
 * What the service's own process can see without asking over HTTP: for tests, which then need not ask again and again.
 * Nothing here changes anything.
 */
export interface Tap {
  /** Hears all that a person's page would be sent, at the moment it happened. The result ends it. */
  person(userId: string, hear: (told: Told) => void): () => void
  /** The id of the newest event kept for a bot, 0 when there is none; and whether one of its polls waits. */
  bot(botId: string): { newestEvent: number; polls: boolean }
  /** Hears each time a poll of a bot begins to wait. The result ends it. */
  polls(botId: string, hear: () => void): () => void
  /** What a bot has of a channel: whether it is in its server (true in direct messages), whether it sees it, and which commands it has registered. */
  ears(botId: string, channelId: string): { server: boolean; channel: boolean; commands: string[] }
}

export const createTap = (chat: Chat): Tap => ({
  person: (userId, hear) =>
    chat.stream.subscribe(userId, {
      send: (type, data) => Promise.resolve(hear({ type, data: JSON.parse(data) as StreamEvent } as Told)),
      end: () => {},
    }),
  bot: (botId) => ({
    newestEvent:
      chat.sql.get<{ id: number | null }>('SELECT max(id) AS id FROM events WHERE bot_id = ?', botId)?.id ?? 0,
    polls: chat.feed.waits(botId),
  }),
  polls(botId, hear) {
    const watch = (polling: string) => polling === botId && hear()
    chat.feed.watchers.add(watch)
    return () => void chat.feed.watchers.delete(watch)
  },
  ears(botId, channelId) {
    const channel = findChannel(chat, channelId)
    const bot = chat.sql.get<{ commands: string }>('SELECT commands FROM bots WHERE user_id = ?', botId)
    return {
      server: !channel?.server_id || findMember(chat, channel.server_id, botId) !== undefined,
      channel: channel !== undefined && canSee(chat, channel, botId),
      commands: (JSON.parse(bot?.commands ?? '[]') as { name: string }[]).map(({ name }) => name),
    }
  },
})
