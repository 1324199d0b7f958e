import { randomUUID } from 'node:crypto'
import { type Clock, sleep } from '@botwright/clock'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import type { LimitStore, Priority } from '@botwright/rest'
import type { StateStore } from '../../author/ports.ts'

const KEY = 'function:sent'
const ENDPOINT = 'messages.create'
const ORDER = ['answer', 'reply', 'broadcast'] as const
const QUEUE_LIMIT = 20_000
/** The clocks of two hosts never agree. */
const MARGIN_MS = 50
/** Another invocation may give a slot back at any time. */
const LOOK_AGAIN_MS = 1000
/** Two invocations that write at the same time do not meet again. */
const MOST_APART_MS = 20

export interface StoreLimitsOptions {
  store: StateStore
  clock: Clock
  requests?: number
  seconds?: number
  /** How long a request may be under way. */
  timeoutMs?: number
  /** How many may wait in this invocation before `ERR_QUEUE_FULL`. */
  queueLimit?: number
}

/** A slot, and when it is free again, in milliseconds since 1970. */
type Slot = readonly [id: string, freeMs: number]

interface Waiter {
  grant: () => void
  refuse: (error: Error) => void
  /** It was refused at least once. */
  waits: boolean
}

/**
 * One message budget for all invocations (§8), in the store of the bot. A slot is free again one window after the response to its message, or
 * after the latest moment at which the message of an invocation that ended can arrive.
 */
export class StoreLimits implements LimitStore {
  readonly limit: number
  readonly #store: StateStore
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #seconds: number
  readonly #timeoutMs: number
  readonly #queueLimit: number
  readonly #queues: Record<Priority, Set<Waiter>> = { answer: new Set(), reply: new Set(), broadcast: new Set() }
  /** The slots of messages that are under way, the oldest first. */
  readonly #underWay: string[] = []
  /** The slots at the last look. */
  #known: readonly Slot[] = []
  #pumping: Promise<void> | undefined
  /** One write after the other. */
  #writing: Promise<unknown> = Promise.resolve()
  #wake: (() => void) | undefined
  #closed = false

  constructor({ store, clock, requests, seconds, timeoutMs = 15_000, queueLimit = QUEUE_LIMIT }: StoreLimitsOptions) {
    this.limit = requests ?? limits.messages.requests
    this.#seconds = seconds ?? limits.messages.seconds
    this.#windowMs = this.#seconds * 1000 + MARGIN_MS
    this.#store = store
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#queueLimit = queueLimit
  }

  get waiting(): number {
    return ORDER.reduce((sum, priority) => sum + [...this.#queues[priority]].filter(({ waits }) => waits).length, 0)
  }

  get used(): number {
    return this.#taken(this.#known).length
  }

  get waitMs(): number {
    return this.#freeInMs(this.limit)
  }

  async take(priority: Priority, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.#closed) throw aborted()
    if (this.#queued >= this.#queueLimit)
      throw new BotwrightError(
        'ERR_QUEUE_FULL',
        `${ENDPOINT}: ${this.#queueLimit} messages are already waiting, and the limit is ${this.limit} per ${this.#seconds} s; send fewer`,
      )
    const queue = this.#queues[priority]
    let onAbort: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = { grant: resolve, refuse: reject, waits: false }
        onAbort = () => {
          queue.delete(waiter)
          reject(aborted())
        }
        queue.add(waiter)
        signal?.addEventListener('abort', onAbort, { once: true })
        this.#begin()
      })
    } finally {
      if (onAbort) signal?.removeEventListener('abort', onAbort)
    }
  }

  release(left: boolean): void {
    const id = this.#underWay.shift()
    if (id === undefined) return
    const freeMs = this.#clock.now() + this.#windowMs
    this.#put((slots) => [...slots.filter(([one]) => one !== id), ...(left ? [[id, freeMs] as const] : [])])
  }

  again(): void {
    const id = this.#underWay.shift()
    if (id === undefined) return
    this.#underWay.push(id)
    const freeMs = this.#latestMs()
    this.#put((slots) => [...slots.filter(([one]) => one !== id), [id, freeMs]])
  }

