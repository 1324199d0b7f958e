import type { EventData, EventType } from '@botwright/protocol'
import type { Chat } from './chat.ts'

/** Gives a bot an event, and tells its polls and its event webhook once the request is committed. */
export function emit<T extends EventType>(chat: Chat, botId: string, type: T, data: EventData<T>): void {
  const id = chat.feed.add(botId, type, data)
  // Three steps: one that fails keeps the event from no other.
  chat.afterCommit.push(
    () => chat.inspector.event(botId, { id, event: type, data }),
    () => chat.feed.wake(botId),
    () => chat.deliveries.deliver(botId, id),
  )
}
