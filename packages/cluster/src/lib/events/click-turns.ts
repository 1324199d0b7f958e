import { BoundedMap, type Click, type Clock, type Timer } from '@botwright/framework/cluster'
import {
  actionAtTurn,
  afterFailedAnswer,
  firstTurn,
  isOver,
  mayLeave,
  RENEW_TURN_MS,
  sawFailure,
  sweepAtMs,
  type TrackedClick,
} from '../../protocol/clicks.ts'
import { bestEffort } from '../redis/best-effort.ts'
import { isAnswer } from '../redis/connect.ts'
import { checkJson, clickSchema } from '../redis/from-redis.ts'
import { isFull } from '../redis/reasons.ts'
import type { Location } from '../redis/location.ts'
import { removeClicks, sweepClicks, takeTurn } from './protocol-scripts.ts'
import { wait } from '../redis/wait.ts'

export interface ClickTurnsOptions extends Location {
  clock: Clock
  /** When this process joined, by the clock of Redis. */
  sinceMs: number
  /** Acknowledges a click. `mayLeave` is asked right before the request leaves. Rejects if another instance may succeed. */
  ack(click: Click, mayLeave: () => boolean): Promise<void>
  /** Whether this instance's lease is valid. */
  sure(): boolean
}

interface Tracked extends TrackedClick {
  click: Click
  timer: Timer | undefined
  /** When its turn was taken last (monotonic). */
  takenAtMs: number
}

/** How late a sweep may be, at random: not all instances come at the same time. */
const SPREAD_MS = 40
const MOST_FAILED = 10_000
/** An instance that leaves waits so long for the response to an answer. */
const LAST_ANSWER_MS = 700
const LOOK_AGAIN_MS = 100

/**
 * Acknowledges the clicks of own partitions if they are not answered in time, and those of all partitions whose owner is silent.
 * `protocol/clicks.ts` decides; this class asks Redis, waits and sends.
 */
export class ClickTurns {
  readonly #o: ClickTurnsOptions
  readonly #tracked = new Map<string, Tracked>()
  /** Those whose event is run by the next owner of its partition never end here. */
  readonly #failed = new BoundedMap<string, true>(MOST_FAILED)
  #sweep: { timer: Timer; atMs: number } | undefined
  #closed = false

  constructor(options: ClickTurnsOptions) {
    this.#o = options
  }

  get sinceMs(): number {
    return this.#o.sinceMs
  }