  close(): void {
    this.#closed = true
    for (const queue of Object.values(this.#queues)) {
      for (const { refuse } of queue) refuse(aborted())
      queue.clear()
    }
    this.#wake?.()
  }

  /** Resolves once the slots of the messages are stored. */
  async stored(): Promise<void> {
    await this.#pumping
    await this.#writing
  }

  get #queued(): number {
    return ORDER.reduce((sum, priority) => sum + this.#queues[priority].size, 0)
  }

  /** When a message that leaves now has counted for a window, whenever it arrives. */
  readonly #latestMs = (): number => this.#clock.now() + this.#timeoutMs + this.#windowMs

  #taken(slots: readonly Slot[]): readonly Slot[] {
    const now = this.#clock.now()
    return slots.filter(([, freeMs]) => freeMs > now)
  }

  /** When fewer than `most` slots are taken, as of the last look. */
  #freeInMs(most: number): number {
    const times = this.#taken(this.#known).map(([, freeMs]) => freeMs)
    const freeMs = times.toSorted((a, b) => a - b)[times.length - most] ?? 0
    return Math.max(0, freeMs - this.#clock.now())
  }

  #begin(): void {
    this.#wake?.()
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined
      if (this.#queued > 0) this.#begin()
    })
  }

  async #pump(): Promise<void> {
    for (;;) {
      const priority = ORDER.find((one) => this.#queues[one].size > 0)
      if (priority === undefined) return
      const [waiter] = this.#queues[priority]
      const id = randomUUID()
      // Broadcasts leave a part of the slots to others, as in one process.
      const most = this.limit - (priority === 'broadcast' ? Math.floor(this.limit / 6) : 0)
      let hasSlot: boolean
      try {
        hasSlot = await this.#change((slots) => (slots.length < most ? [...slots, [id, this.#latestMs()]] : undefined))
      } catch (error) {
        if (this.#queues[priority].delete(waiter!)) waiter!.refuse(error as Error)
        continue
      }
      if (!hasSlot) {
        for (const one of ORDER) for (const each of this.#queues[one]) each.waits = true
        await this.#pause(most)
        continue
      }
      this.#underWay.push(id)
      // It may have been aborted meanwhile.
      if (this.#queues[priority].delete(waiter!)) waiter!.grant()
      else this.release(false)
    }
  }

  /** Waits until fewer than `most` slots may be taken, or another message comes. */
  async #pause(most: number): Promise<void> {
    const stop = new AbortController()
    this.#wake = () => stop.abort()
    await sleep(this.#clock, Math.min(Math.max(this.#freeInMs(most), 1), LOOK_AGAIN_MS), stop.signal).catch(() => {})
    this.#wake = undefined
  }

  /** A slot that cannot be stored now stays taken for as long as its message may arrive. */
  #put(change: (slots: readonly Slot[]) => readonly Slot[]): void {
    void this.#change(change).then(
      () => this.#wake?.(),
      () => {},
    )
  }

  /** Changes the stored slots. `change` returns undefined to leave them as they are. */
  #change(change: (slots: readonly Slot[]) => readonly Slot[] | undefined): Promise<boolean> {
    const changed = this.#writing.then(() => this.#changeNow(change))
    this.#writing = changed.catch(() => {})
    return changed
  }

  async #changeNow(change: (slots: readonly Slot[]) => readonly Slot[] | undefined): Promise<boolean> {
    for (;;) {
      const stored = await this.#store.get(KEY)
      const found = (stored?.value ?? []) as readonly Slot[]
      const latestMs = this.#latestMs()
      // A clock that was ahead has left slots in the future: their messages count as sent now.
      const isAhead = found.some(([, freeMs]) => freeMs > latestMs)
      const slots = this.#taken(found.map(([id, freeMs]) => [id, Math.min(freeMs, latestMs)]))
      const next = change(slots)
      const kept = (this.#known = next ?? slots)
      if (!next && !isAhead) return false
      const expiresAtMs = Math.max(this.#clock.now() + 1, ...kept.map(([, freeMs]) => freeMs))
      if (await this.#store.set(KEY, kept, { expected: stored?.version ?? 0, expiresAtMs })) return next !== undefined
      await sleep(this.#clock, Math.random() * MOST_APART_MS)
    }
  }
}

const aborted = () => new BotwrightError('ERR_ABORTED', `${ENDPOINT}: the caller aborted the call`)
