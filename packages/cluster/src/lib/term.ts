import type { BotEvent, Click, Clock, Delivery, Journal, Log, Term } from '@botwright/framework/cluster'
import { BotwrightError, SECOND_TURN_MS } from '@botwright/framework/cluster'
import type { Broker } from './broker.ts'
import { leaderJournal, type Position } from './journal.ts'
import { OfferDesk } from './offers.ts'
import type { Pen } from './pen.ts'
import type { Place } from './place.ts'
import { run, script } from './scripts.ts'
import { wait } from './wait.ts'

/** What a leader works with, in each of its terms. */
export interface LeaderParts extends Place {
  clock: Clock
  log: Log
  broker: Broker
  pen: Pen
  setAside: (event: BotEvent, reason: string) => void
  /** Redis refuses something. */
  failed: (error: unknown) => void
}

export interface TermOptions extends LeaderParts {
  number: number
  /** The start of Redis from which the position was read. */
  server: string
  position: Position | undefined
  countSetAside: () => number
  /** See `Election.check`. */
  check: () => void | Promise<boolean>
  resign: () => Promise<void>
  saved: (position: Position) => void
}

/** Written behind, in one step for all that came meanwhile. */
const SAVE_AFTER_MS = 200
const RETRY_MS = 100
/** No further events are published while more than these wait in the queues: the feed keeps a day, Redis keeps it in memory. */
const MOST_WAITING = 10_000
const COUNT_EVERY_MS = 250

/** KEYS: terms, position, seen. ARGV: the term, after, savedAtMs, era, whether the ids began anew. */
export const savePosition = script<number>(
  'position-save',
  `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'after', ARGV[2], 'savedAtMs', ARGV[3], 'era', ARGV[4])
if ARGV[5] == '1' then redis.call('DEL', KEYS[3]) else redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[2]) end
return 1`,
)

interface Waiting {
  event: BotEvent
  resolve: () => void
}

/** A leader's time. What it writes, it writes in its order, by one hand, and with its number. */
export class RedisTerm implements Term {
  readonly number: number
  readonly journal: Journal
  readonly #o: TermOptions
  readonly #over = new AbortController()
  readonly #desk: OfferDesk
  #era: number
  #waiting: Waiting[] = []
  #position: { position: Position; reset: boolean } | undefined
  /** The newest position of this leader, saved or not. */
  #latest: Position | undefined
  #writing: Promise<void> | undefined
  #saveTimer: { cancel(): void } | undefined
  #countedAtMs = -Infinity
  #told = false
  #finishing = false
  #placed: boolean

  constructor(options: TermOptions) {
    this.#o = options
    this.number = options.number
    this.#era = options.position?.era ?? 0
    this.#placed = options.position !== undefined
    this.#latest = options.position
    const { link, keys, clock, position, setAside, countSetAside } = options
    const journal = leaderJournal({
      position,
      setAside,
      countSetAside,
      moved: (position, reset) => this.#moved(position, reset),
      offersDone: (ids) => this.#desk.done(ids),
    })
    this.journal = journal
    this.#desk = new OfferDesk({ link, keys, clock, signal: this.signal, holds: (id) => journal.holds(id) })
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  check(): void | Promise<void> {
    if (this.signal.aborted) throw this.#isOver()
    const asked = this.#o.check()
    if (!asked) return
    return this.#ask(asked)
  }

  /** Settles when it is kept, and never when the term ends before. */
  publish({ event }: Delivery): Promise<void> {
    return new Promise((resolve) => {
      if (this.#finishing) return
      this.#waiting.push({ event, resolve })
      this.#write()
    })
  }

  async acknowledge(click: Click, atMs: number): Promise<void> {
    await this.#insist(() => this.#o.broker.schedule(click, [atMs, atMs + SECOND_TURN_MS]))
  }

  offers(hear: (event: BotEvent) => Promise<void>): void {
    this.#desk.open(hear)
  }

  /** Copies that were kept while nobody heard of them. */
  lookForOffers(): void {
    this.#desk.look()
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

  /** Ends it: nothing is written in its name any more. */
  end(): void {
    if (this.signal.aborted) return
    this.#saveTimer?.cancel()
    this.#over.abort(this.#isOver())
    this.#desk.close()
  }

  async #ask(asked: Promise<boolean>): Promise<void> {
    if (!(await asked) || this.signal.aborted) throw this.#isOver()
  }

  #moved(position: Position, reset: boolean): void {
    this.#era = position.era
    this.#latest = position
    this.#position = { position, reset: reset || this.#position?.reset === true }
    // The first one of all decides where the bot begins.
    if (reset || !this.#placed) this.#write()
    else
      this.#saveTimer ??= this.#o.clock.after(SAVE_AFTER_MS, () => {
        this.#saveTimer = undefined
        this.#write()
      })
  }

