import type { Delivery } from './bot-event.ts'

/** Handles one event. The caller awaits the result. */
export type Run = (delivery: Delivery) => void | Promise<void>

/** Events that run one after the other. */
export class EventQueue {
  readonly key: string
  /** The event that is ready or running; undefined when the queue is empty. */
  current: Delivery | undefined
  /** The events after it. Those before `head` have left the queue. */
  pending: Delivery[] = []
  head = 0
  /** Created once per queue, not once per event. */
  readonly settled: () => void
  readonly failed: (error: unknown) => void

  constructor(key: string, settle: (queue: EventQueue, error?: unknown) => void) {
    this.key = key
    this.settled = () => settle(this)
    this.failed = (error) => settle(this, error ?? new Error('rejected without a reason'))
  }
}

/** How many idle queues are kept for their next event: every clicked message has its own queue. */
const IDLE_QUEUES_KEPT = 1024

/** Keeps the order within each queue, and tracks which queues can start their next event. */
export class EventQueues {
  /** Waiting events, including ready ones. */
  waiting = 0
  running = 0
  readonly #queues = new Map<string, EventQueue>()
  #ready: EventQueue[] = []
  readonly #onSettled: (delivery: Delivery, error: unknown) => void

  /** `onSettled` is called when an event ends; `error` is undefined if it succeeded. */
  constructor(onSettled: (delivery: Delivery, error: unknown) => void) {
    this.#onSettled = onSettled
  }

  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  push(key: string, delivery: Delivery): void {
    let queue = this.#queues.get(key)
    if (!queue) this.#queues.set(key, (queue = new EventQueue(key, this.#settle)))
    this.waiting++
    if (queue.current) {
      queue.pending.push(delivery)
      return
    }
    queue.current = delivery
    this.#ready.push(queue)
  }

  /** Takes queues that can start now; the caller must start or release them. */
  takeReady(limit: number): EventQueue[] {
    if (limit >= this.#ready.length) {
      const all = this.#ready
      this.#ready = []
      return all
    }
    return this.#ready.splice(0, Math.max(limit, 0))
  }

  release(queues: EventQueue[]): void {
    this.#ready = [...queues, ...this.#ready]
  }

  /** Starts the queue's event. A synchronous handler is settled immediately, without a promise. */
  start(queue: EventQueue, run: Run): void {
    this.waiting--
    this.running++
    let result
    try {
      result = run(queue.current!)
    } catch (error) {
      queue.failed(error)
      return
    }
    if (result === undefined) this.#settle(queue)
    else result.then(queue.settled, queue.failed)
  }

  readonly #settle = (queue: EventQueue, error?: unknown): void => {
    const delivery = queue.current!
    this.running--
    if (queue.head < queue.pending.length) {
      queue.current = queue.pending[queue.head++]
      if (queue.head === queue.pending.length) queue.pending.length = queue.head = 0
      this.#ready.push(queue)
    } else {
      queue.current = undefined
      if (this.#queues.size > IDLE_QUEUES_KEPT) this.#queues.delete(queue.key)
    }
    this.#onSettled(delivery, error)
  }
}
