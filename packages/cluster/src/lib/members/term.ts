import type { BotEvent, Click, Clock, Delivery, Journal, Log, Term } from '@botwright/framework/cluster'
import { BotwrightError } from '@botwright/framework/cluster'
import type { Published } from '../../protocol/model.ts'
import { partitionOf } from '../../protocol/partitions.ts'
import { leaderJournal, type Position } from '../events/journal.ts'
import type { LeaderConnection } from './leader-connection.ts'
import type { Location } from '../redis/location.ts'
import { countWaiting, publish, savePosition } from '../events/protocol-scripts.ts'
import { wait } from '../redis/wait.ts'
import { WebhookCopies } from '../events/webhook-copies.ts'

/** The parts that a leader uses in each of its terms. */
export interface LeaderParts extends Location {
  clock: Clock
  log: Log
  /** All data may be lost, and then another instance may choose another number. */
  partitions: () => number
  leaderConnection: LeaderConnection
  setAside: (event: BotEvent, reason: string) => void
  /** Redis refuses something. */
  failed: (error: unknown) => void
}

export interface TermOptions extends LeaderParts {
  number: number
  /** The server process from which the position was read. */
  server: string
  position: Position | undefined
  countSetAside: () => number
  /** See `Election.check`. */
  check: () => void | Promise<boolean>
  resign: () => Promise<void>
  saved: (position: Position) => void
}

/** The position is saved at most so often. */
const SAVE_AFTER_MS = 200
const RETRY_MS = 100
/** Events in one script: Redis does nothing else meanwhile. */
const BATCH = 500
/** Nothing more is polled while more events than this wait: the feed keeps a day, Redis keeps them in memory. */
const MAX_WAITING = 10_000
const COUNT_EVERY_MS = 250

interface Waiting {
  event: BotEvent
  click: { click: Click; atMs: number } | undefined
  resolve: () => void
}

/**
 * One leader's term. It writes on one connection, one command after the other, and each command checks the number of the term. A second
 * batch never overtakes a first one that has failed, so the order within a channel is kept.
 */
export class RedisTerm implements Term {
  readonly number: number
  readonly journal: Journal
  readonly #o: TermOptions
  readonly #over = new AbortController()
  readonly #copies: WebhookCopies
  /** Of the last write. The first one is `Leadership`'s. */
  #writes = 1
  #waiting: Waiting[] = []
  #position: { position: Position; reset: boolean } | undefined
  /** The newest position of this leader, saved or not. */
  #latest: Position | undefined
  #writing: Promise<void> | undefined
  #saveTimer: { cancel(): void } | undefined
  #countedAtMs = -Infinity
  #full = false
  #logged = false
  #finishing = false
  #placed: boolean

