import { type Clock, sleep } from '@botwright/clock'
import { type BotEvent, type Delivery, isEventId } from './bot-event.ts'
import { Intake } from './intake.ts'
import type { Journal } from './journal.ts'
import type { Run } from './lanes.ts'
import type { Page } from './page.ts'
import { type ListEvents, Poller, reportGap, Unauthorized } from './poll-loop.ts'
import { type Report, reasonOf } from './report.ts'

/** Where events come from, who handles them, and how many may wait. */
export interface FeedOptions {
  listEvents: ListEvents
  /** Opened and, after `stop`, closed by the caller. */
  journal: Journal
  clock: Clock
  /** Handles one event. A rejection counts as finished, and is reported: errors of handlers are the caller's to handle. */
  run: Run
  /** Hears of each event when it arrives, even if it has to wait for its lane. What it throws is reported. */
  received?: (delivery: Delivery) => void
  /** Called for an event that has had all its attempts, with the reason: it does not run. */
  setAside?: (delivery: Delivery, reason: string) => void
  report: Report
  /** Default `poll`. `both`: the webhook's copy is kept, and runs in its place in the poll's order. `webhook`: gaps are filled once a minute. */
  delivery?: 'poll' | 'webhook' | 'both'
  /** Where to begin without a saved cursor: with what comes from now on (default), or with all that the service has kept. */
  start?: 'now' | 'kept'
  /** 0 to 25; how long one poll may wait. Default 25. */
  waitSeconds?: number
  /** Asked before each poll; the promise that it gives holds the poll back. */
  holdPoll?: () => Promise<void> | undefined
  /** No new poll while more events than this wait. Default 1000. */
  maxWaiting?: number
  /** So many events run at the same time at most. Default 256. */
  maxRunning?: number
  /** An event during which the process died so often is set aside. Default 3. */
  handlerAttempts?: number
  /** From 0 to below 1; spreads the retries. Default Math.random. */
  random?: () => number
}

/** Counts of a feed since its start. */
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
  /** Everything received up to this id is finished. */
  cursor: number
  /** When the oldest event that is not finished was made. */
  oldest?: string
  /** Monotonic time of the last good poll. */
  lastPollMs?: number
}

/** Why the feed ended by itself or by `stop`. */
export interface FeedEnd {
  reason: 'stopped' | 'unauthorized'
  error?: Error
}

/** Poll and webhook as one stream of events: each id once, in order per channel, at least once over crashes (§6). */
export interface Feed {
  /** Begins; returns at once. */
  start(): void
  /** Takes an event that came by the webhook. Resolves once it is in the journal; an id that is known already is left out. */
  offer(event: BotEvent): Promise<void>
  /** Runs an event again that was set aside. False: there is none with that id. */
  replay(id: number): Promise<boolean>
  /** No new poll, no new run; what runs may finish within `graceMs`. `unfinished` events run again at the next start. */
  stop(options: { graceMs: number }): Promise<{ unfinished: number }>
  stats(): FeedStats
  /** Resolves when no event waits or runs and everything is in the journal. */
  whenIdle(): Promise<void>
  /** Resolves when the service has answered and the position is saved: from then on, no event is lost. Also when polling has ended. */
  readonly placed: Promise<void>
  /** Resolves when polling has ended. Never rejects. */
  readonly ended: Promise<FeedEnd>
}

/** Webhook-only delivery asks for what the webhook missed so often. */
const GAP_POLL_MS = 60_000
/** A page of so many events is probably not the last one. */
const READ_AHEAD = 50
/** Answers that come at once and bring nothing, so many in a row, are slowed down. */
const EARLY_ANSWERS = 3
const EARLY_PAUSE_MS = 1000

