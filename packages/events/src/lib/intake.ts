// From a page of events to running handlers: drop known events, write the journal, then queue by channel or clicked message.

import type { Clock, Timer } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey, laneKey, readEventKey } from './bot-event.ts'
import { HeldCopies } from './held-copies.ts'
import type { Journal } from './journal.ts'
import { beforeAttempt, type Started, startedOf } from './journal-log.ts'
import { type EventQueue, EventQueues, type QueueState, type Run, Unfinished } from './event-queues.ts'
import type { Page } from './page.ts'
import { Received } from './received.ts'
import { type Report, reasonOf } from './report.ts'
import { type SetAside, setAsideEntry } from './set-aside.ts'

export interface IntakeOptions {
  journal: Journal
  clock: Clock
  run: Run
  received?: ((delivery: Delivery) => void) | undefined
  /** Called for an event that has used up its attempts and does not run again. */
  setAside?: ((delivery: Delivery, reason: string) => void) | undefined
  /** Called for an event that was running when the process died, and that the service no longer has. */
  expired?: ((key: EventKey) => Promise<void> | undefined) | undefined
  report: Report
  maxRunning: number
  handlerAttempts: number
  /** Delay the webhook's copies until a poll has returned the events before them. */
  holdOffers: boolean
}

/** How long finished ids may wait to be written together with other changes. */
const DONE_FLUSH_MS = 5
/** How often an idle feed saves the time of its position, which `events_may_have_expired` relies on. */
const SAVE_TIME_MS = 60_000
const RETRY_MS = [100, 250, 500, 1000, 2000, 5000]

/**
 * Passes events from both feeds, once each, through the journal into the queues. All pending changes go into one commit:
 * events about to start, finished events, events from the webhook, and the cursor. The handlers start after it.
 */
