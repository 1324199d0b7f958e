import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { limits } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { acknowledge, type Answers, clickOf } from './click-ack.ts'
import type { Click } from '../ports/cluster.ts'
import type { Log } from '../../author/ports.ts'

interface PendingClick extends Click {
  dueMs: number
  /** From then on, an answer that is under way does not count. */
  latestMs: number
}

/** The user sees the click fail after 3 s (§3); one second is left for the request. */
export const ACK_AFTER_MS = 2000
/** An answer that is under way may still be refused. */
const LOOK_AGAIN_MS = 100
const LOOK_AGAIN_FOR_MS = 700

/**
 * Acknowledges each click that is unanswered 2 s after its arrival, whether its handler has started or not.
 * Runs in the supervisor, so that a blocked worker cannot make a click fail.
 */
export class AutoAck {
  readonly #call: Call
  readonly #answers: Answers
  readonly #clock: Clock
  readonly #log: Log
  /** Sorted by `dueMs`. */
  readonly #waiting: PendingClick[] = []
  #timer: Timer | undefined
  #sent = 0

  constructor(options: { call: Call; answers: Answers; clock: Clock; log: Log }) {
    this.#call = options.call
    this.#answers = options.answers
    this.#clock = options.clock
    this.#log = options.log
  }

  /** The number of acks sent. */
  get sent(): number {
    return this.#sent
  }

  /** Called when an event arrives. `redelivered`: an earlier process received it before. */
  received(event: BotEvent, redelivered: boolean): void {
    const click = clickOf(event, this.#clock)
    if (!click) return
    const now = this.#clock.now()
    this.#answers.open(click.interactionId, click.expiresAtMs)
    // The user has already seen the failure, or the answer of the earlier process.
    const late = now - Date.parse(event.created_at) > limits.interaction.answer_seconds * 1000
    if (click.expiresAtMs <= now || (redelivered && late)) return
    const dueMs = this.#clock.monotonic() + ACK_AFTER_MS
    this.#waiting.push({ ...click, dueMs, latestMs: dueMs + LOOK_AGAIN_FOR_MS })
    this.#timer ??= this.#clock.after(ACK_AFTER_MS, this.#sweep, { keepAlive: true })
  }

  /** Acknowledges all pending clicks at once, because the process is about to exit. */
  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    const clicks = this.#waiting.splice(0).filter(({ interactionId }) => !this.#answers.answering(interactionId))
    await Promise.all(clicks.map((click) => this.#ack(click)))
  }

  readonly #sweep = (): void => {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    let due = 0
    while (due < this.#waiting.length && this.#waiting[due]!.dueMs <= now) due++
    const again: PendingClick[] = []
    for (const click of this.#waiting.splice(0, due))
      if (now < click.latestMs && this.#answers.answering(click.interactionId))
        again.push({ ...click, dueMs: now + LOOK_AGAIN_MS })
      else void this.#ack(click)
    if (again.length > 0) {
      this.#waiting.push(...again)
      this.#waiting.sort((a, b) => a.dueMs - b.dueMs)
    }
    const next = this.#waiting[0]
    if (next) this.#timer = this.#clock.after(next.dueMs - now, this.#sweep, { keepAlive: true })
  }

  async #ack(click: PendingClick): Promise<void> {
    if (this.#answers.answered(click.interactionId) || click.expiresAtMs <= this.#clock.now()) return
    this.#sent++
    await acknowledge(this.#call, click, this.#log)
  }
}
