import type { Delivery } from './bot-event.ts'

/** Handles one event. The caller awaits the result. */
export type Run<D = Delivery> = (delivery: D) => void | Promise<void | Gathered>

/** An event that is gathered with later ones: its queue continues, and the event stays open until the burst has been handled. */
export interface Gathered {
  /** Resolves when the handler of the burst begins, for one of its events: from then on it counts as running. */
  readonly begins: Promise<void>
  /** Settles when it has ended. */
  readonly ends: Promise<void>
}

const unfinished = Symbol.for('botwright.unfinished')

/** A run that rejects with this error has not ended: its event runs again after the next start, or on another instance of a cluster. */
export class Unfinished extends Error {
  readonly [unfinished] = true

  /** A process may have several copies of this class: `framework start` is bundled apart from the modules that a cluster imports. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && unfinished in value
  }

  constructor() {
    super('given up before its end: the bot stops, or another instance runs it')
  }
}

/** Events that run one after the other. */
export class EventQueue<D extends Delivery = Delivery> {
  readonly key: string
  /** The event that is ready or running; undefined when the queue is empty. */
  current: D | undefined
  /** The events after it, while there are any. */
  turns: Turns<D> | undefined
  /** Created once per queue, not once per event. */
  readonly settled: (gathered: void | Gathered) => void
  readonly failed: (error: unknown) => void

  constructor(key: string, settle: (queue: EventQueue<D>, error?: unknown, gathered?: Gathered) => void) {
    this.key = key
    this.settled = (gathered) => settle(this, undefined, gathered ?? undefined)
    this.failed = (error) => settle(this, error ?? new Error('rejected without a reason'))
  }
}

/**
 * The waiting events of a queue, in rounds. A round has one command of each person, so that a person who sends many does not delay the commands
 * of others. The events of one person stay in order, and so do all events but commands.
 */
class Turns<D extends Delivery> {
  size = 0
  /** The round that runs, its last event first. */
  #current: D[] = []
  readonly #later: D[][] = []
  #number = 0
  /** The last round of each person who waits for a later one, and of each such message. */
  readonly #rounds = new Map<unknown, number>()

  push(delivery: D): void {
    this.size++
    const ahead = this.#roundOf(delivery) - this.#number
    ;(this.#later[ahead - 1] ??= []).push(delivery)
  }

  next(): D | undefined {
    if (this.#current.length === 0) {
      const next = this.#later.shift()
      if (!next) return undefined
      this.#current = next.reverse()
      this.#number++
    }
    const delivery = this.#current.pop()!
    this.size--
    const { id, author_id } = delivery.event.data
    this.#rounds.delete(id)
    if (this.#rounds.get(author_id) === this.#number) this.#rounds.delete(author_id)
    return delivery
  }

  #roundOf({ event: { type, data } }: Delivery): number {
    const { id, author_id, command, message_id } = data
    const next = this.#number + 1
    // A reaction does not overtake its message.
    if (type !== 'message') return Math.max(next, this.#rounds.get(message_id) ?? 0)
    const own = this.#rounds.get(author_id) ?? 0
    const isCommand = typeof command === 'string'
    const round = Math.max(next, isCommand ? own + 1 : own)
    if (isCommand) this.#rounds.set(author_id, round)
    if (round > next) this.#rounds.set(id, round)
    return round
  }
}

/** A queue with work. */
export interface QueueState<D extends Delivery = Delivery> {
  /** The event that runs, or that is the next to run. */
  current: D
  isRunning: boolean
  /** Events that wait, without the one that runs. */
  waiting: number
}

/** How many idle queues are kept for their next event: every clicked message has its own queue. */
const IDLE_QUEUES_KEPT = 1024

/** Keeps the order within each queue, lets people take turns, and tracks which queues can start their next event. */
export class EventQueues<D extends Delivery = Delivery> {
  /** Waiting events, including ready ones. */
  waiting = 0
  running = 0
  readonly #queues = new Map<string, EventQueue<D>>()
  #ready: EventQueue<D>[] = []
  /** Events of bursts, without one of each that runs. */
  #gathered = 0
  readonly #onSettled: (delivery: D, error: unknown) => void
  readonly #onReady: () => void

  /**
   * `onSettled` is called when an event ends; `error` is undefined if it succeeded. `onReady` is called when one is gathered, and the next event of
   * its queue can start.
   */
  constructor(onSettled: (delivery: D, error: unknown) => void, onReady: () => void) {
    this.#onSettled = onSettled
    this.#onReady = onReady
  }

  /** Events that run or are gathered. */
  get open(): number {
    return this.running + this.#gathered
  }

  get counts(): { running: number; gathered?: number } {
    return { running: this.running, ...(this.#gathered > 0 && { gathered: this.#gathered }) }
  }

  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  /** The queues with the most waiting events, and those whose first event is the oldest; up to `limit` of each. */
  busiest(limit: number): QueueState<D>[] {
    const ready = new Set(this.#ready)
    const busy = [...this.#queues.values()].flatMap((queue): QueueState<D>[] => {
      const { current, turns } = queue
      if (!current) return []
      const isRunning = !ready.has(queue)
      return [{ current, isRunning, waiting: (turns?.size ?? 0) + Number(!isRunning) }]
    })
    const oldest = busy.toSorted((a, b) => a.current.event.id - b.current.event.id)
    const longest = oldest.toSorted((a, b) => b.waiting - a.waiting)
    return [...new Set([...longest.slice(0, limit), ...oldest.slice(0, limit)])]
  }

  push(key: string, delivery: D): void {
    let queue = this.#queues.get(key)
    if (!queue) this.#queues.set(key, (queue = new EventQueue(key, this.#settle)))
    this.waiting++
    if (queue.current) {
      queue.turns ??= new Turns()
      queue.turns.push(delivery)
      return
    }
    queue.current = delivery
    this.#ready.push(queue)
  }

  /** Takes queues that can start now; the caller must start or release them. */
  takeReady(limit: number): EventQueue<D>[] {
    if (limit >= this.#ready.length) {
      const all = this.#ready
      this.#ready = []
      return all
    }
    return this.#ready.splice(0, Math.max(limit, 0))
  }

  release(queues: EventQueue<D>[]): void {
    this.#ready = [...queues, ...this.#ready]
  }

  /** Starts the queue's event. A synchronous handler is settled immediately, without a promise. */
  start(queue: EventQueue<D>, run: Run<D>): void {
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

  readonly #settle = (queue: EventQueue<D>, error?: unknown, gathered?: Gathered): void => {
    const delivery = queue.current!
    this.running--
    if (gathered) this.#gather(delivery, gathered)
    queue.current = queue.turns?.next()
    if (queue.current) this.#ready.push(queue)
    else {
      queue.turns = undefined
      if (this.#queues.size > IDLE_QUEUES_KEPT) this.#queues.delete(queue.key)
    }
    if (!gathered) this.#onSettled(delivery, error)
    else if (queue.current) this.#onReady()
  }

  #gather(delivery: D, { begins, ends }: Gathered): void {
    let runs = false
    const count = (change: 1 | -1) => {
      if (runs) this.running += change
      else this.#gathered += change
    }
    const end = (error?: unknown) => {
      count(-1)
      this.#onSettled(delivery, error)
    }
    count(1)
    void begins.then(() => {
      count(-1)
      runs = true
      count(1)
    })
    ends.then(() => end(), end)
  }
}
