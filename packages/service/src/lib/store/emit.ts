import type { EventData, EventType } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { Target } from '../db/events.ts'

/** Stores an event for some bots. After the commit, wakes their polls and queues it for their event webhooks. */
export function emit<T extends EventType>(
  chat: Chat,
  type: T,
  data: EventData<T>,
  targets: readonly (Target & { own?: Partial<EventData<T>> | undefined })[],
): void {
  chat.feed.add(type, data, targets).forEach((added, index) => {
    const { id, botId } = added
    // Four callbacks: if one fails, the others still run.
    chat.afterCommit.push(
      () => chat.feed.publish(added),
      () => chat.inspector.event(botId, { id, event: type, data: () => ({ ...data, ...targets[index]!.own }) }),
      () => chat.feed.wake(botId),
      () => chat.deliveries.deliver(botId, id),
    )
  })
}
