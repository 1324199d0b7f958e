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
  /** Of all queues, it has the most waiting events, the oldest event, or the handler that has run for the longest time. */
  most: ('longest' | 'oldest' | 'slowest')[]
}

/** The longest queues, and those with the oldest events. */
export function queuesOf(queues: readonly QueueState[], events: RunningEvents, monotonicMs: number): QueueView[] {
  const views = queues.map(({ current: { event }, isRunning, waiting }): QueueView => {
    const { file, startedMs } = events.of(eventKey(event))
    const { channel_id, channel_name } = event.data
    return {
      channel_id: textOf(channel_id),
      channel: textOf(channel_name),
      waiting,
      oldest_at: event.created_at,
      running_seconds: isRunning && startedMs !== undefined ? Math.round((monotonicMs - startedMs) / 100) / 10 : null,
      file: file ?? null,
      most: [],
    }
  })
  // Of one queue, nothing stands out.
  if (views.length < 2) return views
  const mark = (most: QueueView['most'][number], value: (view: QueueView) => number) => {
    const [first] = views.toSorted((a, b) => value(b) - value(a))
    if (first && value(first) > 0) first.most.push(most)
  }
  mark('longest', ({ waiting }) => waiting)
  mark('oldest', ({ oldest_at }) => Number.MAX_SAFE_INTEGER - Date.parse(oldest_at))
  mark('slowest', ({ running_seconds }) => running_seconds ?? 0)
  return views
}

/** The longest queue, and the slowest handler, in words. Names of channels, which people write, are not part of it. */
export function slowestText(queues: readonly QueueView[]): string | undefined {
  const [longest] = queues
  if (!longest) return undefined
  const queue = `the longest queue is that ${nameOf(longest)}, in which ${longest.waiting} wait`
  const [slowest] = queues
    .flatMap(({ running_seconds: seconds, ...one }) => (seconds === null ? [] : [{ ...one, seconds }]))
    .toSorted((a, b) => b.seconds - a.seconds)
  if (!slowest) return queue
  return `${queue}, and ${slowest.file ?? 'a handler'} has run for ${slowest.seconds} s in that ${nameOf(slowest)}`
}

const nameOf = ({ channel_id }: Pick<QueueView, 'channel_id'>): string =>
  channel_id === null ? 'of events outside channels' : `of the channel ${channel_id}`

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
