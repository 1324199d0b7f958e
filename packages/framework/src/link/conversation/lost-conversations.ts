import type { Claims } from '../claims.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Call } from '@botwright/rest'

/** The stored record of a handler that waits for an answer, so that the user can be notified if the handler is lost. */
export interface StoredConversation {
  channel_id: string
  user_id: string
  /** The message that the user gets when the handler is lost, in their language. */
  lost: string
  sinceMs: number
  /** The instance on which the handler waits, in a cluster. */
  machine?: string
}

const PREFIX = 'ask:'
export const conversationKey = (eventId: number): string => PREFIX + String(eventId)

/** Users are not notified of older questions. */
const NOTIFY_WITHIN_MS = 24 * 60 * 60 * 1000

/** Adds the instance to the record of a waiting handler; returns other records unchanged. */
export const withInstance = (key: string, value: unknown, instance: string): unknown =>
  key.startsWith(PREFIX) ? { ...(value as StoredConversation), machine: instance } : value

/**
 * Notifies the users of lost conversations, whose handlers ended with their process, thread or instance. `eventIds`: only these;
 * `beforeMs`: those that began before this time; `claims`: those whose instance is gone. Never rejects.
 */
export async function notifyLostConversations(
  { store, call, log }: { store: StateStore; call: Call; log: Log },
  which: { eventIds: readonly number[] } | { beforeMs: number } | { claims: Claims },
  nowMs: number,
): Promise<void> {
  const warn = (error: unknown) =>
    log.warn({ error }, `a user could not be notified of a lost conversation: ${(error as Error).message}`)
  try {
    const keys = 'eventIds' in which ? new Set(which.eventIds.map(conversationKey)) : undefined
    for (const { key, value } of await store.list(PREFIX)) {
      const { channel_id, user_id, lost, sinceMs, machine } = value as StoredConversation
      if (keys ? !keys.has(key) : 'beforeMs' in which && sinceMs >= which.beforeMs) continue
      if ('claims' in which && (await which.claims.isActive(machine))) continue
      // Delete the record first, so that the user is notified at most once.
      if (!(await store.delete(key)) || nowMs - sinceMs > NOTIFY_WITHIN_MS) continue
      const content = `<@${user_id}> ${lost}`
      // A channel that the bot cannot write to must not stop the other notifications.
      await call('messages.create', { channel_id, content }, { priority: 'reply' }).catch(warn)
    }
  } catch (error) {
    warn(error)
  }
}
