// The source of events: one long poll after another, despite any kind of invalid response.

import { type Clock, sleep } from '@botwright/clock'
import { type Page, readPage } from './page.ts'
import { type Report, reasonOf } from './report.ts'

/**
 * Requests events from the service (`GET /events`, §4). Throws if there is no usable response. The error may have the HTTP
 * `status`, and `retryAfterSeconds` if the service sent it.
 */
export type ListEvents = (query: { after: number; wait: number }, signal: AbortSignal) => Promise<unknown>

/** The service rejected the token: polling again is useless and harmful. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized'
}

export interface PollerOptions {
  listEvents: ListEvents
  clock: Clock
  report: Report
  random: () => number
  /** Aborted when the feed stops. */
  signal: AbortSignal
}

/** How much longer than its `wait` a poll may take before it counts as failed. */
const WATCHDOG_MS = 10_000
const LONGEST_PAUSE_MS = 30_000
const DAY_MS = 86_400_000
/** How often to report an ongoing failure. */
const REPORT_AGAIN_MS = 60_000

/** Sends one request at a time, and repeats it until the response is usable. */
export class Poller {
  polls = 0
  failures = 0
  /** Why the last poll failed; undefined after a valid response. */
  failure: string | undefined
  /** Monotonic time of the last valid response. */
  lastGoodAtMs: number | undefined
  /** The same by the wall clock: the monotonic one may stop while a host sleeps. */
  #lastGoodWallMs = 0
  #inRow = 0
  #failingSinceMs = 0
  #reportedAtMs = 0
  readonly #options: PollerOptions

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** Resolves with a valid page. @throws Unauthorized, or the signal's reason when the feed stops. */
  async page(after: number, waitSeconds: number): Promise<Page> {
    const { clock, signal } = this.#options
    for (;;) {
      signal.throwIfAborted()
      this.polls++
      try {
        const page = readPage(await this.#ask(after, waitSeconds), clock.now())
        if (typeof page !== 'string') {
          this.#good()
          return page
        }
        this.#bad('bad_answer', `the response to the poll is not valid: ${page}`, {})
      } catch (error) {
        signal.throwIfAborted()
        const { status } = error as { status?: unknown }
        if (status === 401) throw new Unauthorized(reasonOf(error), { cause: error })
        this.#bad('poll_failed', `the poll failed: ${reasonOf(error)}`, typeof status === 'number' ? { status } : {})
        const seconds = retryAfterSeconds(error)
        if (seconds !== undefined) {
          await sleep(clock, seconds * 1000, signal)
          continue
        }
      }
      await sleep(clock, this.#pauseMs(), signal)
    }
  }

  /** The watchdog ends a poll even if `listEvents` ignores its signal. */
  #ask(after: number, wait: number): Promise<unknown> {
    const { listEvents, clock, signal } = this.#options
    return new Promise((resolve, reject) => {
      const abort = new AbortController()
      const limitMs = wait * 1000 + WATCHDOG_MS
      const end = () => {
        watchdog.cancel()
        signal.removeEventListener('abort', onStop)
      }
      const fail = (error: Error) => {
        end()
        reject(error)
        abort.abort(error)
      }
      const onStop = () => fail(signal.reason as Error)
      const watchdog = clock.after(limitMs, () => fail(new Error(`no response within ${limitMs / 1000} s`)), {
        keepAlive: true,
      })
      signal.addEventListener('abort', onStop, { once: true })
      try {
        listEvents({ after, wait }, abort.signal).then((answer) => {
          end()
          resolve(answer)
        }, fail)
      } catch (error) {
        fail(error as Error)
      }
    })
  }

  /** The first retry is quick, as most failures are isolated. Later waits grow, with jitter so that bots do not retry in step. */
  #pauseMs(): number {
    const { random } = this.#options
    if (this.#inRow <= 1) return 100 + random() * 200
    const ceiling = Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** Math.min(this.#inRow - 2, 10))
    return Math.max(500, ceiling * (2 / 3 + random() / 3))
  }

  #bad(code: 'bad_answer' | 'poll_failed', message: string, facts: Record<string, unknown>): void {
    const now = this.#options.clock.monotonic()
    this.failures++
    this.failure = message
    if (this.#inRow++ === 0) this.#failingSinceMs = now
    else if (now - this.#reportedAtMs < REPORT_AGAIN_MS && this.#inRow > 3) return
    this.#reportedAtMs = now
    this.#options.report({ code, level: 'warn', message, failures: this.#inRow, ...facts })
  }

  #good(): void {
    const { clock, report } = this.#options
    const now = clock.monotonic()
    const wallMs = clock.now()
    if (this.lastGoodAtMs !== undefined)
      reportGap(report, Math.min(wallMs - (now - this.lastGoodAtMs), this.#lastGoodWallMs), wallMs)
    this.lastGoodAtMs = now
    this.#lastGoodWallMs = wallMs
    if (this.#inRow === 0) return
    const failures = this.#inRow
    this.#inRow = 0
    this.failure = undefined
    const seconds = Math.round((now - this.#failingSinceMs) / 1000)
    report({ code: 'poll_recovered', level: 'info', message: `polling works again after ${seconds} s`, failures })
  }
}

/** The service keeps events for 1 day (§6). */
export function reportGap(report: Report, fromMs: number, toMs: number): void {
  if (toMs - fromMs <= DAY_MS) return
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs - DAY_MS).toISOString()]
  report({
    code: 'events_may_have_expired',
    level: 'warn',
    message: `the last good poll was at ${from}: events from then to ${to} may have expired, as the service keeps them for 1 day`,
    from,
    to,
  })
}

/** Between 1 second and 5 minutes; undefined if the service sent no usable value. */
function retryAfterSeconds(error: unknown): number | undefined {
  const seconds = (error as { retryAfterSeconds?: unknown } | null)?.retryAfterSeconds
  if (typeof seconds !== 'number' || !(seconds >= 0)) return undefined
  return Math.min(Math.max(seconds, 1), 300)
}
