import type { Clock, Timer } from '@botwright/clock'
import type { Log } from '../../author/ports.ts'
import { DISPOSE_MS } from '../../link/messages.ts'

/** The thread keeps the time of each by itself, unless it is blocked: hence a little more. */
const PATIENCE_MS = DISPOSE_MS + 500

/** The disposal of a worker thread's code, seen from the supervisor. */
export class ThreadDisposal {
  readonly #clock: Clock
  readonly #log: Log
  readonly #ended: Promise<void>
  #end!: () => void
  #timer: Timer
  /** Where what is undone now was asked for. */
  #at: string | undefined

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock
    this.#log = log
    this.#ended = new Promise((resolve) => (this.#end = resolve))
    this.#timer = this.#patience()
  }

  /** Resolves when all is undone, when the thread is blocked, and when it has ended. */
  get ended(): Promise<void> {
    return this.#ended
  }

  next(at: string): void {
    this.#at = at
    this.#timer.cancel()
    this.#timer = this.#patience()
  }

  end(): void {
    this.#at = undefined
    this.#timer.cancel()
    this.#end()
  }

  /** The thread has ended before it was done. */
  died(exitCode: number, error: Error | undefined): void {
    const how = error ? `: ${error.message}` : ` (process.exit with code ${exitCode})`
    this.#tell(`ended its thread${how}`, error)
    this.end()
  }

  #patience(): Timer {
    const late = () => {
      this.#tell('blocked its thread, which was terminated')
      this.end()
    }
    return this.#clock.after(PATIENCE_MS, late, { keepAlive: true })
  }

  #tell(what: string, error?: Error): void {
    if (this.#at === undefined) return
    const file = this.#at.replace(/:\d+$/, '')
    this.#log.error(
      { code: 'ERR_HANDLER', file, at: this.#at, ...(error && { error }) },
      `${this.#at}: onDispose ${what}`,
    )
  }
}
