/** The priority of a message. An `answer` (a user is waiting) goes before a `reply`, which goes before a `broadcast`. */
export type Priority = 'answer' | 'reply' | 'broadcast'

/** Keeps a bot's messages under the service's limit (§8), for this process or for many processes together. */
export interface LimitStore {
  // The number of messages that wait for a slot.
  readonly waiting: number
  // The number of taken slots: in flight, or answered within the last window.
  readonly used: number
  // The total number of slots.
  readonly limit: number
  // The time until a slot expires; 0 while messages are in flight.
  readonly waitMs: number
  // Takes a slot, immediately if one is free. Rejects with `ERR_QUEUE_FULL`, or with `ERR_ABORTED` if the signal aborts or this is closed.
  take(priority: Priority, signal?: AbortSignal): Promise<void> | void
  // Ends a `take`. `left`: whether the message may have reached the service, and therefore counts.
  release(left: boolean): void
  // A message in flight is sent again and may arrive later.
  again(): void
  // Rejects all waiting messages, and all later ones.
  close(): void
}
