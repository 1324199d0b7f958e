/** What a message is for. An `answer` (to a person who waits) goes before a `reply`, that before a `broadcast`. */
export type Priority = 'answer' | 'reply' | 'broadcast'

/** Keeps the messages of a bot under the service's limit (§8): in this process, or for many of them together. */
export interface LimitStore {
  /** How many wait for a slot. */
  readonly waiting: number
  /** How many slots are taken: under way, or answered within the last window. */
  readonly used: number
  /** Slots in all. */
  readonly limit: number
  /** How long it takes until time alone frees a slot; 0 while messages are under way. */
  readonly waitMs: number
  /** Takes a slot; returns at once when one is free. Rejects with `ERR_QUEUE_FULL`, and with `ERR_ABORTED` when the signal aborts. */
  take(priority: Priority, signal?: AbortSignal): Promise<void> | void
  /** Ends what `take` began. `left`: whether the message may have reached the service, and so counts. */
  release(left: boolean): void
  /** A message under way is sent once more: it may arrive that much later. */
  again(): void
  /** Nothing is sent for `ms`: the service said so. */
  pause(ms: number): void
  /** Refuses everyone who waits. */
  close(): void
}
