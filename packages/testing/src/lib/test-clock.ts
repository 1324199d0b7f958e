import { type Clock, type Timer, VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Span, spanMs } from './duration.ts'

/** The clock of a bot and its service: it is stopped until the test advances it. */
export class TestClock implements Clock {
  readonly #clock: VirtualClock
  #drive: Drive | undefined
  #advancing = 0
  #advanced = Promise.resolve()
  /** Added to each `advance`: a crash or a fault delays the bot by less. */
  #slackMs = 0

  /** Throws `ERR_INVALID_REQUEST` if `startMs` is not a time: the result of parsing an invalid date. */
  constructor(startMs: number) {
    if (!Number.isFinite(startMs))
      throw new BotwrightError('ERR_INVALID_REQUEST', "now: not a time; write it as '2026-03-01T08:00:00Z'")
    this.#clock = new VirtualClock(startMs)
  }

  now(): number {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  after(ms: number, fire: () => void): Timer {
    return this.#clock.after(ms, fire)
  }

  /**
   * Advances time: `'2h'`, `{ minutes: 16 }`, or milliseconds. Running work first goes as far as it can: a command that is still
   * loading, a call that is on its way. Everything that becomes due on the way happens at its own time, one after the other, and has ended when this
   * resolves. Hours pass in moments.
   */
  async advance(span: Span): Promise<void> {
    const ms = spanMs(span) + this.#slackMs
    const drive = this.#drive
    try {
      await drive?.before()
      const end = drive?.begin()
      this.#advancing++
      const advanced = this.#clock.advance(ms, drive?.between)
      this.#advanced = advanced.catch(() => {})
      try {
        await advanced
      } finally {
        this.#advancing--
        end?.()
      }
    } finally {
      drive?.moved()
    }
    await drive?.after()
  }

  /** @internal Advances for a bot that starts again, unless a test is advancing the clock already. `runs`: whether it has started. */
  async warm(ms: number, runs: boolean): Promise<void> {
    if (this.#advancing === 0) await this.#clock.advance(ms, runs ? this.#drive?.between : undefined)
  }

  /** @internal Lets this time pass for a bot that recovers, while a test is advancing the clock or after that. */
  async pass(ms: number): Promise<void> {
    const endMs = this.now() + ms
    while (this.#advancing > 0) await this.#advanced
    if (this.now() < endMs) await this.#clock.advance(endMs - this.now(), this.#drive?.between)
  }

  /** @internal */
  slack(ms: number): void {
    this.#slackMs = ms
  }

  /** @internal */
  drive(drive: Drive): void {
    this.#drive = drive
  }
}

/** Hooks that run when the clock moves. */
interface Drive {
  /** Awaited at the beginning. */
  before: () => Promise<void>
  /** Called when it begins to move; the result is called when it has stopped again. */
  begin: () => () => void
  /** Awaited after each timer. */
  between: () => Promise<void>
  /** Called when it has stopped, before `after`. */
  moved: () => void
  /** Awaited at the end. */
  after: () => Promise<void>
}
