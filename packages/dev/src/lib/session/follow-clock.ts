import { setTimeout as sleep } from 'node:timers/promises'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import type { Outcome } from '@botwright/framework'
import type { RunningBot } from '@botwright/framework/start'
import { shortened } from '@botwright/protocol/facts'
import { type ServiceCall, listenToService } from '../local-service/listen-to-service.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** A handler that is busy for longer does not hold up the clock. */
const BUSY_MS = 5000
const STEP_MS = 1
/** So many times nothing happens before the clock moves on: a handler may call the store several times without calling the service. */
const MOST_IDLE = 4
const MOST_FILES = 1000
/** So many different errors of a file are reported, each of at most so many characters. */
const MOST_ERRORS = 5
const ERROR_LENGTH = 1000

/** How the runs of a file's handler ended. */
interface Runs {
  runs: number
  failed: number
  repeated: number
  errors: { at: string; message: string }[]
}

/** Moves the clock of the bot along with that of the local service: `framework clock`. */
export class ClockFollower {
  readonly clock = new AdvanceableClock(systemClock)
  readonly #bot: () => RunningBot | undefined
  readonly #listening: AsyncDisposable
  /** The calls of the bot that have not ended, without the poll for events. */
  #open = 0
  #begun = 0
  /** The handlers that have ended since the clock began to move, by file. */
  readonly #ran = new Map<string, Runs>()

  constructor(service: Pick<LocalService, 'baseUrl' | 'token'>, bot: () => RunningBot | undefined) {
    this.#bot = bot
    this.#listening = listenToService(service, (call, signal) => this.#follow(call, signal))
  }

  readonly traffic = (endpoint: string, change: 1 | -1): void => {
    if (endpoint === 'events.list') return
    this.#open += change
    if (change > 0) this.#begun++
  }

  /** Called with each outcome of the bot. */
  observe({ file, error, result, again }: Outcome): void {
    if (file === undefined) return
    const ran = this.#ran.get(file) ?? { runs: 0, failed: 0, repeated: 0, errors: [] }
    this.#ran.set(file, ran)
    ran.runs++
    if (!error) return
    ran.failed++
    if (again || result === 'crashed') ran.repeated++
    const { at } = error
    const message = shortened(error.message, ERROR_LENGTH)
    if (ran.errors.length < MOST_ERRORS && !ran.errors.some((one) => one.at === at && one.message === message))
      ran.errors.push({ at, message })
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#listening[Symbol.asyncDispose]()
  }

  async #follow(call: ServiceCall, signal: AbortSignal): Promise<void> {
    const { clock } = this
    const { ahead_ms } = (await call(`/clock?ahead_ms=${clock.aheadMs}`)) as { ahead_ms: number }
    if (ahead_ms <= clock.aheadMs) return
    const move = (body: object) => call('/clock', { method: 'PUT', body: JSON.stringify(body) })
    this.#ran.clear()
    // From timer to timer, so that what one of them starts sees its own time, and can set the next one.
    for (
      let nextMs = await this.#settle();
      clock.aheadMs < ahead_ms && !signal.aborted;
      nextMs = await this.#settle()
    ) {
      const stepMs = Math.min(nextMs, ahead_ms - clock.aheadMs)
      await move({ ahead_ms: clock.aheadMs + stepMs })
      clock.advance(stepMs)
    }
    const ran = [...this.#ran].slice(0, MOST_FILES).map(([file, counts]) => ({ file, ...counts }))
    await move({ ahead_ms, ran })
  }

  /** Waits until the bot has done what its timers started. Resolves with the time until the next timer. */
  async #settle(): Promise<number> {
    const endMs = performance.now() + BUSY_MS
    let threadsMs: number | undefined
    for (let idle = 0; idle < MOST_IDLE && performance.now() < endMs;) {
      const begun = this.#begun
      await sleep(STEP_MS)
      // Every thread answers, so the calls that its timers have caused arrive before.
      threadsMs = await this.#bot()?.nextTimerMs()
      const isBusy = this.#open > 0 || this.#begun !== begun || this.#bot()?.busy === true
      idle = isBusy ? 0 : idle + 1
    }
    return Math.min(this.clock.nextMs ?? Infinity, threadsMs ?? Infinity)
  }
}
