import type { EventData, EventType } from '@botwright/protocol'
import type { Chat } from './chat.ts'

/** Stores an event for a bot. After the commit, wakes its polls and queues the event webhook. */
export function emit<T extends EventType>(chat: Chat, botId: string, type: T, data: EventData<T>): void {
  const id = chat.feed.add(botId, type, data)
  // Three callbacks: if one fails, the others still run.
  chat.afterCommit.push(
    () => chat.inspector.event(botId, { id, event: type, data }),
    () => chat.feed.wake(botId),
    () => chat.deliveries.deliver(botId, id),
  )
}
