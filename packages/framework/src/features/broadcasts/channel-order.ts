// The order of a broadcast's channels: the decided ones, then those that come next.

import type { Clock } from '@botwright/clock'
import type { BroadcastJob } from './broadcast-job.ts'

/** When a channel is tried again: the first of both, because a host may sleep, and its clock may be set. */
export interface Delay {
  monotonicMs: number
  wallMs: number
}

interface Sending {
  job: BroadcastJob
  /** The channels that the service asked to wait for. */
  delayed: ReadonlyMap<string, Delay>
}

export const delayOf = (clock: Clock, ms: number): Delay => ({
  monotonicMs: clock.monotonic() + ms,
  wallMs: clock.now() + ms,
})

const leftMs = ({ monotonicMs, wallMs }: Delay, clock: Clock): number =>
  Math.min(monotonicMs - clock.monotonic(), wallMs - clock.now())

/** The time until a channel need not wait. */
export const dueInMs = ({ delayed }: Sending, clock: Clock): number =>
  Math.min(...[...delayed.values()].map((one) => leftMs(one, clock)))

/** Makes a channel that need not wait the next one. False if all of them wait: those that do come last. */
export function nextDue({ job, delayed }: Sending, clock: Clock): boolean {
  const { at, channels } = job
  const waits = (channel_id: string) => {
    const until = delayed.get(channel_id)
    return until !== undefined && leftMs(until, clock) > 0
  }
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
