import type { Clock } from '@botwright/clock'
import { laneKey, readPage } from '@botwright/events/webhooks'
import type { BotEvent } from '@botwright/events/event'
import type { Call, CallHandle } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import type { ServiceClock } from '../delivery/service-clock.ts'
import type { EventMarks } from './event-marks.ts'
import { before, firstPosition, newPosition, type Position, readPosition, savePosition } from './position.ts'

/** A click that is older has failed on its user's screen (§3). */
const ANSWER_MS = 3000
/** The service keeps an event so long (§6). */
const KEPT_MS = 24 * 60 * 60_000

/** The parts of an invocation that the catch-up uses. */
export interface CatchUpHost {
  config: Config
  call: Pick<CallHandle, 'stats'> & Call
  store: StateStore
  /** That of the marks. */
  clock: Clock
  /** The age of events is that of the service: the clock of the host may be wrong. */
  service: ServiceClock
  log: Log
  marks: EventMarks
  /** Handlers of the invocation end by then. */
  untilMs: number
  /** No handler begins after it. */
  beginUntilMs: number
  run: (event: BotEvent, attempt: number) => Promise<void>
}

/**
 * Runs the events after the stored position that no invocation has run, in their order. Of a queue whose event runs in another invocation, it
 * leaves the following events for the next time.
 */
export async function catchUpEvents(host: CatchUpHost): Promise<void> {
  const { call, clock, config, log, service, store } = host
  const poll = async (after: number) => {
    const page = readPage(await call('events.list', { after, wait: 0 }, { unchecked: true }), clock.now())
    const { dateAheadMs } = call.stats()
    if (dateAheadMs !== undefined) service.learn(clock.now() + dateAheadMs, true)
    if (typeof page === 'string') throw new Error(`GET /events: the response is not usable: ${page}`)
    if (page.malformed.length > 0) log.warn({}, `GET /events: skipped ${page.malformed.join('; ')}`)
    return page
  }
  let position = await readPosition(store)
  if (!position) {
    // 0 asks for the newest id alone (§4).
    const newest = config.start === 'kept' ? 0 : (await poll(0)).last
    position = await firstPosition(store, config, newest, clock.now())
  }
  if (clock.now() - position.atMs > KEPT_MS)
    log.warn(
      {},
      'the last scheduled run was more than 1 day ago: the service keeps events for 1 day, so some may be lost',
    )
  const isMissed = { includes: (clickedAtMs: number) => service.now() - clickedAtMs > ANSWER_MS }
  const rules = new CatchUpRules(config.catchUp, { clock: service, log, missed: isMissed })
  let run = new CatchUp(host, rules)
  try {
    for (;;) {
      const { events, last } = await poll(position.after)
      if (last < position.after) {
        const { after, era } = position
        position = await newPosition(store, { after: last, era: era + 1, atMs: clock.now() })
        log.warn({ after, last: position.after }, 'the ids of the service have started again; continuing with them')
        // Events of the former era that are left have ids of their own.
        run = new CatchUp(host, rules)
        continue
      }
      const isOver = await run.page(events)
      position = { after: last, era: position.era, atMs: clock.now() }
      await savePosition(store, run.doneUntil(position))
      if (isOver || events.length === 0) return
    }
  } finally {
    rules.logSkipped()
  }
}

/** One pass over the missed events. */
class CatchUp {
  readonly #host: CatchUpHost
  readonly #rules: CatchUpRules
  /** The queues that have an event of another invocation. */
  readonly #blocked = new Set<string>()
  /** The first event that is not done. */
  #firstLeft: number | undefined

  constructor(host: CatchUpHost, rules: CatchUpRules) {
    this.#host = host
    this.#rules = rules
  }

  doneUntil(position: Position): Position {
    return this.#firstLeft === undefined ? position : { ...position, after: before(this.#firstLeft) }
  }

  /** Returns whether there is no time left for more. */
  async page(events: readonly BotEvent[]): Promise<boolean> {
    const { beginUntilMs, clock } = this.#host
    for (const event of events) {
      if (clock.now() >= beginUntilMs) {
        this.#firstLeft ??= event.id
        return true
      }
      if (this.#blocked.has(laneKey(event)) || !(await this.#event(event))) {
        this.#blocked.add(laneKey(event))
        this.#firstLeft ??= event.id
      }
    }
    return false
  }

  /** Returns whether the event is done. */
  async #event(event: BotEvent): Promise<boolean> {
    const { marks, run, untilMs } = this.#host
    const claim = await marks.claim(event, untilMs)
    if (typeof claim === 'string') return claim === 'done'
    const { attempt, again = false } = claim
    const delivery = { event, attempt, kept: again }
    await marks.run(event, attempt, async () => {
      if (this.#rules.arrived(delivery)) this.#rules.takeSkipped(delivery)
      else await run(event, attempt)
    })
    return true
  }
}
