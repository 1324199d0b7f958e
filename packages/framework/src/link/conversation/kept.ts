import type { Claims } from '../claims.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Call } from '@botwright/rest'

/** What is known of a handler that waits for an answer: enough to tell the person when it is lost. */
export interface KeptConversation {
  channel_id: string
  user_id: string
  /** The message for the person when the handler is lost, in their language. */
  lost: string
  sinceMs: number
  /** The machine on which the handler waits, in a cluster. */
  machine?: string
}

const PREFIX = 'ask:'
export const conversationKey = (eventId: number): string => PREFIX + String(eventId)

/** What people remember having been asked. */
const TOLD_WITHIN_MS = 24 * 60 * 60 * 1000

/** Writes down on which machine a handler waits. What else is kept stays as it is. */
export const ofMachine = (key: string, value: unknown, machine: string): unknown =>
  key.startsWith(PREFIX) ? { ...(value as KeptConversation), machine } : value

/**
 * Tells those whose conversation was lost: their handler ended with its process, its thread or its machine. `eventIds`: only these;
 * `beforeMs`: all that were begun before that; `claims`: all whose machine is gone. Never rejects.
 */
export async function tellLostConversations(
  { store, call, log }: { store: StateStore; call: Call; log: Log },
  which: { eventIds: readonly number[] } | { beforeMs: number } | { claims: Claims },
  nowMs: number,
): Promise<void> {
  const warn = (error: unknown) =>
    log.warn({ error }, `a user could not be notified of a lost conversation: ${(error as Error).message}`)
  try {
    const keys = 'eventIds' in which ? new Set(which.eventIds.map(conversationKey)) : undefined
    for (const { key, value } of await store.list(PREFIX)) {
      const { channel_id, user_id, lost, sinceMs, machine } = value as KeptConversation
      if (keys ? !keys.has(key) : 'beforeMs' in which && sinceMs >= which.beforeMs) continue
      if ('claims' in which && (await which.claims.holds(machine))) continue
      // Taken off first: told at most once, whatever happens on the way.
      if (!(await store.delete(key)) || nowMs - sinceMs > TOLD_WITHIN_MS) continue
      const content = `<@${user_id}> ${lost}`
      // One whose channel is closed to the bot keeps it from nobody else.
      await call('messages.create', { channel_id, content }, { priority: 'reply' }).catch(warn)
    }
  } catch (error) {
    warn(error)
  }
}