/** Joins the poll and the webhook to the handlers. */
export function createFeed(options: FeedOptions): Feed {
  const {
    listEvents,
    holdPoll,
    journal,
    clock,
    run,
    received,
    setAside,
    report,
    delivery = 'poll',
    start = 'now',
  } = options
  const { waitSeconds = 25, maxWaiting = 1000, maxRunning = 256, handlerAttempts = 3, random = Math.random } = options
  const stopping = new AbortController()
  const poller = new Poller({ listEvents, clock, report, random, signal: stopping.signal })
  const intake = new Intake({
    journal,
    clock,
    run,
    received,
    setAside,
    report,
    maxRunning,
    handlerAttempts,
    holdOffers: delivery === 'both',
  })
  let malformed = 0
  let started = false
  let end!: (end: FeedEnd) => void
  const ended = new Promise<FeedEnd>((resolve) => (end = resolve))
  let place!: () => void
  const placed = new Promise<void>((resolve) => (place = resolve))

  /** Finds where to begin; `after=0` is asked once, for the newest id, and never to read events. */
  async function begin(): Promise<void> {
    const saved = journal.cursor()
    intake.resume()
    if (!saved && start === 'kept') {
      intake.startAt(1)
      report({
        code: 'starting_kept',
        level: 'info',
        message: 'no saved position: starting with all that the service has kept (1 day)',
      })
      return
    }
    const { last } = await poller.page(0, 0)
    if (!saved) {
      intake.startAt(last)
      report({
        code: 'starting_now',
        level: 'info',
        message: `no saved position: starting now, after event ${last}`,
        last,
      })
      return
    }
    reportGap(report, saved.savedAtMs, clock.now())
    if (last < saved.after) reset(saved.after, last)
  }

  function reset(after: number, last: number): void {
    report({
      code: 'feed_reset',
      level: 'warn',
      message: `the saved position ${after} is above the service's newest event ${last}: the feed was reset (another database, bot or address?). Going on from ${last}`,
      after,
      last,
    })
    intake.reset(last)
  }

  function take(page: Page): number {
    malformed += page.malformed.length
    for (const why of page.malformed)
      report({ code: 'event_malformed', level: 'warn', message: `an event of the page was left out: ${why}` })
    // A reset feed has nothing above the position (decisions, row 17); a page with events and a low `last` is only confused.
    if (page.last < intake.polled && page.events.length === 0) {
      reset(intake.polled, page.last)
      return 1
    }
    return intake.takePage({ ...page, last: Math.max(page.last, intake.polled) })
  }

  async function poll(): Promise<never> {
    await begin()
    place()
    let early = 0
    let ahead: Promise<Page> | undefined
    for (;;) {
      if (intake.waiting > maxWaiting) await intake.whenAtMost(maxWaiting)
      if (holdPoll) await holdPoll()
      stopping.signal.throwIfAborted()
      const wait = delivery === 'webhook' ? 0 : waitSeconds
      const after = intake.polled
      const sentAtMs = clock.monotonic()
      const page: Page = await (ahead ?? poller.page(after, wait))
      ahead = undefined
      // A few events are dispatched before the next poll leaves, which would only hold them up. Behind a full page there are
      // more: asked for now, they arrive while this page is dispatched.
      if (page.events.length >= READ_AHEAD && page.last > after && intake.waiting + page.events.length <= maxWaiting) {
        ahead = poller.page(page.last, wait)
        // It is awaited in the next turn; until then nobody else would hear of its failure.
        ahead.catch(() => {})
      }
      const fresh = take(page)
      if (delivery === 'webhook' && !ahead) await sleep(clock, GAP_POLL_MS, stopping.signal)
      else if (fresh > 0 || intake.polled > after || wait === 0 || clock.monotonic() - sentAtMs > 100) early = 0
      else if (++early >= EARLY_ANSWERS) {
        if (early === EARLY_ANSWERS)
          report({
            code: 'answers_too_early',
            level: 'warn',
            message: 'polls are answered at once though nothing happened: asking once a second',
          })
        await sleep(clock, EARLY_PAUSE_MS, stopping.signal)
      }
    }
  }

  function onEnd(error: unknown): void {
    if (!(error instanceof Unauthorized)) {
      // Anything but the stop itself would be a fault of this package: say so rather than fall silent.
      if (!stopping.signal.aborted)
        report({ code: 'poll_failed', level: 'error', message: `polling ended: ${reasonOf(error)}` })
      return end({ reason: 'stopped', ...(!stopping.signal.aborted && { error: error as Error }) })
    }
    report({
      code: 'unauthorized',
      level: 'error',
      message:
        'the service refuses the bot token (401): the feed has ended. Set a valid token; a new one makes the old one invalid',
    })
    end({ reason: 'unauthorized', error })
  }

  return {
    placed,
    ended,
    start() {
      if (started) throw new Error('the feed was started already')
      started = true
      if (delivery === 'webhook')
        report({
          code: 'webhook_only',
          level: 'info',
          message: 'webhook delivery only: the bot shows as offline, and missed events arrive within a minute',
        })
      poll().catch(onEnd)
      void ended.then(place)
    },
    async offer(event) {
      if (!isEventId(event.id)) throw new TypeError('an offered event needs a positive integer id')
      await intake.offer(event)
    },
    async replay(id) {
      const event = journal.listSetAside().find((entry) => entry.event.id === id)?.event
      if (!event) return false
      await intake.replay(event)
      journal.takeSetAside(id)
      return true
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
      malformed,
      ...(poller.lastGoodAtMs !== undefined && { lastPollMs: poller.lastGoodAtMs }),
    }),
    whenIdle: () => intake.whenIdle(),
  }
}