  constructor(options: TermOptions) {
    this.#o = options
    this.number = options.number
    this.#placed = options.position !== undefined
    this.#latest = options.position
    const { link, keys, clock, position, setAside, countSetAside } = options
    const journal = leaderJournal({
      position,
      setAside,
      countSetAside,
      moved: (position, reset) => this.#moved(position, reset),
      offersDone: (ids) => this.#copies.done(ids),
    })
    this.journal = journal
    this.#copies = new WebhookCopies({ link, keys, clock, signal: this.signal, holds: (event) => journal.holds(event) })
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Also waits while too many events wait for instances. */
  check(): void | Promise<void> {
    if (this.signal.aborted) throw this.#isOver()
    const asked = this.#o.check()
    if (asked || this.#full) return this.#ask(asked)
  }

  /** Settles when the event is stored, and never if the term ends before. */
  publish({ event }: Delivery, click?: { click: Click; atMs: number }): Promise<void> {
    return new Promise((resolve) => {
      if (this.#finishing) return
      this.#waiting.push({ event, click, resolve })
      this.#write()
    })
  }

  offers(hear: (event: BotEvent) => Promise<void>): void {
    this.#copies.open(hear)
  }

  /** Webhook copies that are stored, by their ids. */
  takeCopies(ids: readonly string[]): void {
    if (!this.#full) this.#copies.take(ids)
  }

  /** Whether a position is past everything that this leader has saved or is about to save. */
  isPast({ after, era }: Position): boolean {
    const own = this.#latest
    return own !== undefined && (era > own.era || (era === own.era && after > own.after))
  }

  /** Another program has overwritten the position. */
  saveAgain(): void {
    if (this.#latest) this.#moved(this.#latest, false)
  }

  async resign(): Promise<void> {
    await this.#finish()
    await this.#o.resign()
  }

  /** Ends it: nothing is written in its name from now on. */
  end(): void {
    if (this.signal.aborted) return
    this.#saveTimer?.cancel()
    this.#over.abort(this.#isOver())
    this.#copies.close()
  }

  /** Another term has begun before this instance noticed, or Redis was started anew: what it stores must be read again. */
  lost(): void {
    void this.#o.resign()
    this.end()
  }

  async #ask(asked: Promise<boolean> | void): Promise<void> {
    if (asked && !(await asked)) throw this.#isOver()
    await this.#room()
    if (this.signal.aborted) throw this.#isOver()
  }

  #moved(position: Position, reset: boolean): void {
    this.#latest = position
    this.#position = { position, reset: reset || this.#position?.reset === true }
    // The first position of all decides where the bot begins.
    if (reset || !this.#placed) this.#write()
    else
      this.#saveTimer ??= this.#o.clock.after(SAVE_AFTER_MS, () => {
        this.#saveTimer = undefined
        this.#write()
      })
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      if (!this.signal.aborted && this.#waiting.length > 0) this.#write()
    })
  }

  async #writeAll(): Promise<void> {
    // All events of a page are published in one turn of the loop.
    await new Promise<void>((resolve) => setImmediate(resolve))
    const { leaderConnection, keys } = this.#o
    while (!this.signal.aborted && (this.#waiting.length > 0 || (this.#position && !this.#saveTimer))) {
      await this.#save()
      const batch = this.#waiting.splice(0, BATCH)
      if (batch.length === 0) continue
      const events = batch.map((one) => this.#published(one))
      const write = { term: this.number, number: ++this.#writes }
      const stored = await this.#insist(() => publish(leaderConnection.redis, keys, { ...write, events }))
      if (stored === undefined) return
      if (stored < 0) return this.lost()
      for (const { resolve } of batch) resolve()
      this.#count()
    }
  }

  #published({ event, click }: Waiting): Published {
    const { clock, partitions } = this.#o
    return {
      name: `${event.era ?? 0}.${event.id}`,
      id: event.id,
      partition: partitionOf(event, partitions()),
      event: JSON.stringify(event),
      ...(click && {
        click: {
          interactionId: click.click.interactionId,
          delayMs: Math.max(0, click.atMs - clock.now()),
          click: JSON.stringify(click.click),
        },
      }),
    }
  }

  async #save(): Promise<void> {
    const due = this.#position
    if (!due || (this.#saveTimer && !due.reset)) return
    this.#position = undefined
    const { leaderConnection, keys } = this.#o
    const { position, reset } = due
    const write = { term: this.number, number: ++this.#writes }
    const saved = await this.#insist(() => savePosition(leaderConnection.redis, keys, { ...write, ...position, reset }))
    if (saved === undefined) return
    if (saved === 0) return this.lost()
    this.#o.saved(position)
    this.#placed = true
  }

  /** The last position, before another instance leads. */
  async #finish(): Promise<void> {
    // The next leader publishes the rest.
    this.#finishing = true
    this.#waiting = []
    this.#saveTimer?.cancel()
    this.#saveTimer = undefined
    this.#write()
    await this.#writing
  }

  /** Now and then, while events are published. */
  #count(): void {
    const { clock, link, keys, partitions } = this.#o
    if (clock.monotonic() - this.#countedAtMs < COUNT_EVERY_MS) return
    this.#countedAtMs = clock.monotonic()
    countWaiting(link.redis, keys, partitions()).then(
      (waiting) => this.#counted(waiting),
      // It is counted again with the next batch.
      () => {},
    )
  }

  #counted(waiting: number): void {
    this.#full = waiting > MAX_WAITING
    if (!this.#full || this.#logged) return
    this.#logged = true
    this.#o.log.warn(
      { waiting },
      `${waiting} events are waiting for an instance: no more are read until fewer than ${MAX_WAITING} wait. Start another instance, or make the handlers faster`,
    )
  }

  async #room(): Promise<void> {
    const { clock, link, keys, partitions } = this.#o
    while (this.#full && !this.#finishing && !this.signal.aborted) {
      await wait(clock, COUNT_EVERY_MS)
      const waiting = await this.#insist(() => countWaiting(link.redis, keys, partitions()))
      if (waiting !== undefined) this.#counted(waiting)
    }
  }

  /** Until it succeeds; undefined when the term is over, also because Redis was started anew. */
  async #insist(work: () => Promise<number>): Promise<number | undefined> {
    const { leaderConnection, server, link, clock } = this.#o
    while (!this.signal.aborted) {
      try {
        const asked = this.#o.check()
        if (asked && !(await asked)) throw this.#isOver()
        if ((await leaderConnection.server()) !== server) {
          this.lost()
          return undefined
        }
        // The connection may have changed while the server was asked.
        if (leaderConnection.isAt(server)) return await work()
      } catch (error) {
        // That Redis is unavailable is logged elsewhere; the lease decides how long that may last.
        if (link.awaySinceMs === undefined && !this.signal.aborted) this.#o.failed(error)
      }
      await wait(clock, RETRY_MS)
    }
    return undefined
  }

  #isOver(): BotwrightError {
    return new BotwrightError(
      'ERR_FENCED',
      `cluster: term ${this.number}, in which this instance was the leader, is over`,
    )
  }
}
