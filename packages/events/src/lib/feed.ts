import { type Clock, sleep } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey, isEventId } from './bot-event.ts'
import { Intake } from './intake.ts'
import type { Journal } from './journal.ts'
import type { QueueState, Run } from './event-queues.ts'
import type { Page } from './page.ts'
import { type ListEvents, Poller, reportGap, Unauthorized } from './poll-loop.ts'
import { type Report, reasonOf } from './report.ts'

/** The source of events, their handler, and how many may wait. */
export interface FeedOptions {
  listEvents: ListEvents
  /** The caller opens it, and closes it after `stop`. */
  journal: Journal
  clock: Clock
  /** Handles one event. A rejection is reported and counts as finished, except for `Unfinished`: the caller must handle errors of its handlers. */
  run: Run
  /** Called when an event arrives, even if the event has to wait in its queue. Errors it throws are reported. */
  received?: (delivery: Delivery) => void
  /** Called with the reason for an event that has used up its attempts and does not run again. */
  setAside?: (delivery: Delivery, reason: string) => void
  /** Called with the key of an event that was running when the process died, and that the service no longer has. Until the promise resolves, the next process calls it again. */
  expired?: (key: EventKey) => Promise<void> | undefined
  report: Report
  /** Default `poll`. `both`: the webhook's copy is kept, and runs in its place in the poll's order. `webhook`: gaps are filled once a minute. */
  delivery?: 'poll' | 'webhook' | 'both'
  /** Where to start without a saved cursor: with new events (default), or with all events that the service has kept. */
  start?: 'now' | 'kept'
  /** How long one poll may wait, from 0 to 25. Default: 25. */
  waitSeconds?: number
  /** Called before each poll. The poll waits for the promise that it returns. */
  holdPoll?: () => Promise<void> | undefined
  /**
   * While more events than this are waiting, no poll starts, and `offer` rejects other events than clicks. After a rejection, it accepts them
   * again once polls have returned the rejected ones. Default: 1000.
   */
  maxWaiting?: number
  /** The maximum number of events that run at the same time. Default: 256. */
  maxRunning?: number
  /** An event is set aside once the process has died this many times while running it. Default: 3. */
  handlerAttempts?: number
  /** Returns 0 up to but not including 1; spreads the retries. Default: Math.random. */
  random?: () => number
}

/** Counts since the feed started. */
export interface FeedStats {
  polls: number
  pollFailures: number
  received: number
  duplicates: number
  malformed: number
  started: number
  finished: number
  setAside: number
  waiting: number
  running: number
  /** Events of bursts. Of each that runs, one counts as running. */
  gathered?: number
  /** Everything received up to this id is finished. */
  cursor: number
  /** When the oldest unfinished event was created. */
  oldest?: string
  /** Monotonic time of the last successful poll. */
  lastPollMs?: number
  /** Why the last poll failed, as it was reported; missing after a valid response. */
  pollFailure?: string
}

/** The reason why the feed ended, by itself or by `stop`. */
export interface FeedEnd {
  reason: 'stopped' | 'unauthorized'
  error?: Error
}

/** Combines poll and webhook in one stream of events: each id once, in order per channel, at least once across crashes (§6). */
export interface Feed {
  /** Starts the feed. Returns immediately. */
  start(): void
  /** Takes an event from the webhook. Resolves once it is in the journal; skips a known id. Rejects above `maxWaiting`: polls return it as soon as there is room. */
  offer(event: BotEvent): Promise<void>
  /** Replays an event that was set aside: every one with this id, if the service's ids have started again. Resolves to false if there is none. */
  replay(id: number): Promise<boolean>
  /** Starts no poll and no handler; running handlers have `graceMs` to finish. `unfinished` events run again after the next start. */
  stop(options: { graceMs: number }): Promise<{ unfinished: number }>
  stats(): FeedStats
  /** The longest queues, and those with the oldest events; up to `limit` of each. */
  queues(limit: number): QueueState[]
  /** Resolves when no event is waiting or running and everything is in the journal. */
  whenIdle(): Promise<void>
  /** Resolves when the service has responded and the position is saved, after which no event is lost. Also resolves when polling ends. */
  readonly placed: Promise<void>
  /** Resolves when polling has ended. Never rejects. */
  readonly ended: Promise<FeedEnd>
}

