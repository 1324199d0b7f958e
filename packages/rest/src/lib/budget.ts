import type { Clock, Timer } from '@botwright/clock'
import { aborted, ServiceError } from './errors.ts'
import type { LimitStore, Priority } from './limit-store.ts'

/** Keeps the send times over a restart: milliseconds since 1970. */
export interface SendTimes {
  load(): number[]
  save(times: number[]): void
}

/** How many messages fit into which time, and who keeps count over a restart. */
export interface BudgetOptions {
  clock: Clock
  requests: number
  seconds: number
  /** How long a request may be under way; only for the saved times. */
  timeoutMs: number
  sendTimes?: SendTimes | undefined
  /** Told when `sendTimes` throws: sending goes on. */
  onSaveFailed?: ((error: unknown) => void) | undefined
  /** What waits, for errors. Default `messages.create`. */
  endpoint?: string | undefined
  /** How many may wait before `ERR_QUEUE_FULL`. */
  queueLimit?: number | undefined
}

interface Waiter {
  grant: () => void
  refuse: (error: ServiceError) => void
}

const QUEUE_LIMIT = 20_000
/** Two clocks never agree on a millisecond. */
const MARGIN_MS = 1

/**
 * The 30 messages a minute of a bot (§8), kept so that the service never has to answer 429: a slot is free again one window after the
 * *answer* to its message arrived. Counted from the sending it would come free while the service still counts the message.
 */
export class MessageBudget implements LimitStore {
  readonly #options: BudgetOptions
  readonly #endpoint: string
  readonly #windowMs: number
  readonly #reserved: number
  readonly #queues: Record<Priority, Set<Waiter>> = { answer: new Set(), reply: new Set(), broadcast: new Set() }
  #known: number[] | undefined
  #underWay = 0
  #pausedUntilMs = 0
  #timer: Timer | undefined

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#endpoint = options.endpoint ?? 'messages.create'
    this.#windowMs = options.seconds * 1000 + MARGIN_MS
    // 5 of 30 slots are not for broadcasts, so that a reply beside one never waits a minute.
    this.#reserved = Math.floor(options.requests / 6)
  }

  /**
   * When the answers of the last window arrived, or can arrive at the latest, oldest first (monotonic). What was kept is read by the first
   * question: a client may be there before the file that keeps it.
   */
  get #times(): number[] {
    if (this.#known) return this.#known
    const { clock, sendTimes, timeoutMs, requests } = this.#options
    const now = clock.now()
    const loaded = this.#guard(() => sendTimes?.load()) ?? []
    return (this.#known = loaded
      .filter((time) => Number.isFinite(time) && time > now - this.#windowMs)
      // What was under way when the last process ended was saved with the latest time at which it can arrive: that lies ahead, and stays
      // there. A time that lies further ahead is a wall clock that was put back.
      .map((time) => clock.monotonic() + Math.min(time - now, timeoutMs))
      .sort((a, b) => a - b)
      .slice(-requests))
  }

  get waiting(): number {
    return this.#queues.answer.size + this.#queues.reply.size + this.#queues.broadcast.size
  }

  get used(): number {
    this.#forget()
    return this.#times.length + this.#underWay
  }

  get limit(): number {
    return this.#options.requests
  }

  get waitMs(): number {
    const now = this.#options.clock.monotonic()
    const freeAtMs = this.#times[0] === undefined ? now : this.#times[0] + this.#windowMs
    return Math.max(0, freeAtMs - now, this.#pausedUntilMs - now)
  }

  take(priority: Priority, signal?: AbortSignal): Promise<void> | void {
    if (signal?.aborted) throw aborted(this.#endpoint)
    if (this.waiting === 0 && this.#free(priority)) return this.#start()
    const queueLimit = this.#options.queueLimit ?? QUEUE_LIMIT
    if (this.waiting >= queueLimit) {
      const { requests, seconds } = this.#options
      throw new ServiceError(
        'ERR_QUEUE_FULL',
        `${this.#endpoint}: ${queueLimit} messages wait already, and only ${requests} per ${seconds} s may be sent; send fewer`,
        { status: 0, endpoint: this.#endpoint },
      )
    }
    return new Promise((resolve, reject) => {
      const queue = this.#queues[priority]
      const onAbort = () => {
        queue.delete(waiter)
        reject(aborted(this.#endpoint))
      }
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      queue.add(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#pump()
    })
  }

  release(left: boolean): void {
    this.#underWay--
    if (left) this.#add(this.#options.clock.monotonic())
    this.#save()
    this.#pump()
  }

  again(): void {
    this.#save()
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#options.clock.monotonic() + ms)
  }

  close(): void {
    this.#timer?.cancel()
    for (const queue of Object.values(this.#queues)) {
      for (const waiter of queue) waiter.refuse(aborted(this.#endpoint))
      queue.clear()
    }
  }

  #start(): void {
    this.#underWay++
    this.#save()
  }

  #add(time: number): void {
    let at = this.#times.length
    while (at > 0 && this.#times[at - 1]! > time) at--
    this.#times.splice(at, 0, time)
  }

  #free(priority: Priority): boolean {
    if (this.#options.clock.monotonic() < this.#pausedUntilMs) return false
    return this.used < this.#options.requests - (priority === 'broadcast' ? this.#reserved : 0)
  }

  #forget(): void {
    const over = this.#options.clock.monotonic() - this.#windowMs
    let count = 0
    while (count < this.#times.length && this.#times[count]! <= over) count++
    if (count > 0) this.#times.splice(0, count)
  }

  /** Serves the queues in their order, then sets the timer for the next slot that comes free by time alone. */
  #pump(): void {
    for (const priority of ['answer', 'reply', 'broadcast'] as const) {
      const queue = this.#queues[priority]
      for (const waiter of queue) {
        if (!this.#free(priority)) break
        queue.delete(waiter)
        this.#start()
        waiter.grant()
      }
    }
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.waiting === 0) return
    const { clock } = this.#options
    const now = clock.monotonic()
    const wakeAt = now < this.#pausedUntilMs ? this.#pausedUntilMs : (this.#times[0] ?? Infinity) + this.#windowMs
    // With no time to wait for, the end of a message under way will pump.
    // Whole milliseconds: a wait of a fraction may end where it began, and would be set again for ever.
    if (wakeAt !== Infinity) this.#timer = clock.after(Math.ceil(wakeAt - now), () => this.#pump(), { keepAlive: true })
  }

  #save(): void {
    const { sendTimes, clock, timeoutMs } = this.#options
    if (sendTimes === undefined) return
    const offset = clock.now() - clock.monotonic()
    const times = this.#times.map((time) => time + offset)
    for (let i = 0; i < this.#underWay; i++) times.push(clock.now() + timeoutMs)
    this.#guard(() => sendTimes.save(times))
  }

  #guard<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#options.onSaveFailed?.(error)
      return undefined
    }
  }
}
