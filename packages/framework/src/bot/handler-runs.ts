import { type Clock, elapsedOf, type Timer } from '@botwright/clock'
import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { BoundedMap } from '@botwright/protocol/facts'
import type { Bot } from './host.ts'
import { NO_BUTTON } from './match.ts'
import type { Log } from '../author/ports.ts'
import type { Outcome, RunEnd } from '../link/ports.ts'
import { handledEvent, isWake, wakeOf } from '../link/run-event.ts'
import { isOwnDelivery, repeats } from '../link/task-event.ts'

/** A handler that never ends stays late. */
const MOST_LATE = 10_000

interface Run {
  delivery: Delivery
  deadlineMs: number
  bot: Bot
  settle: (end?: RunEnd | void) => void
}

/** The running handlers. A handler that exceeds the time limit is reported and no longer awaited. */
export class HandlerRuns {
  readonly #open = new Map<EventKey, Run>()
  readonly #limitMs: number
  readonly #clock: Clock
  readonly #log: Log
  readonly #limitNote: string
  readonly #observe: ((outcome: Outcome) => void) | undefined
  /** The files that still run for an event after the limit. Their outcomes are already reported. */
  readonly #late = new BoundedMap<string, true>(MOST_LATE)
  #timer: Timer | undefined

  constructor(options: {
    limitMs: number
    clock: Clock
    log: Log
    /** Follows the advice to raise the limit. */
    limitNote?: string
    observe?: ((outcome: Outcome) => void) | undefined
  }) {
    this.#limitMs = options.limitMs
    this.#clock = elapsedOf(options.clock)
    this.#log = options.log
    this.#limitNote = options.limitNote ?? ''
    this.#observe = options.observe
  }

  /** The function that receives the bot's outcomes; undefined if nothing listens. */
  get observe(): ((outcome: Outcome) => void) | undefined {
    const observe = this.#observe
    return (
      observe &&
      ((outcome) => {
        if (this.#late.size === 0 || !this.#late.delete(lateKey(outcome))) observe(outcome)
      })
    )
  }

  /** Settles when the handler has ended, or at the limit. A handler that returns at once costs no promise. */
  run(bot: Bot, delivery: Delivery): void | Promise<RunEnd | void> {
    const key = eventKey(delivery.event)
    let result
    try {
      result = bot.handle(delivery)
    } catch (error) {
      return this.#failed(bot, delivery, error)
    }
    return result && this.#awaited(bot, delivery, key, result)
  }

  #awaited(bot: Bot, delivery: Delivery, key: EventKey, running: Promise<RunEnd | void>): Promise<RunEnd | void> {
    return new Promise((resolve) => {
      const settle: Run['settle'] = (end) => {
        if (this.#open.get(key) === run) this.#open.delete(key)
        resolve(end)
      }
      const run: Run = { delivery, bot, settle, deadlineMs: this.#clock.monotonic() + this.#limitMs }
      this.#open.set(key, run)
      this.#timer ??= this.#clock.after(this.#limitMs, this.#sweep)
      running.then(settle, (error: unknown) => {
        this.#failed(bot, delivery, error)
        settle()
      })
    })
  }

  /** Settles an event whose handler waits for a user's answer. Its time limit is paused meanwhile. */
  park(eventId: EventKey): void {
    this.#open.get(eventId)?.settle()
  }

  /** Stops enforcing the time limit. */
  close(): void {
    this.#timer?.cancel()
  }

  /** All limits are equal, so the map is in the order of the deadlines and one timer is enough. */
  readonly #sweep = (): void => {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    for (const run of this.#open.values()) {
      if (run.deadlineMs > now) {
        this.#timer = this.#clock.after(run.deadlineMs - now, this.#sweep)
        return
      }
      const { bot, delivery } = run
      if (isWake(delivery.event) && wakeOf(delivery.event).isTime) {
        run.settle()
        continue
      }
      const files: readonly Outcome['file'][] = bot.running?.(delivery) ?? [bot.handlerOf(delivery)]
      const file = files.join(', ') || 'a handler'
      const seconds = this.#limitMs / 1000
      const what = bot.hasOnlyCalls?.(delivery)
        ? `calls that it does not await did not end within ${seconds} s${named(delivery)}; its channel continues without them. Await them, or make fewer`
        : `did not end within ${seconds} s${named(delivery)}; its channel continues without it. Make the handler faster`
      this.#log.error(
        { code: 'ERR_HANDLER_TIMEOUT', file, eventId: delivery.event.id },
        `${file}: ${what}, or raise limits.handlerSeconds in bot.config.ts${this.#limitNote}`,
      )
      if (this.#observe) {
        const { type } = delivery.event
        const eventId = eventKey(delivery.event)
        const again = repeats(delivery) && { again: true as const }
        for (const at of files) {
          const error = { message: `did not end within ${seconds} s`, at: at ?? file, reference: '' }
          this.#late.set(lateKey({ eventId, file: at }), true)
          this.#observe({ eventId, type, file: at, ms: this.#limitMs, result: 'timed_out', error, ...again })
        }
      }
      void bot.apologize(delivery, 'took_too_long')
      // `ctx.signal` aborts at the same time.
      run.settle({ reason: `${file}: did not end within ${seconds} s` })
    }
  }

  /** `Bot.handle` should never fail. If it does, other events must not be affected. */
  #failed(bot: Bot, delivery: Delivery, error: unknown): void {
    const file = bot.handlerOf(delivery) ?? 'a handler'
    this.#log.error(
      { code: 'ERR_HANDLER', file, eventId: delivery.event.id, error },
      `${file}: failed${named(delivery)}`,
    )
  }
}

const lateKey = ({ eventId, file = NO_BUTTON }: Pick<Outcome, 'eventId' | 'file'>): string => `${eventId} ${file}`

/** The event or the durable run of a delivery, for people to look it up. Empty for a task. */
function named(delivery: Delivery): string {
  if (isOwnDelivery(delivery)) return ''
  const own = handledEvent(delivery.event)
  return own ? ` (event ${own.id})` : ` (run ${wakeOf(delivery.event).run})`
}
