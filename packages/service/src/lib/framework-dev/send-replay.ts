import type { Chat } from '../chat.ts'
import type { Replay } from '../people-api/resources.ts'
import { findBot } from '../store/users.ts'

/** Sends the owner of a bot the result of a replay. */
export function sendReplay(chat: Chat, botId: string, eventId: number, replay: Replay): void {
  const ownerId = findBot(chat, botId)?.owner_id
  if (ownerId === undefined) return
  const answer = { channel_id: null, server_id: null, bot_id: botId, event_id: eventId, replay }
  chat.stream.send(ownerId, 'bot_replay', answer)
}
