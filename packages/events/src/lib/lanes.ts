import type { Delivery } from './bot-event.ts'

/** Handles one event; what it returns is waited for. */
export type Run = (delivery: Delivery) => void | Promise<void>

/** A row of events that run one after the other. */
export class Lane {
  readonly key: string
  /** The event that is ready or runs; undefined when the lane is empty. */
  current: Delivery | undefined
  /** Events behind it; those before `head` have moved on. */
  queue: Delivery[] = []
  head = 0
  /** Made once for each lane, not for each event. */
  readonly settled: () => void
  readonly failed: (error: unknown) => void

  constructor(key: string, settle: (lane: Lane, error?: unknown) => void) {
    this.key = key
    this.settled = () => settle(this)
    this.failed = (error) => settle(this, error ?? new Error('rejected without a reason'))
  }
}

/** Idle lanes are kept for their next event, up to so many: every clicked message has a lane of its own. */
const IDLE_LANES_KEPT = 1024

/** Keeps the order inside each lane, and knows which lanes could start their next event. */
export class Lanes {
  /** Events that wait, the ready ones included. */
  waiting = 0
  running = 0
  readonly #lanes = new Map<string, Lane>()
  #ready: Lane[] = []
  readonly #onSettled: (delivery: Delivery, error: unknown) => void

  /** `onSettled` hears of every event that ended; `error` is undefined when it ended well. */
  constructor(onSettled: (delivery: Delivery, error: unknown) => void) {
    this.#onSettled = onSettled
  }

  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  push(key: string, delivery: Delivery): void {
    let lane = this.#lanes.get(key)
    if (!lane) this.#lanes.set(key, (lane = new Lane(key, this.#settle)))
    this.waiting++
    if (lane.current) {
      lane.queue.push(delivery)
      return
    }
    lane.current = delivery
    this.#ready.push(lane)
  }

  /** Takes lanes that can start now; they must be started or given back. */
  takeReady(limit: number): Lane[] {
    if (limit >= this.#ready.length) {
      const all = this.#ready
      this.#ready = []
      return all
    }
    return this.#ready.splice(0, Math.max(limit, 0))
  }

  giveBack(lanes: Lane[]): void {
    this.#ready = [...lanes, ...this.#ready]
  }

  /** Starts the lane's event. A handler that returns at once is settled at once, without a promise. */
  start(lane: Lane, run: Run): void {
    this.waiting--
    this.running++
    let result
    try {
      result = run(lane.current!)
    } catch (error) {
      lane.failed(error)
      return
    }
    if (result === undefined) this.#settle(lane)
    else result.then(lane.settled, lane.failed)
  }

  readonly #settle = (lane: Lane, error?: unknown): void => {
    const delivery = lane.current!
    this.running--
    if (lane.head < lane.queue.length) {
      lane.current = lane.queue[lane.head++]
      if (lane.head === lane.queue.length) lane.queue.length = lane.head = 0
      this.#ready.push(lane)
    } else {
      lane.current = undefined
      if (this.#lanes.size > IDLE_LANES_KEPT) this.#lanes.delete(lane.key)
    }
    this.#onSettled(delivery, error)
  }
}
