import type { BotEvent, Delivery } from '@botwright/events/event'

/** The reason to continue a durable run. Sent as the data of an event, so that it reaches the thread and the instance of the run. */
export interface Wake {
  run: string
  /** The file of its handler. */
  file: string
  /** The answer that it waits for. */
  answer?: BotEvent
  /** The stored row whose time has come. */
  due?: string
  /** A time of the run has come while it is in memory. If it works, whatever woke it before waits for it. */
  isTime?: true
  /** A request of `framework runs`. */
  request?: RunRequest
  /** Drops the run from memory once it only waits, so that its next code continues it. */
  drop?: true
}

/** A request of `framework runs`: to cancel a run, or to run a failed one again. */
export interface RunRequest {
  action: 'cancel' | 'retry'
  reason?: string
}

/** A type that the service does not have: its types have no dot. */
const TYPE = 'botwright.run'

/** Ids of events that this process makes itself: far above those of the service, and of other instances. */
let last = 2 ** 52 + Math.floor(Math.random() * 2 ** 51)

/** Wakes a run. */
export function wakeDelivery(wake: Wake, { now, attempt = 1 }: { now: number; attempt?: number }): Delivery {
  const id = ++last
  // The channel is the key of the queue: all that wakes a run goes to the same thread.
  const data = { channel_id: runKey(wake.run), ...wake }
  return { event: { id, type: TYPE, data, created_at: new Date(now).toISOString() }, attempt }
}

/** Whether an event is not from the service, but continues a durable run: its answer, its time limit or its cancellation. */
export const isWake = ({ type }: BotEvent): boolean => type === TYPE
export const wakeOf = ({ data }: BotEvent): Wake => data as unknown as Wake

/** The event that is handled: of one that wakes a run, the answer to it. Undefined if a time or a request wakes the run. */
export const handledEvent = (event: BotEvent): BotEvent | undefined => (isWake(event) ? wakeOf(event).answer : event)

/** The key under which the thread of a run in memory receives what wakes it. */
export const runKey = (id: string): string => `run:${id}`
export const isRunKey = (key: string): boolean => key.startsWith('run:')

/** The key of a run that posts a choice in this channel. The choice has no key of its own before its message has an id. */
export const postKey = (channel_id: string, run: string): string => `${postsIn(channel_id)}${run}`
export const postsIn = (channel_id: string): string => `post:${channel_id}:`