/** How often webhook-only delivery polls for events that the webhook missed. */
const GAP_POLL_MS = 60_000
/** A page with this many events is probably not the last one. */
const READ_AHEAD = 50
/** After this many immediate, empty responses in a row, polling slows down. */
const EARLY_ANSWERS = 3
const EARLY_PAUSE_MS = 1000

/** Connects the poll and the webhook to the handlers. */
export function createFeed(options: FeedOptions): Feed {
  const { journal, report, delivery = 'poll', start = 'now', waitSeconds = 25, maxWaiting = 1000 } = options
  const { maxRunning = 256, handlerAttempts = 3, random = Math.random } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const poller = new Poller({ ...options, random, signal })
  const intake = new Intake({ ...options, maxRunning, handlerAttempts, holdOffers: delivery === 'both' })
  /** Events that were set aside, and are being replayed. */
  const replaying = new Set<EventKey>()
  let started = false
  let end!: (end: FeedEnd) => void
  const ended = new Promise<FeedEnd>((resolve) => (end = resolve))
  let place!: () => void
  const placed = new Promise<void>((resolve) => (place = resolve))
  const reading = new Reading({
    ...options,
    ...{ delivery, start, waitSeconds, maxWaiting, poller, intake, signal, placed: place },
  })

  return {
    placed,
    ended,
    start() {
      if (started) throw new Error('the feed has already started')
      started = true
      if (delivery === 'webhook')
        report({
          code: 'webhook_only',
          level: 'info',
          message: 'webhook delivery only: the bot shows as offline, and missed events arrive within a minute',
        })
      reading.run().catch((error: unknown) => end(endOf(error, signal, report)))
      void ended.then(place)
    },
    async offer(event) {
      if (!isEventId(event.id)) throw new TypeError('an offered event needs a positive integer id')
      // The person of a click waits for the answer, so it is accepted.
      if (event.type !== 'interaction') reading.refuse(event.id)
      await intake.offer(event)
    },
    async replay(id) {
      const found = journal.listSetAside().flatMap(({ event }) => {
        const key = eventKey(event)
        return event.id === id && !replaying.has(key) ? [{ event, key }] : []
      })
      for (const { key } of found) replaying.add(key)
      try {
        for (const { event } of found) await intake.replay(event)
      } finally {
        for (const { key } of found) replaying.delete(key)
      }
      return found.length > 0
    },
    async stop({ graceMs }) {
      stopping.abort(new Error('the feed stops'))
      if (!started) end({ reason: 'stopped' })
      return { unfinished: await intake.stop(graceMs) }
    },
    stats: () => ({
      ...intake.stats(),
      polls: poller.polls,
      pollFailures: poller.failures,
      malformed: reading.malformed,
      ...(poller.lastGoodAtMs !== undefined && { lastPollMs: poller.lastGoodAtMs }),
      ...(poller.failure !== undefined && { pollFailure: poller.failure }),
    }),
    queues: (limit) => intake.queues(limit),
    whenIdle: () => intake.whenIdle(),
  }
}

/** Why polling has ended. Reports all reasons but a stop. */
function endOf(error: unknown, { aborted: isStopped }: AbortSignal, report: Report): FeedEnd {
  if (error instanceof Unauthorized) {
    report({
      code: 'unauthorized',
      level: 'error',
      message:
        'the service refuses the bot token (401): the feed has ended. Set a valid token; creating a new one invalidates the old one',
    })
    return { reason: 'unauthorized', error }
  }
  if (isStopped) return { reason: 'stopped' }
  // A fault of this package.
  report({ code: 'poll_failed', level: 'error', message: `polling ended: ${reasonOf(error)}` })
  return { reason: 'stopped', error: error as Error }
}

/** The part of the options that reading needs, with the defaults. */
interface ReadingOptions extends Pick<FeedOptions, 'holdPoll' | 'journal' | 'clock' | 'report'> {
  delivery: NonNullable<FeedOptions['delivery']>
  start: NonNullable<FeedOptions['start']>
  waitSeconds: number
  maxWaiting: number
  poller: Poller
  intake: Intake
  signal: AbortSignal
  /** Called once the service has responded and the position is saved. */
  placed: () => void
}

