import { randomBytes } from 'node:crypto'
import { BotwrightError, type Clock, type LimitStore, type Priority } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { BudgetNews } from './budget-news.ts'
import { isAnswer, type RedisLink } from '../redis/connect.ts'
import type { Keys } from '../redis/keys.ts'
import { notices } from '../redis/from-redis.ts'
import { ASK_AGAIN_MS, putSlots, readNews, takeSlots, wantNoMore } from './limit-scripts.ts'
import { isFull } from '../redis/reasons.ts'

export interface RedisLimitsOptions {
  link: RedisLink
  keys: Keys
  clock: Clock
  requests: number
  seconds: number
  /** How long a request may be under way. */
  timeoutMs: number
  /** How many may wait on this instance before `ERR_QUEUE_FULL`. */
  queueLimit?: number
}

interface Waiter {
  grant: () => void
  refuse: (error: BotwrightError) => void
  /** Not only asked for, but refused at least once. */
  waits: boolean
}

const ENDPOINT = 'messages.create'
const ORDER = ['answer', 'reply', 'broadcast'] as const
const QUEUE_LIMIT = 20_000
/** Two clocks never agree; that of Redis is a wall clock, which is slowed down and sped up. */
const MARGIN_MS = 50
/** An answer that took longer is not used: the slot may be given to others before the message arrives. */
const LATE_MS = 2000
/** After a Redis that was started anew may have lost its last second: so long each instance has time to bring its slots again. */
const SETTLE_MS = 2000
/** Another instance has something more urgent to send, and takes the slot in the next moments. */
const YIELD_MS = 100
/** Redis does nothing else during a script. */
const MOST_ARGUMENTS = 500
/** Notices of other instances make this instance ask Redis so often at most. */
const LOOK_MS = 50

/**
 * One message budget for all instances (§8). A slot is taken and released in one step on Redis, by its clock: it is free again one window after the
 * answer to its message, or, when its instance dies, one window after the latest moment at which the message can arrive. While Redis is away nothing
 * is sent; each instance brings its slots again when it is back.
 */
export class RedisLimits implements LimitStore {
  readonly limit: number
  readonly #o: RedisLimitsOptions
  readonly #keys: readonly string[]
  readonly #channel: string
  readonly #instance = randomBytes(6).toString('base64url')
  readonly #windowMs: number
  readonly #lifeMs: number
  readonly #queues: Record<Priority, Set<Waiter>> = { answer: new Set(), reply: new Set(), broadcast: new Set() }
  readonly #news: BudgetNews
  /** This instance's slots with the time at which they are free (monotonic): messages under way, the oldest first, and those answered. */
  readonly #underWay = new Map<string, number>()
  readonly #answered = new Map<string, number>()
  /** Released, or asked for without a reply: Redis may still have them, until this time (monotonic) at the latest. */
  readonly #dropped = new Map<string, number>()
  readonly #stops: (() => void)[] = []
  #slots = 0
  #asking = false
  #askAgain = false
  #notBeforeMs = -Infinity
  #cancel: (() => void) | undefined
  #cancelLook: (() => void) | undefined
  #lookedAtMs = -Infinity
  #closed = false

  constructor(options: RedisLimitsOptions) {
    this.#o = options
    const { keys, link, clock, requests, seconds, timeoutMs } = options
    this.limit = requests
    this.#keys = [keys.limits.slots, keys.limits.wanted]
    this.#channel = keys.channel('limits')
    this.#windowMs = Math.ceil(seconds * 1000) + MARGIN_MS
    this.#lifeMs = timeoutMs + LATE_MS + this.#windowMs
    this.#news = new BudgetNews(clock)
    this.#stops.push(link.watch({ back: ({ sameServer }) => this.#isBack(sameServer) }))
    void this.#begin()
  }

