import { type Clock, type Timer, VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Span, spanMs } from './duration.ts'

/** The clock of a bot and its service. It stands still until the test advances it. */
export class TestClock implements Clock {
  readonly #clock: VirtualClock
  #drive: Drive | undefined

  /** Throws `ERR_INVALID_REQUEST` where `startMs` is no time: what a date reads of a wrong text. */
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
   * Advances the clock: `'2h'`, `{ minutes: 16 }`, or milliseconds. First, work in progress runs as far as it can, such as a command that
   * is loading or a call that is on its way. Then everything that becomes due runs at its own time, one after the other, and has finished
   * when this resolves. Hours take moments.
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

/** What goes with the clock when it moves. */
interface Drive {
  /** Awaited at the beginning. */
  before: () => Promise<void>
  /** As it begins to move; the result is called when it stands again. */
  begin: () => () => void
  /** Awaited after each timer. */
  between: () => Promise<void>
  /** Awaited at the end. */
  after: () => Promise<void>
}
