import type { Clock } from '@botwright/clock'
import type { EventKey } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'

/** The prefix of the keys under which waiting handlers are stored. */
export const CONVERSATIONS = 'ask:'

export type StoredConversations = Awaited<ReturnType<StateStore['list']>>

/** When what the store has refused is tried again, until the bot stops. */
export interface Again {
  clock: Clock
  signal: AbortSignal
}

/** The parts of a bot that notifying its users needs. `again`: a record that cannot be deleted is deleted later. */
export interface ConversationsHost {
  store: StateStore
  call: Call
  log: Log
  again?: Again
}

/** The conversations whose handlers ended with their process or thread. */
export interface LostConversations {
  /** Those of the former process, also if the store can only be read later. `written`: the keys that this process has written since. */
  former: (store: StateStore, written: ReadonlySet<string>, again: Again) => Promise<StoredConversations>
  /** Notifies the users. Never rejects. */
  notify: (
    host: ConversationsHost,
    which: { eventIds: readonly EventKey[] } | { stored: Promise<StoredConversations> },
    nowMs: number,
  ) => Promise<void>
}
