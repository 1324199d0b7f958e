import type { Clock, Timer } from '@botwright/clock'
import { aborted, ServiceError } from './errors.ts'
import type { LimitStore, Priority } from './limit-store.ts'

/** Persists the send times across restarts, in milliseconds since 1970. */
export interface SendTimes {
  load(): number[]
  save(times: number[]): void
}

/** The limit, and where its count persists across restarts. */
export interface BudgetOptions {
  clock: Clock
  requests: number
  seconds: number
  // How long a request may be in flight; used only for the saved times.
  timeoutMs: number
  sendTimes?: SendTimes | undefined
  // Called when `sendTimes` throws; sending continues.
  onSaveFailed?: ((error: unknown) => void) | undefined
  // The endpoint named in errors. Default: `messages.create`.
  endpoint?: string | undefined
  // How many messages may wait before `ERR_QUEUE_FULL`.
  queueLimit?: number | undefined
}

interface Waiter {
  grant: () => void
  refuse: (error: ServiceError) => void
}

const QUEUE_LIMIT = 20_000
/** Two clocks never agree to the millisecond. */
const MARGIN_MS = 1

/**
 * Limits a bot to 30 messages a minute (§8), so that the service never has to respond 429. A slot is free again one window after the
 * *response* to its message. Counted from sending, it would be free while the service still counts the message.
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
  #closed = false

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#endpoint = options.endpoint ?? 'messages.create'
    this.#windowMs = options.seconds * 1000 + MARGIN_MS
    // Broadcasts cannot use 5 of the 30 slots, so that a reply never waits a minute for a broadcast.
    this.#reserved = Math.floor(options.requests / 6)
  }

  // When the responses of the last window arrived, or will arrive at the latest, oldest first (monotonic). Saved times are read on first
  // use: a client may exist before the file that stores them.
  get #times(): number[] {
    if (this.#known) return this.#known
    const { clock, sendTimes, timeoutMs, requests } = this.#options
    const now = clock.now()
    const loaded = this.#guard(() => sendTimes?.load()) ?? []
    return (this.#known = loaded
      .filter((time) => Number.isFinite(time) && time > now - this.#windowMs)
      // A message in flight when the last process ended was saved with its latest possible arrival: that time is in the future, and stays
      // there. A time further in the future means that the wall clock was set back.
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
    if (signal?.aborted || this.#closed) throw aborted(this.#endpoint)
    if (this.waiting === 0 && this.#free(priority)) return this.#start()
    const queueLimit = this.#options.queueLimit ?? QUEUE_LIMIT
    if (this.waiting >= queueLimit) {
      const { requests, seconds } = this.#options
      throw new ServiceError(
        'ERR_QUEUE_FULL',
        `${this.#endpoint}: ${queueLimit} messages are already waiting, and the limit is ${requests} per ${seconds} s; send fewer`,
        { status: 0, endpoint: this.#endpoint },
      )
    }
    return new Promise((resolve, reject) => {
      const queue = this.#queues[priority]
      const onAbort = () => {
        queue.delete(waiter)
        if (this.waiting === 0) this.#timer?.cancel()
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

  // Sends nothing for `ms`, as the service requested.
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#options.clock.monotonic() + ms)
  }

  close(): void {
    this.#closed = true
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
    const now = this.#options.clock.monotonic()
    let count = 0
    // The same sum as in `#pump`: with fractions, `now - windowMs` may differ from it, and the timer would fire again and again.
    while (count < this.#times.length && this.#times[count]! + this.#windowMs <= now) count++
    if (count > 0) this.#times.splice(0, count)
  }

  // Serves the queues in order of priority, then sets the timer for the next slot to expire.
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
    // Without a slot to expire, the end of a message in flight calls this again.
    // Whole milliseconds: a fraction may end at the same time as it started, and would be repeated forever.
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
