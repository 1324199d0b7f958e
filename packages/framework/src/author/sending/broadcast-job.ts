import type { MessageCreate } from '@botwright/protocol/shapes'

/** The input of a broadcast. */
export interface BroadcastInput {
  channels: readonly string[]
  message: MessageCreate
  // Its author has given it an id: it is kept after its end, so that it is never sent again.
  isNamed?: true
}

/** The progress of a broadcast. */
export interface BroadcastProgress {
  /** All channels, and those that are decided. */
  total: number
  done: number
  /** The messages that were posted. */
  sent: readonly { channel_id: string; message_id: string }[]
  /** Channels that could not be posted to, or whose outcome is unknown after a crash. */
  failed: readonly { channel_id: string; reason: string }[]
  /** `running` until every channel is decided, or it was cancelled. */
  state: 'running' | 'done' | 'cancelled'
}

// How many of its messages and failures a caller has read: each is passed on once.
export type Known = { sent: number; failed: number }

/** The broadcasts of the supervisor: they outlive the handler, its thread and the process. */
export interface Broadcasts {
  // Starts it, or finds the one with this id: a handler that runs again does not send twice.
  start(id: string, input: BroadcastInput): Promise<BroadcastProgress>
  // Resolves when more than `done` channels are decided or it has ended, without what is `known`; undefined if there is no such broadcast.
  next(id: string, done: number, known?: Known): Promise<BroadcastProgress | undefined>
  // Stops sending it.
  cancel(id: string): Promise<BroadcastProgress | undefined>
}
