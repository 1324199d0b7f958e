import type { MessageCreate } from '@botwright/protocol/shapes'

/** One broadcast as it is kept: plain data, written after each message, so that a restart goes on where it stood. */
export interface BroadcastJob {
  channels: readonly string[]
  message: MessageCreate
  // How many channels are decided.
  at: number
  // The message for `channels[at]` is on its way: whoever reads this after a crash does not know whether it arrived.
  sending: boolean
  sent: { channel_id: string; message_id: string }[]
  failed: { channel_id: string; reason: string }[]
  // The machine that sends it, in a cluster.
  machine?: string
  // Set when it is over.
  ended?: 'done' | 'cancelled'
}

/** How far a broadcast is. */
export interface BroadcastProgress {
  /** Channels in all, and those that are decided. */
  total: number
  done: number
  /** The messages that were posted. */
  sent: readonly { channel_id: string; message_id: string }[]
  /** Where nothing could be posted, or where a crash left unknown whether it was. */
  failed: readonly { channel_id: string; reason: string }[]
  /** `running` until every channel is decided, or somebody cancelled it. */
  state: 'running' | 'done' | 'cancelled'
}

/** What a handler asks of the supervisor, which sends broadcasts: they outlive the handler, its thread and the process. */
export interface Broadcasts {
  // Starts it, or finds the one with this id: a handler that runs again does not send twice.
  start(id: string, input: { channels: readonly string[]; message: MessageCreate }): Promise<BroadcastProgress>
  // Resolves when more than `done` channels are decided or it is over; undefined when there is no such broadcast.
  next(id: string, done: number): Promise<BroadcastProgress | undefined>
  // Sends no more of it.
  cancel(id: string): Promise<BroadcastProgress | undefined>
}

export const progressOf = ({ channels, at, sent, failed, ended }: BroadcastJob): BroadcastProgress => ({
  total: channels.length,
  done: at,
  sent,
  failed,
  state: ended ?? 'running',
})
