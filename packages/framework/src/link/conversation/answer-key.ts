import type { BotEvent } from '@botwright/events/event'

/** What somebody types in a channel, and who clicks on a message, is waited for by these. */
export const textKey = (channel_id: string, user_id: string): string => `text:${channel_id}:${user_id}`
export const clickKey = (message_id: string): string => `click:${message_id}`

/** The key of an event that a handler may wait for. A command is never an answer: it starts its own file. */
export function answerKey({ type, data }: BotEvent): string | undefined {
  const { channel_id, author_id, message_id } = data
  if (type === 'interaction') return typeof message_id === 'string' ? clickKey(message_id) : undefined
  if (type !== 'message' || typeof data['command'] === 'string') return undefined
  return typeof channel_id === 'string' && typeof author_id === 'string' ? textKey(channel_id, author_id) : undefined
}