export class Intake {
  #received = new Received<Delivery>({ after: 0 }, [])
  /** Attempts that an earlier process started but did not finish. */
  #prior = new Map<EventKey, number>()
  readonly #queues = new EventQueues(
    (delivery, error) => this.#onSettled(delivery, error),
    () => this.#flushSoon(),
  )
  #done: EventKey[] = []
  /** Events of such runs: they stay in the journal as begun, without this attempt, because the process has not died. */
  #givenUp: Started[] = []
  #offered: BotEvent[] = []
  #setAside: SetAside[] = []
  #replayed: EventKey[] = []
  #resetDue = false
  /** A click has arrived since the time of the position was saved. The next process takes later clicks for missed ones. */
  #clickDue = false
  #committing: { resolve(): void; reject(error: Error): void }[] = []
  #idle: (() => void)[] = []
  #room: { limit: number; resolve: () => void } | undefined
  #savedCursor = 0
  #savedAtMs = 0
  #polledAtMs = 0
  #soon = false
  #later: Timer | undefined
  #retry: Timer | undefined
  #failures = 0
  #stopping = false
  /** From now on, a write that fails is not repeated. */
  #stopped = false
  /** Runs that have given up because of the stop. */
  #unfinished = 0
  #counts = { received: 0, duplicates: 0, started: 0, finished: 0, setAside: 0 }
  /** Bots without an event webhook have none. */
  #held: HeldCopies | undefined
  readonly #o: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#o = options
  }

  get polled(): number {
    return this.#received.polled
  }

  queues(limit: number): QueueState[] {
    return this.#queues.busiest(limit)
  }

  get waiting(): number {
    return this.#queues.waiting + (this.#held?.count ?? 0)
  }

  stats() {
    const oldest = this.#received.oldest?.event.created_at
    return {
      ...this.#counts,
      waiting: this.waiting,
      ...this.#queues.counts,
      cursor: this.#received.cursor,
      ...(oldest !== undefined && { oldest }),
    }
  }

  /** Restores the journal's state. No poll may return the copies of the webhook again. Those ahead of the position wait for the events before them. */
  resume(): void {
    const { journal } = this.#o
    const cursor = journal.cursor()
    this.#prior = new Map(journal.unfinished())
    this.#savedCursor = cursor?.after ?? 0
    this.#savedAtMs = this.#polledAtMs = cursor?.savedAtMs ?? 0
    this.#received = new Received(cursor ?? { after: 0 }, journal.doneAboveCursor())
    for (const event of journal.bodies()) {
      const asked = journal.replayed().has(eventKey(event))
      if (!asked && this.#isAhead(event)) this.#holdBack(event, true)
      else this.#accept(event, asked, true)
    }
    this.#flushSoon()
  }

  /** Sets the position of a feed that has none yet. Resolves once it is stored: after a crash, the feed must start at the same one. */
  startAt(last: number): Promise<void> {
    this.#polledAtMs = this.#o.clock.now()
    this.#received.reached(last)
    this.#received.advance()
    this.#flushSoon()
    return new Promise((resolve, reject) => this.#committing.push({ resolve, reject }))
  }

  reset(last: number): void {
    this.#polledAtMs = this.#o.clock.now()
    this.#received.reset(last)
    this.#dropExpired(last)
    this.#resetDue = true
    this.#release(Infinity, [])
    this.#flush()
  }

  /** Dispatches a page and returns the number of new events. */
  takePage({ events, last }: Page): number {
    const received = this.#received
    const before = this.#counts.received
    this.#polledAtMs = this.#o.clock.now()
    if (last > received.polled) received.reached(last)
    if (this.#held && this.#held.count > 0) this.#release(last, events)
    else for (const event of events) if (!this.#isKnown(event)) this.#accept(event)
    if (this.#prior.size > 0) this.#dropExpired(last)
    this.#flush()
    return this.#counts.received - before
  }

  offer(event: BotEvent): Promise<void> {
    if (this.#stopping) return Promise.reject(new Error('the feed is stopping'))
    if (this.#isKnown(event)) {
      if (!this.#offered.some((one) => eventKey(one) === eventKey(event))) return Promise.resolve()
    } else {
      this.#offered.push(event)
      if (this.#o.holdOffers) this.#holdBack(event)
      else this.#accept(event)
      this.#flushSoon()
    }
    return new Promise((resolve, reject) => this.#committing.push({ resolve, reject }))
  }

  /** Runs an event even if its id is known. */
  replay(event: BotEvent): Promise<void> {
    if (this.#stopping) return Promise.reject(new Error('the feed is stopping'))
    const key = eventKey(event)
    this.#prior.delete(key)
    // In the same group, the end of its former run would end the replay too.
    this.#done = this.#done.filter((one) => one !== key)
    this.#offered.push(event)
    this.#replayed.push(key)
    this.#accept(event, true)
    this.#flushSoon()
    return new Promise((resolve, reject) => this.#committing.push({ resolve, reject }))
  }

  async whenAtMost(limit: number): Promise<void> {
    if (!this.#stopping) await new Promise<void>((resolve) => (this.#room = { limit, resolve }))
  }

  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#flushSoon()
    })
  }

  /** Returns the number of events that have not ended at the timeout. */
  async stop(graceMs: number): Promise<number> {
    this.#stopping = true
    this.#room?.resolve()
    this.#flush()
    if (this.#queues.open > 0 && graceMs > 0)
      await new Promise<void>((resolve) => {
        const timer = this.#o.clock.after(graceMs, resolve, { keepAlive: true })
        this.#idle.push(() => (timer.cancel(), resolve()))
      })
    // A write that has failed is tried a last time.
    this.#retry = void this.#retry?.cancel()
    this.#flush()
    this.#stopped = true
    this.#held?.stop()
    for (const timer of [this.#later, this.#retry]) timer?.cancel()
    this.#later = this.#retry = undefined
    for (const waiter of this.#committing.splice(0))
      waiter.reject(new Error('the feed stopped before the event was stored'))
    return this.#queues.open + this.#unfinished
  }

  /** Whether an event of the service was received before, which counts as a duplicate. It gets the current era, whatever the service sent in this field. */
  #isKnown(event: BotEvent): boolean {
    const { era } = this.#received
    if ((event.era ?? 0) !== era) event.era = era
    const known = this.#received.isKnown(event.id)
    if (known) this.#counts.duplicates++
    return known
  }

  #isAhead = ({ id, era = 0 }: BotEvent): boolean => era === this.#received.era && id > this.#received.cursor

  #accept(event: BotEvent, asked = false, kept = false): void {
    const delivery = this.#admit(event, asked, kept)
    if (delivery) this.#queues.push(laneKey(event), delivery)
  }

  /** Counts the event as received. Undefined if it has used up its attempts. */
  #admit(event: BotEvent, asked = false, kept = false): Delivery | undefined {
    const { handlerAttempts, clock, report, received } = this.#o
    this.#counts.received++
    if (event.type === 'interaction') this.#clickDue = true
    const key = eventKey(event)
    const attempts = this.#prior.get(key) ?? 0
    this.#prior.delete(key)
    const delivery: Delivery = { event, attempt: attempts + 1, asked, ...(kept && { kept }) }
    if (this.#isAhead(event)) this.#received.add(event.id, delivery)
    else this.#received.open.set(key, delivery)
    if (attempts < handlerAttempts) {
      if (received) this.#announce(received, delivery)
      return delivery
    }
    const reason = `the process died ${attempts === 1 ? 'once' : `${attempts} times`} while running it`
    this.#received.open.delete(key)
    this.#done.push(key)
    this.#setAside.push({ event, reason, atMs: clock.now() })
    this.#counts.setAside++
    this.#o.setAside?.(delivery, reason)
    report(setAsideEntry(event, attempts, reason))
    return undefined
  }

  /** An error of the caller's `received` must not end the polling. */
  #announce(received: (delivery: Delivery) => void, delivery: Delivery): void {
    try {
      received(delivery)
    } catch (error) {
      const { id, type } = delivery.event
      const message = `event ${id} (${type}): the "received" callback failed; the event still runs: ${reasonOf(error)}`
      this.#o.report({ code: 'run_failed', level: 'error', message, id, type, error })
    }
  }

  #holdBack(event: BotEvent, kept = false): void {
    const delivery = this.#admit(event, false, kept)
    if (!delivery) return
    this.#held ??= new HeldCopies(this.#o.clock, () => (this.#release(Infinity, []), this.#flush()))
    this.#held.add(delivery)
    if (event.id <= this.#received.polled) this.#release(event.id, [])
  }

  /** Moves held copies up to `last` into the queues, in order of id, together with a page's events. */
  #release(last: number, events: BotEvent[]): void {
    const due = this.#held?.take(last) ?? []
    let next = 0
    const pushUpTo = (id: number) => {
      for (; next < due.length && due[next]!.event.id <= id; next++)
        this.#queues.push(laneKey(due[next]!.event), due[next]!)
    }
    for (const event of events) {
      pushUpTo(event.id)
      if (!this.#isKnown(event)) this.#accept(event)
    }
    pushUpTo(Infinity)
  }

  /** Reports events that were running when the process died and that polls no longer return. */
  #dropExpired(last: number): void {
    for (const key of this.#prior.keys()) {
      const { id, era } = readEventKey(key)!
      if ((era === this.#received.era && id > last) || this.#received.open.has(key)) continue
      this.#prior.delete(key)
      const work = this.#o.expired?.(key)
      if (work) void work.then(() => (this.#done.push(key), this.#flushSoon()))
      else this.#done.push(key)
      this.#o.report({
        code: 'event_expired',
        level: 'warn',
        message: `event ${id} was running when the process died, and the service no longer has it: its handler may have run in part`,
        id,
      })
    }
  }

  #onSettled(delivery: Delivery, error: unknown): void {
    const { id, type } = delivery.event
    const key = eventKey(delivery.event)
    if (error instanceof Unfinished) {
      if (!this.#stopped) this.#givenUp.push(beforeAttempt(delivery))
      return (this.#unfinished++, this.#flushSoon())
    }
    this.#counts.finished++
    if (error !== undefined)
      this.#o.report({
        code: 'run_failed',
        level: 'error',
        message: `event ${id} (${type}) counts as finished, but its handler failed: ${reasonOf(error)}`,
        id,
        type,
        error,
      })
    // A replay may have replaced it.
    if (this.#received.open.get(key) === delivery) {
      this.#received.open.delete(key)
      this.#done.push(key)
    }
    if (this.#stopping ? this.#queues.open === 0 : this.#queues.hasReady || this.#idle.length > 0) this.#flushSoon()
    else this.#later ??= this.#o.clock.after(DONE_FLUSH_MS, () => this.#flush(), { keepAlive: true })
  }

  #flushSoon(): void {
    if (this.#soon) return
    this.#soon = true
    setImmediate(() => {
      this.#soon = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#retry) return
    this.#later = void this.#later?.cancel()
    const queues = this.#queues
    const ready = this.#stopping ? [] : queues.takeReady(this.#o.maxRunning - queues.running)
    if (!this.#commit(ready)) {
      queues.release(ready)
      return
    }
    this.#counts.started += ready.length
    const { run } = this.#o
    for (const queue of ready) queues.start(queue, run)
    if (!this.#stopping && queues.hasReady && queues.running < this.#o.maxRunning) this.#flushSoon()
    if (this.#room && this.waiting <= this.#room.limit) {
      this.#room.resolve()
      this.#room = undefined
    }
    if (this.#idle.length > 0) this.#checkIdle()
  }

  #commit(ready: EventQueue[]): boolean {
    const cursor = this.#received.advance()
    const { era } = this.#received
    const due =
      this.#resetDue ||
      (cursor > 0 &&
        (cursor !== this.#savedCursor || this.#clickDue || this.#polledAtMs - this.#savedAtMs >= SAVE_TIME_MS))
    const bare = [ready, this.#done, this.#offered, this.#givenUp].every(({ length }) => length === 0)
    if (bare && !due) return true
    const written = this.#o.journal.commit({
      started: [...ready.map(({ current }) => startedOf(current!)), ...this.#givenUp],
      done: this.#done,
      offered: this.#offered,
      setAside: this.#setAside,
      replayed: this.#replayed,
      reset: this.#resetDue,
      ...(due && { cursor: { after: cursor, savedAtMs: this.#polledAtMs, ...(era > 0 && { era }) } }),
    })
    if (!written) {
      if (this.#stopped) return false
      this.#retry = this.#o.clock.after(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]!, () => {
        this.#retry = undefined
        this.#flush()
      })
      return false
    }
    ;[this.#failures, this.#resetDue] = [0, false]
    ;[this.#done, this.#givenUp] = [[], []]
    if (this.#offered.length > 0) this.#offered = []
    if (this.#setAside.length > 0) this.#setAside = []
    if (this.#replayed.length > 0) this.#replayed = []
    if (due) [this.#savedCursor, this.#savedAtMs, this.#clickDue] = [cursor, this.#polledAtMs, false]
    if (this.#committing.length > 0) for (const waiter of this.#committing.splice(0)) waiter.resolve()
    return true
  }

  #checkIdle(): void {
    if (this.#queues.open > 0 || (!this.#stopping && this.waiting > 0)) return
    if (this.#done.length > 0) return this.#flushSoon()
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}
