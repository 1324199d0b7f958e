import type { Clock, Timer } from '@botwright/clock'
import { systemClock } from '@botwright/clock'
import type { Log, StateStore } from '../../author/ports.ts'
import { type DueRow, dueMsOf, RunStore } from '../../link/durable/run-store.ts'
import { timerAt } from '../jobs/timer-at.ts'

export interface RunTimersOptions {
  store: StateStore
  clock: Clock
  log: Log
  wake: (run: string, row: { due: string } & Pick<DueRow, 'request'>) => Promise<void>
  /** Called with each look at the store: a test's clock waits for it. */
  loading?: ((looking: Promise<unknown>) => void) | undefined
}

/** How many runs are woken at once; the others follow, in the order of their time. */
const MAX_CONCURRENT = 50
/** A run that takes longer, such as one with a step that hangs, no longer keeps others waiting. */
const SLOW_MS = 5000
/** After this time, a run that could not continue is woken again. */
const RETRY_MS = 30_000
/** How often requests of `framework runs` are looked for. */
const REQUESTS_MS = 1000

/** Wakes the durable runs whose time has come: one timer for all of them, over the rows of the store. */
export class RunTimers {
  readonly #options: RunTimersOptions
  readonly #runs: RunStore
  /** Rows that are being woken. */
  readonly #waking = new Set<string>()
  /** Those that take long. */
  readonly #slow = new Set<string>()
  /** Rows that were woken, and the monotonic time at which they are woken again if they still exist. */
  readonly #woken = new Map<string, number>()
  #timer: Timer | undefined
  #requests: Timer | undefined
  #looking = false
  #again = false
  #stopped = false

  constructor(options: RunTimersOptions) {
    this.#options = options
    this.#runs = new RunStore(options.store)
    this.look()
    this.#watchRequests()
  }

  /** Looks again: a row was written. */
  look(): void {
    if (this.#stopped) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    const looking = this.#lookNow()
    this.#options.loading?.(looking)
    void looking.then(() => {
      this.#looking = false
      if (!this.#again) return
      this.#again = false
      this.look()
    })
  }

  /** Wakes no more runs. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#requests?.cancel()
  }

  /** New code may have the file of a run that could not continue. */
  reset(): void {
    this.#woken.clear()
    this.look()
  }

  /** Another process writes requests, at any time of the bot's own clock. */
  #watchRequests(): void {
    this.#requests = systemClock.after(REQUESTS_MS, () => {
      this.#watchRequests()
      void this.#runs.due(this.#woken.size + 1).then(
        (rows) => {
          if (rows.some(({ key }) => dueMsOf(key) === 0 && !this.#woken.has(key))) this.look()
        },
        // Reported by the next look.
        () => {},
      )
    })
  }

  async #lookNow(): Promise<void> {
    const { clock, log } = this.#options
    this.#timer?.cancel()
    let nextMs = Infinity
    try {
      const limit = MAX_CONCURRENT + this.#woken.size + 1
      const rows = await this.#runs.due(limit)
      if (this.#stopped) return
      const now = clock.now()
      for (const { key, value } of rows) {
        const againMs = (this.#woken.get(key) ?? 0) - clock.monotonic()
        const dueMs = Math.max(dueMsOf(key), now + againMs)
        if (dueMs > now) nextMs = Math.min(nextMs, dueMs)
        else if (this.#waking.size - this.#slow.size >= MAX_CONCURRENT) break
        else if (!this.#waking.has(key)) this.#wake(key, value)
      }
      const left = new Set(rows.map(({ key }) => key))
      for (const key of this.#woken.keys()) if (!left.has(key) && !this.#waking.has(key)) this.#woken.delete(key)
    } catch (error) {
      if (this.#stopped) return
      log.error({ error }, `the durable runs that are due cannot be read (${(error as Error).message}); trying again`)
      nextMs = clock.now() + RETRY_MS
    }
    this.#timer = timerAt(clock, nextMs, () => this.look())
  }

  #wake(key: string, { run, request }: DueRow): void {
    const { clock, log, wake } = this.#options
    this.#waking.add(key)
    this.#woken.set(key, clock.monotonic() + RETRY_MS)
    const slow = clock.after(SLOW_MS, () => {
      this.#slow.add(key)
      this.look()
    })
    void wake(run, { due: key, ...(request && { request }) })
      .catch((error: unknown) => {
        if (!this.#stopped)
          log.error({ run, error }, `run ${run} could not be woken (${(error as Error).message}); trying again`)
      })
      .then(() => {
        slow.cancel()
        this.#slow.delete(key)
        this.#waking.delete(key)
        // Not at once: a run that could not continue would take the place of the others again.
        this.#woken.set(key, clock.monotonic() + RETRY_MS)
        this.look()
      })
  }
}
