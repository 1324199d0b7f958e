import type { Clock, Timer } from '@botwright/clock'
import type { Log } from '../../author/ports.ts'
import { DISPOSE_MS } from '../../link/messages.ts'

/** The thread itself limits each function to `DISPOSE_MS`, unless it is blocked. */
const TIMEOUT_MS = DISPOSE_MS + 500

/** The supervisor's view of a worker thread that runs its `onDispose` functions. */
export class ThreadDisposal {
  readonly #clock: Clock
  readonly #log: Log
  /** Resolves when all functions have ended, or the thread is blocked or has ended. */
  readonly ended: Promise<void>
  #end!: () => void
  #timer: Timer
  /** The function that runs now, and where it was registered. */
  #next: { at: string; what: string } | undefined

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock
    this.#log = log
    this.ended = new Promise((resolve) => (this.#end = resolve))
    this.#timer = this.#startTimer()
  }

  next(at: string, what: string): void {
    this.#next = { at, what }
    this.#timer.cancel()
    this.#timer = this.#startTimer()
  }

  end(): void {
    this.#next = undefined
    this.#timer.cancel()
    this.#end()
  }

  /** Called when the thread ends before the disposal. */
  died(exitCode: number, error: Error | undefined): void {
    const how = error ? `: ${error.message}` : ` with process.exit(${exitCode})`
    this.#logFailure(`ended its thread${how}`, error)
    this.end()
  }

  #startTimer(): Timer {
    const late = () => {
      this.#logFailure('blocked its thread, which was terminated')
      this.end()
    }
    return this.#clock.after(TIMEOUT_MS, late, { keepAlive: true })
  }

  #logFailure(what: string, error?: Error): void {
    if (!this.#next) return
    const { at, what: name } = this.#next
    this.#log.error(
      { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), at, ...(error && { error }) },
      `${at}: ${name} ${what}`,
    )
  }
}