  /** A click of an own partition was read. */
  track(click: Click, turnAtMs: number): void {
    const nowMs = this.#now()
    const first = firstTurn(turnAtMs, nowMs)
    // No sweep takes it any longer: it leaves the set with its event.
    if (isOver(turnAtMs, this.#o.sinceMs, nowMs)) this.#failed.set(click.interactionId, true)
    if (!first || this.#closed) return
    const tracked: Tracked = { ...first, click, timer: undefined, takenAtMs: 0 }
    this.#tracked.set(click.interactionId, tracked)
    tracked.timer = this.#o.clock.after(Math.max(0, turnAtMs - nowMs), () => void this.#turn(tracked))
  }

  /** A handler's answer is under way, was sent, or could not be sent. */
  async answering(interactionId: string, state: 'begun' | 'answered' | 'failed'): Promise<void> {
    const tracked = this.#tracked.get(interactionId)
    if (state === 'answered') {
      this.#untrack(interactionId)
      const { link, keys } = this.#o
      await removeClicks(link.redis, keys, [interactionId])
    } else if (state === 'begun') {
      if (tracked?.phase === 'waiting') tracked.phase = 'answering'
    } else if (tracked?.phase === 'answering') {
      tracked.phase = 'waiting'
      if (afterFailedAnswer(tracked.turnAtMs, this.#now()) === 'acknowledge') await this.#turn(tracked)
    }
  }

  /** Whether the clicker saw the click fail, because no instance ran. */
  async unheard({ interactionId }: Click): Promise<boolean> {
    const { link, keys, sinceMs } = this.#o
    const turn = await link.redis.zscore(keys.acks, interactionId)
    if (turn === null || !sawFailure(Number(turn), sinceMs)) return false
    this.#failed.set(interactionId, true)
    return true
  }

  /** The click's event is finished. One that failed was known as such until now, also to the next owner. */
  ended(interactionId: string): void {
    const { link, keys } = this.#o
    if (this.#failed.delete(interactionId)) void bestEffort(removeClicks(link.redis, keys, [interactionId]))
  }

  /** The next turn of all clicks, as Redis returned it with its time. */
  heartbeat(nextTurnAtMs: number): void {
    if (nextTurnAtMs < 0 || this.#closed) return
    const { clock } = this.#o
    const waitMs = Math.max(0, sweepAtMs(nextTurnAtMs) - this.#now()) + Math.random() * SPREAD_MS
    const atMs = clock.monotonic() + waitMs
    if (this.#sweep && this.#sweep.atMs <= atMs) return
    this.#sweep?.timer.cancel()
    this.#sweep = { atMs, timer: clock.after(waitMs, () => void this.#sweepNow()) }
  }

  /** Acknowledges at once what is open: this instance leaves. */
  async flush(): Promise<void> {
    await Promise.all(
      [...this.#tracked.values()].filter(({ phase }) => phase === 'waiting').map((tracked) => this.#turn(tracked)),
    )
  }

  /** The same once its handlers have ended: an answer that is under way may still be refused. */
  async flushLast(): Promise<void> {
    const { clock } = this.#o
    const endMs = clock.monotonic() + LAST_ANSWER_MS
    const isAnswering = () => [...this.#tracked.values()].some(({ phase }) => phase === 'answering')
    while (isAnswering() && clock.monotonic() < endMs) await wait(clock, LOOK_AGAIN_MS)
    await this.flush()
  }

  /** The life of this instance is over: other instances acknowledge its clicks. */
  drop(): void {
    for (const id of this.#tracked.keys()) this.#untrack(id)
  }

  close(): void {
    this.#closed = true
    this.drop()
    this.#sweep?.timer.cancel()
    this.#sweep = undefined
  }

  async #turn(tracked: Tracked): Promise<void> {
    const { interactionId } = tracked.click
    if (this.#tracked.get(interactionId) !== tracked) return
    tracked.timer?.cancel()
    if (!(await this.#take(tracked))) return this.#untrack(interactionId)
    if (actionAtTurn(tracked) === 'acknowledge') await this.#acknowledge(tracked)
  }

  /** Takes the turn, now and again until the click is answered. False: another instance has it, or the click is answered. */
  async #take(tracked: Tracked): Promise<boolean> {
    const { link, keys, clock } = this.#o
    const { interactionId } = tracked.click
    const atMs = clock.monotonic()
    try {
      const turnAtMs = await takeTurn(link.redis, keys, { interactionId, turnAtMs: tracked.turnAtMs })
      if (turnAtMs === 0) return false
      tracked.turnAtMs = turnAtMs
      tracked.takenAtMs = atMs
    } catch (error) {
      // While Redis does not respond, or accepts no writes, no instance can take the turn. The lease guarantees that this one still owns the click.
      if ((isAnswer(error) && !isFull(error)) || !this.#o.sure()) return false
      tracked.takenAtMs = atMs
    }
    if (this.#tracked.get(interactionId) === tracked)
      tracked.timer = clock.after(
        RENEW_TURN_MS,
        () => void this.#take(tracked).then((taken) => void (taken || this.#untrack(interactionId))),
      )
    return true
  }

  async #acknowledge(tracked: Tracked): Promise<void> {
    const { clock, link, keys } = this.#o
    const { click } = tracked
    tracked.phase = 'acking'
    try {
      await this.#o.ack(click, () => mayLeave(tracked.takenAtMs, clock.monotonic()))
      // Unless the client's own note of the answer has removed it.
      if (this.#tracked.get(click.interactionId) === tracked)
        await bestEffort(removeClicks(link.redis, keys, [click.interactionId]))
    } catch {
      // The sweep of any instance tries it again, while the click can still be answered in time.
      this.heartbeat(tracked.turnAtMs)
    } finally {
      this.#untrack(click.interactionId)
    }
  }

  async #sweepNow(): Promise<void> {
    this.#sweep = undefined
    const { link, keys, sinceMs, clock } = this.#o
    if (this.#closed) return
    const atMs = clock.monotonic()
    // Without an answer the next heartbeat leads to the next sweep.
    const swept = await bestEffort(sweepClicks(link.redis, keys, { sinceMs }))
    if (!swept || this.#closed) return
    this.heartbeat(swept.nextTurnAtMs)
    for (const { interactionId, turnAtMs, click: text } of swept.taken) {
      const { value: click, fault } = checkJson(clickSchema, text)
      if (fault !== undefined || click.interactionId !== interactionId) {
        link.malformed('click', fault ?? 'it has another id')
        void bestEffort(removeClicks(link.redis, keys, [interactionId]))
        continue
      }
      const own = this.#tracked.get(interactionId)
      own?.timer?.cancel()
      const tracked: Tracked = { click, turnAtMs, phase: 'acking', timer: undefined, takenAtMs: atMs }
      this.#tracked.set(interactionId, tracked)
      tracked.timer = clock.after(RENEW_TURN_MS, () => void this.#take(tracked))
      void this.#acknowledge(tracked)
    }
  }

  #untrack(interactionId: string): void {
    this.#tracked.get(interactionId)?.timer?.cancel()
    this.#tracked.delete(interactionId)
  }

  #now(): number {
    return this.#o.clock.now()
  }
}