  get waiting(): number {
    let count = 0
    for (const priority of ORDER) for (const { waits } of this.#queues[priority]) if (waits) count++
    return count
  }

  get used(): number {
    return Math.max(this.#news.used, this.#underWay.size)
  }

  get waitMs(): number {
    return this.#news.freeMs ?? 0
  }

  async take(priority: Priority, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.#closed) throw aborted()
    const queueLimit = this.#o.queueLimit ?? QUEUE_LIMIT
    if (this.#queued >= queueLimit) throw full(queueLimit, this.#o)
    const queue = this.#queues[priority]
    let onAbort: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = { grant: resolve, refuse: reject, waits: queue.size > 0 || !this.#maybeFree(priority) }
        onAbort = () => {
          queue.delete(waiter)
          reject(aborted())
        }
        queue.add(waiter)
        signal?.addEventListener('abort', onAbort, { once: true })
        this.#pump()
      })
    } finally {
      if (onAbort) signal?.removeEventListener('abort', onAbort)
    }
  }

  release(left: boolean): void {
    // Whichever it was: those that stay are taken at least as long as they must be.
    const [id] = this.#underWay.keys()
    if (id === undefined) return
    this.#underWay.delete(id)
    if (left) this.#answered.set(id, this.#o.clock.monotonic() + this.#windowMs)
    else this.#drop([id])
    this.#put([id])
  }

  again(): void {
    const [id] = this.#underWay.keys()
    if (id === undefined) return
    this.#underWay.delete(id)
    this.#underWay.set(id, this.#o.clock.monotonic() + this.#lifeMs)
    this.#put([id])
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#cancel?.()
    this.#cancelLook?.()
    for (const stop of this.#stops) stop()
    if (this.#queued > 0) void bestEffort(this.#o.link.run(wantNoMore, this.#keys, [this.#instance]))
    for (const priority of ORDER) {
      for (const waiter of this.#queues[priority]) waiter.refuse(aborted())
      this.#queues[priority].clear()
    }
  }

  /** Subscribes to the news, then asks for the present state, which contains anything between. */
  async #begin(): Promise<void> {
    try {
      const stop = await this.#o.link.hear(this.#channel, notices.plain, () => this.#lookSoon())
      if (this.#closed) return stop()
      this.#stops.push(stop)
      this.#put([])
    } catch {
      // Closed meanwhile. Without news an instance that waits asks by itself.
    }
  }

  /** The first arguments of every script of limit-scripts.ts. */
  get #common(): readonly (string | number)[] {
    return [this.#channel, this.#lifeMs]
  }

  get #queued(): number {
    return this.#queues.answer.size + this.#queues.reply.size + this.#queues.broadcast.size
  }

  /** By what is known here; only Redis knows. */
  #maybeFree(priority: Priority): boolean {
    // 5 of 30 slots are not for broadcasts, so that a reply beside one never waits a minute.
    const room = this.limit - (priority === 'broadcast' ? Math.floor(this.limit / 6) : 0)
    return this.#news.used < room
  }

  /** Something changed on Redis: asks what, not more often than every `LOOK_MS`. */
  #lookSoon(): void {
    const { clock } = this.#o
    if (this.#cancelLook || this.#closed) return
    const timer = clock.after(Math.max(0, this.#lookedAtMs + LOOK_MS - clock.monotonic()), () => {
      this.#cancelLook = undefined
      this.#lookedAtMs = clock.monotonic()
      this.#o.link.run(readNews, this.#keys, this.#common).then(
        (text) => this.#learn(text),
        // Redis is away: it is asked again when it is back.
        () => {},
      )
    })
    this.#cancelLook = () => timer.cancel()
  }

  #learn(text: string): void {
    this.#news.learn(text)
    if (this.#queued === 0 || this.#closed) return
    if (ORDER.some((priority) => this.#queues[priority].size > 0 && this.#maybeFree(priority))) this.#pump()
    else this.#wakeLater()
  }

  /** Asks for as many slots as there are waiters: one question at a time. */
  #pump(): void {
    if (this.#asking) this.#askAgain = true
    else void this.#ask()
  }

  async #ask(): Promise<void> {
    const { link, clock } = this.#o
    if (this.#closed || this.#queued === 0) return
    const startMs = clock.monotonic()
    // When Redis is back, `#isBack` goes on.
    if (link.awaySinceMs !== undefined) return this.#markWaiting()
    if (startMs < this.#notBeforeMs) return this.#wakeLater()
    this.#asking = true
    this.#askAgain = false
    const sizes = ORDER.map((priority) => this.#queues[priority].size)
    const ids = Array.from({ length: Math.min(this.#queued, this.limit) }, () => `${this.#instance}:${++this.#slots}`)
    const reserved = Math.floor(this.limit / 6)
    try {
      const args = [...this.#common, this.#instance, this.limit, reserved, ...sizes, ...ids]
      const [answers, replies, broadcasts, text] = await link.run(takeSlots, this.#keys, args)
      this.#asking = false
      this.#news.learn(text)
      const late = clock.monotonic() - startMs > LATE_MS
      this.#grant(ids, [answers, replies, broadcasts], late ? undefined : startMs)
      if (this.#queued === 0) return
      if (this.#askAgain || late) return void this.#ask()
      this.#wakeLater()
    } catch (error) {
      this.#asking = false
      // An answer with an error is given before the first slot is taken.
      if (!isAnswer(error)) this.#drop(ids)
      // It refuses writes (its disk is full): the state and the leader log that. Nothing is sent meanwhile.
      if (isAnswer(error) && !isFull(error)) link.malformed('message budget', link.reasonOf(error))
      if (isAnswer(error) || link.awaySinceMs === undefined) this.#wakeLater()
    }
  }

  #grant(ids: readonly string[], counts: readonly number[], startMs: number | undefined): void {
    let next = 0
    const surplus: string[] = []
    for (const [i, priority] of ORDER.entries()) {
      const waiters = this.#queues[priority].values()
      for (let count = counts[i]!; count > 0; count--) {
        const id = ids[next++]!
        const waiter = startMs === undefined ? undefined : waiters.next().value
        if (waiter === undefined || startMs === undefined) {
          // The caller has given up meanwhile.
          surplus.push(id)
          continue
        }
        this.#queues[priority].delete(waiter)
        this.#underWay.set(id, startMs + this.#lifeMs)
        waiter.grant()
      }
    }
    if (surplus.length === 0) return
    this.#drop(surplus)
    this.#put(surplus)
  }

  #markWaiting(): void {
    for (const priority of ORDER) for (const waiter of this.#queues[priority]) waiter.waits = true
  }

  #wakeLater(): void {
    this.#markWaiting()
    this.#cancel?.()
    const { clock } = this.#o
    const held = this.#notBeforeMs - clock.monotonic()
    const free = ORDER.some((priority) => this.#queues[priority].size > 0 && this.#maybeFree(priority))
    const wait = held > 0 ? held : free ? YIELD_MS : Math.min(ASK_AGAIN_MS, this.#news.freeMs ?? ASK_AGAIN_MS)
    const timer = clock.after(Math.ceil(wait) + 1, () => this.#pump(), { keepAlive: true })
    this.#cancel = () => timer.cancel()
  }

  /** Brings slots to Redis as they are here. Slots that do not arrive are brought again when Redis is back, or end by themselves: later than necessary. */
  #put(ids: Iterable<string>): void {
    const now = this.#o.clock.monotonic()
    this.#forget(now)
    let args = [...this.#common]
    for (const id of ids) {
      const free = this.#underWay.get(id) ?? this.#answered.get(id)
      args.push(id, free === undefined ? 0 : Math.max(1, Math.ceil(free - now)))
      if (args.length < MOST_ARGUMENTS) continue
      this.#send(args)
      args = [...this.#common]
    }
    this.#send(args)
  }

  #send(args: readonly (string | number)[]): void {
    this.#o.link.run(putSlots, this.#keys, args).then(
      (text) => {
        for (let i = this.#common.length; i < args.length; i += 2)
          if (args[i + 1] === 0) this.#dropped.delete(String(args[i]))
        this.#learn(text)
      },
      () => {
        // The link logs that Redis is unavailable.
      },
    )
  }

  #drop(ids: readonly string[]): void {
    const untilMs = this.#o.clock.monotonic() + this.#lifeMs
    for (const id of ids) this.#dropped.set(id, untilMs)
  }

  #forget(now: number): void {
    for (const times of [this.#answered, this.#dropped]) for (const [id, ms] of times) if (ms <= now) times.delete(id)
  }

  #isBack(sameServer: boolean): void {
    if (!sameServer) this.#notBeforeMs = this.#o.clock.monotonic() + SETTLE_MS
    this.#put([...this.#underWay.keys(), ...this.#answered.keys(), ...this.#dropped.keys()])
    this.#pump()
  }
}

const aborted = () => new BotwrightError('ERR_ABORTED', `${ENDPOINT}: the caller aborted the call`)

const full = (queueLimit: number, { requests, seconds }: RedisLimitsOptions) =>
  new BotwrightError(
    'ERR_QUEUE_FULL',
    `${ENDPOINT}: ${queueLimit} messages are already waiting, and the limit is ${requests} per ${seconds} s; send fewer`,
  )
