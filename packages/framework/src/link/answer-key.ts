import type { BotEvent } from '@botwright/events/event'
import { isWake, runKey, wakeOf } from './run-event.ts'

/** Keys under which handlers wait: a user's next text in a channel, and the next click on a message. */
export const textKey = (channel_id: string, user_id: string): string => `text:${channel_id}:${user_id}`
export const clickKey = (message_id: string): string => `click:${message_id}`

/** The key under which a question that is no longer the newest one waits for the user's reply to its message. */
export const replyKey = (message_id: string, user_id: string): string => `reply:${message_id}:${user_id}`

/** The key of the question to its author that this message replies to. */
export function replyKeyOf({ type, data }: BotEvent): string | undefined {
  const { reply_to_id, author_id, command } = data
  if (type !== 'message' || typeof command === 'string') return undefined
  return typeof reply_to_id === 'string' && typeof author_id === 'string' ? replyKey(reply_to_id, author_id) : undefined
}

/** The key under which a handler may wait for this event. A command is never an answer: it runs its own file. */
export function answerKey(event: BotEvent): string | undefined {
  const { type, data } = event
  const { channel_id, author_id, message_id } = data
  if (type === 'interaction') return typeof message_id === 'string' ? clickKey(message_id) : undefined
  if (type !== 'message') return isWake(event) ? runKey(wakeOf(event).run) : undefined
  if (typeof data['command'] === 'string') return undefined
  return typeof channel_id === 'string' && typeof author_id === 'string' ? textKey(channel_id, author_id) : undefined
}