/** Reads pages from the service into the intake. */
class Reading {
  malformed = 0
  /** The highest id of the refused copies. Until a poll has passed it, a later copy would run before them. */
  #refused = 0
  /** Aborted by a copy that was refused since the last poll was sent: the next poll starts without a pause. */
  #hurry = new AbortController()
  readonly #options: ReadingOptions

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** Throws if a poll must bring this event: copies are kept whole in memory and in the journal. */
  refuse(id: number): void {
    const { intake, maxWaiting } = this.#options
    const isFull = intake.waiting > maxWaiting
    if (!isFull && this.#refused <= intake.polled) return
    this.#refused = Math.max(this.#refused, id)
    this.#hurry.abort()
    throw new Error(
      isFull
        ? `more than ${maxWaiting} events are waiting, so a poll brings this one later`
        : 'earlier events were refused, so a poll brings this one after them',
    )
  }

  /** Polls until the signal is aborted or the token is rejected. */
  async run(): Promise<never> {
    const { holdPoll, clock, report, delivery, waitSeconds, maxWaiting, poller, intake, signal, placed } = this.#options
    await this.#begin()
    placed()
    let early = 0
    let ahead: Promise<Page> | undefined
    for (;;) {
      if (intake.waiting > maxWaiting) await intake.whenAtMost(maxWaiting)
      if (holdPoll) await holdPoll()
      signal.throwIfAborted()
      const wait = delivery === 'webhook' ? 0 : waitSeconds
      const after = intake.polled
      const sentAtMs = clock.monotonic()
      if (!ahead && this.#hurry.signal.aborted) this.#hurry = new AbortController()
      const page: Page = await (ahead ?? poller.page(after, wait))
      ahead = undefined
      // A few events are dispatched before the next poll, which would only delay them. After a full page there are
      // more events: request them now, so that they arrive while this page is dispatched.
      if (page.events.length >= READ_AHEAD && page.last > after && intake.waiting + page.events.length <= maxWaiting) {
        ahead = poller.page(page.last, wait)
        // The next turn awaits it. Until then its rejection would be unhandled.
        ahead.catch(() => {})
      }
      const fresh = this.#take(page)
      if (delivery === 'webhook' && !ahead) {
        const isBehind = this.#refused > intake.polled && intake.polled > after
        if (!isBehind) await this.#pause()
      } else if (fresh > 0 || intake.polled > after || wait === 0 || clock.monotonic() - sentAtMs > 100) early = 0
      else if (++early >= EARLY_ANSWERS) {
        if (early === EARLY_ANSWERS)
          report({
            code: 'answers_too_early',
            level: 'warn',
            message: 'the service answers polls without waiting: polling once a second',
          })
        await sleep(clock, EARLY_PAUSE_MS, signal)
      }
    }
  }

  /** Waits for the next poll of webhook-only delivery. */
  async #pause(): Promise<void> {
    const { clock, signal } = this.#options
    const hurry = this.#hurry.signal
    await sleep(clock, GAP_POLL_MS, signal, hurry).catch((error: unknown) => {
      if (!hurry.aborted || signal.aborted) throw error
    })
  }

  /** Finds the starting position. Sends `after=0` once, for the newest id, never to read events. */
  async #begin(): Promise<void> {
    const { journal, clock, report, poller, intake, start } = this.#options
    const saved = journal.cursor()
    intake.resume()
    if (!saved && start === 'kept') {
      await intake.startAt(1)
      report({
        code: 'starting_kept',
        level: 'info',
        message: 'no saved position: starting with all events that the service still has (1 day)',
      })
      return
    }
    const { last } = await poller.page(0, 0)
    if (!saved) {
      await intake.startAt(last)
      report({
        code: 'starting_now',
        level: 'info',
        message: `no saved position: starting now, after event ${last}`,
        last,
      })
      return
    }
    reportGap(report, saved.savedAtMs, clock.now())
    if (last < saved.after) this.#reset(saved.after, last)
  }

  #reset(after: number, last: number): void {
    this.#options.report({
      code: 'feed_reset',
      level: 'warn',
      message: `the saved position ${after} is above the service's newest event ${last}: the feed was reset (another database, bot or address?). Continuing from ${last}`,
      after,
      last,
    })
    this.#refused = 0
    this.#options.intake.reset(last)
  }

  #take(page: Page): number {
    const { report, intake } = this.#options
    this.malformed += page.malformed.length
    for (const why of page.malformed)
      report({ code: 'event_malformed', level: 'warn', message: `skipped an event of the page: ${why}` })
    // A reset feed has no event above the position (decisions, row 17). A page with events and a low `last` is merely inconsistent.
    if (page.last < intake.polled && page.events.length === 0) {
      this.#reset(intake.polled, page.last)
      return 1
    }
    return intake.takePage({ ...page, last: Math.max(page.last, intake.polled) })
  }
}