  /** One hand: what is written later is written behind what is written now. */
  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      if (!this.signal.aborted && this.#waiting.length > 0) this.#write()
    })
  }

  async #writeAll(): Promise<void> {
    // All events of a page are published in one turn of the loop.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (!this.signal.aborted && (this.#waiting.length > 0 || (this.#position && !this.#saveTimer))) {
      await this.#save()
      const batch = this.#waiting.splice(0)
      if (batch.length === 0) continue
      await this.#room()
      const events = batch.map(({ event }) => event)
      const kept = await this.#insist(() =>
        this.#o.broker.publish({ term: this.number, era: this.#era, server: this.#o.server, events }),
      )
      if (kept === false) return this.#lost()
      if (kept) for (const { resolve } of batch) resolve()
    }
  }

  async #save(): Promise<void> {
    const due = this.#position
    if (!due || (this.#saveTimer && !due.reset)) return
    this.#position = undefined
    const { pen, server, keys } = this.#o
    const { after, savedAtMs, era } = due.position
    const args = [this.number, after, savedAtMs, era, due.reset ? 1 : 0]
    const saved = await this.#insist(async () => {
      if ((await pen.server()) !== server) return 0
      return run(pen.redis, savePosition, [keys.terms, keys.position, keys.seen], args)
    })
    if (saved === 0) this.#lost()
    else if (saved === 1) this.#o.saved(due.position)
    this.#placed = true
  }

  /** The last position, before another machine leads. */
  async #finish(): Promise<void> {
    // What is not published is the next leader's.
    this.#finishing = true
    this.#waiting = []
    this.#saveTimer?.cancel()
    this.#saveTimer = undefined
    this.#write()
    await this.#writing
  }

  async #room(): Promise<void> {
    const { clock, broker, log } = this.#o
    if (clock.monotonic() - this.#countedAtMs < COUNT_EVERY_MS) return
    for (;;) {
      const waiting = await this.#insist(() => broker.waiting())
      this.#countedAtMs = clock.monotonic()
      if (waiting === undefined || waiting <= MOST_WAITING || this.#finishing) return
      if (!this.#told) {
        this.#told = true
        log.warn(
          { waiting },
          `${waiting} events are waiting for an instance: no more are read until fewer than ${MOST_WAITING} wait. Start another instance, or make the handlers faster`,
        )
      }
      await wait(clock, COUNT_EVERY_MS)
    }
  }

  /** Again and again while the term lasts: undefined when it is over. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.signal.aborted) {
      try {
        await this.check()
        return await work()
      } catch (error) {
        // That Redis is away is told by the link; the lease decides how long that may last.
        if (this.#o.link.awaySinceMs === undefined && !this.signal.aborted) this.#o.failed(error)
        await wait(this.#o.clock, RETRY_MS)
      }
    }
    return undefined
  }

  /** Another term has begun before this machine has noticed, or Redis was started anew: what it holds must be read again. */
  #lost(): void {
    void this.#o.resign()
    this.end()
  }

  #isOver(): BotwrightError {
    return new BotwrightError(
      'ERR_FENCED',
      `cluster: term ${this.number}, in which this instance was the leader, is over`,
    )
  }
}
