// The order of a broadcast's channels: the decided ones, then those that come next.

import type { BroadcastJob } from './broadcast-job.ts'

interface Sending {
  job: BroadcastJob
  /** When the channels that the service asked to wait for are tried again (monotonic). */
  delayed: ReadonlyMap<string, number>
}

/** Makes a channel that need not wait the next one. False if all of them wait: those that do come last. */
export function nextDue({ job, delayed }: Sending, nowMs: number): boolean {
  const { at, channels } = job
  const waits = (channel_id: string) => (delayed.get(channel_id) ?? 0) > nowMs
  if (!waits(channels[at]!)) return true
  const due = channels.findIndex((channel_id, i) => i > at && !waits(channel_id))
  if (due !== -1)
    job.channels = [...channels.slice(0, at), channels[due]!, ...channels.slice(at, due), ...channels.slice(due + 1)]
  return due !== -1
}

/** Lets all other channels come before the next one. */
export function delay({ job }: Sending): void {
  const { at, channels } = job
  job.channels = [...channels.slice(0, at), ...channels.slice(at + 1), channels[at]!]
}

export type SendResult = { message_id: string } | { reason: string }

export function decide(job: BroadcastJob, result: SendResult): void {
  const channel_id = job.channels[job.at++]!
  if ('message_id' in result) job.sent.push({ channel_id, ...result })
  else job.failed.push({ channel_id, ...result })
}
