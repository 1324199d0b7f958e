import { sleep } from '@botwright/clock'
import type { EventKey } from '@botwright/events/event'
import type { Claims } from '../../link/claims.ts'
import type { StateStore } from '../../author/ports.ts'
import {
  type Again,
  CONVERSATIONS,
  type ConversationsHost,
  type LostConversations,
  type StoredConversations,
} from '../../runtime/ports/conversations.ts'

/** The stored record of a handler that waits for an answer, so that the user can be notified if the handler is lost. */
export interface StoredConversation {
  /** The event of the handler. */
  event: EventKey
  channel_id: string
  user_id: string
  /** The message that the user gets when the handler is lost, in their language. */
  lost: string
  sinceMs: number
  /** The instance on which the handler waits, in a cluster. */
  machine?: string
}

/** `run`: the key of the handler's run, because several handlers of an event may ask. */
export const conversationKey = (run: string): string => CONVERSATIONS + run

/** Users are not notified of older questions. */
const NOTIFY_WITHIN_MS = 24 * 60 * 60 * 1000

/** The records of waiting handlers. */
export const storedConversations = (store: StateStore): Promise<StoredConversations> => store.list(CONVERSATIONS)

/** The same at the start of a process, before it has handlers: also if the store can only be read later. `written`: the keys that it has written since. */
export const formerConversations = async (
  store: StateStore,
  written: ReadonlySet<string>,
  again: Again,
): Promise<StoredConversations> =>
  (await untilDone(again, () => storedConversations(store))).filter(({ key }) => !written.has(key))

/** Whether a key is that of a waiting handler's record. */
export const isConversation = (key: string): boolean => key.startsWith(CONVERSATIONS)

const RETRY_MS = 5000

/** Uses the store until it responds. Rejects once the bot stops. */
async function untilDone<T>({ clock, signal }: Again, use: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await use()
    } catch {
      signal.throwIfAborted()
      await sleep(clock, RETRY_MS, signal)
    }
}

/** Adds the instance to the record of a waiting handler; returns other records unchanged. */
export const withInstance = (key: string, value: unknown, instance: string): unknown =>
  isConversation(key) ? { ...(value as StoredConversation), machine: instance } : value

/**
 * Notifies the users of lost conversations, whose handlers ended with their process, thread or instance. `eventIds`: only these;
 * `stored`: those that were stored before this process had handlers; `claims`: those whose instance is gone. `again`: a record that cannot be
 * deleted is deleted later. Never rejects.
 */
export async function notifyLostConversations(
  { store, call, log, again }: ConversationsHost,
  which: { eventIds: readonly EventKey[] } | { stored: Promise<StoredConversations> } | { claims: Claims },
  nowMs: number,
): Promise<void> {
  const warn = (error: unknown) =>
    log.warn({ error }, `a user could not be notified of a lost conversation: ${(error as Error).message}`)
  const events = 'eventIds' in which ? new Set(which.eventIds) : undefined
  const notify = async ({ key, value, version }: StoredConversations[number]) => {
    const { event, channel_id, user_id, lost, sinceMs, machine } = value as StoredConversation
    if (events && !events.has(event)) return
    if ('claims' in which && (await which.claims.isActive(machine))) return
    // Delete the record first, so that the user is notified at most once. An event that runs again may have stored its own.
    if (!(await store.delete(key, { expected: version })) || nowMs - sinceMs > NOTIFY_WITHIN_MS) return
    // Such as of a click that anyone can make, on a message of which only the id is known.
    if (channel_id === '' || user_id === '') return
    const content = `<@${user_id}> ${lost}`
    // A channel that the bot cannot write to must not stop the other notifications.
    await call('messages.create', { channel_id, content }, { priority: 'reply' }).catch(warn)
  }
  try {
    let left = await ('stored' in which ? which.stored : storedConversations(store))
    for (let tries = 1; left.length > 0; tries++) {
      const failed: StoredConversations = []
      for (const one of left)
        await notify(one).catch((error: unknown) => {
          if (failed.push(one) === 1 && tries === 1 && !again?.signal.aborted) warn(error)
        })
      if (!again) return
      left = failed
      if (left.length > 0) await sleep(again.clock, RETRY_MS, again.signal)
    }
  } catch (error) {
    if (!again?.signal.aborted) warn(error)
  }
}

export const lost: LostConversations = { former: formerConversations, notify: notifyLostConversations }
