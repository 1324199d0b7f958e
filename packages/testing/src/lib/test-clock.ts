import { type Clock, type Timer, VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Span, spanMs } from './duration.ts'

/** The clock of a bot and its service: it is stopped until the test advances it. */
export class TestClock implements Clock {
  readonly #clock: VirtualClock
  #drive: Drive | undefined

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
    const drive = this.#drive
    await drive?.before()
    const end = drive?.begin()
    try {
      await this.#clock.advance(spanMs(span), drive?.between)
    } finally {
      end?.()
    }
    await drive?.after()
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
  /** Awaited at the end. */
  after: () => Promise<void>
}
