import type { QueueState } from '@botwright/events'
import { eventKey } from '@botwright/events/event'
import type { RunningEvents } from './running-events.ts'

/** The events of a channel, which run one after the other. */
export interface QueueView {
  /** The channel; null for events outside a channel. */
  channel_id: string | null
  channel: string | null
  /** Events that wait for the running one. */
  waiting: number
  /** The time of the oldest event. */
  oldest_at: string
  /** How long its handler has run; null if it waits for a worker. */
  running_seconds: number | null
  /** The file of its handler; null if it is not known yet. */
  file: string | null
}

/** The longest queues. */
export function queuesOf(queues: readonly QueueState[], events: RunningEvents, monotonicMs: number): QueueView[] {
  return queues.map(({ current: { event }, isRunning, waiting }) => {
    const { file, startedMs } = events.of(eventKey(event))
    const { channel_id, channel_name } = event.data
    return {
      channel_id: textOf(channel_id),
      channel: textOf(channel_name),
      waiting,
      oldest_at: event.created_at,
      running_seconds: isRunning && startedMs !== undefined ? Math.round((monotonicMs - startedMs) / 100) / 10 : null,
      file: file ?? null,
    }
  })
}

/** The longest queue, and the slowest handler, in words. */
export function slowestText(queues: readonly QueueView[]): string | undefined {
  const [longest] = queues
  if (!longest) return undefined
  const slowest = queues.reduce((one, other) =>
    (other.running_seconds ?? 0) > (one.running_seconds ?? 0) ? other : one,
  )
  const running = `${slowest.file ?? 'a handler'} has run for ${slowest.running_seconds ?? 0} s in ${nameOf(slowest)}`
  return `the longest queue is ${nameOf(longest)} with ${longest.waiting} waiting, and ${running}`
}

const nameOf = ({ channel, channel_id }: QueueView): string =>
  channel === null ? (channel_id ?? 'outside of channels') : `#${channel}`

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
