import type { BroadcastInput, BroadcastProgress } from '../../author/sending/broadcast.ts'
import type { KeptParams } from './kept-params.ts'

/**
 * A stored broadcast: plain data, written after each message, so that it continues at the same channel after a restart. Its channels are
 * the decided ones, and then the others in the order in which they come: those that the service asks to wait for come later.
 */
export interface BroadcastJob extends BroadcastInput {
  // The number of decided channels.
  at: number
  // The message for `channels[at]` is on its way: after a crash its outcome is unknown.
  sending: boolean
  sent: { channel_id: string; message_id: string }[]
  failed: { channel_id: string; reason: string }[]
  // Those of its buttons.
  params?: KeptParams[]
  // The instance that sends it, in a cluster.
  machine?: string
  // Set when it has ended.
  ended?: 'done' | 'cancelled'
}

/** Its progress. */
export const progressOf = ({ channels, at, sent, failed, ended }: BroadcastJob): BroadcastProgress => ({
  total: channels.length,
  done: at,
  sent,
  failed,
  state: ended ?? 'running',
})
