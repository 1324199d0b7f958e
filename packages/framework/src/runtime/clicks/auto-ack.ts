import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { limits } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { acknowledge, type Answers, clickOf } from './click-ack.ts'
import type { Click } from '../ports/cluster.ts'
import type { Log } from '../../author/ports.ts'

interface PendingClick extends Click {
  dueMs: number
}

/** The user sees the click fail after 3 s (§3); one second is left for the request. */
export const ACK_AFTER_MS = 2000
/** An answer that is under way may still be refused. */
const LOOK_AGAIN_MS = 100

/**
 * Acknowledges each click that is unanswered 2 s after its arrival, whether its handler has started or not.
 * Runs in the supervisor, so that a blocked worker cannot make a click fail.
 */
export class AutoAck {
  readonly #call: Call
  readonly #answers: Answers
  readonly #clock: Clock
  readonly #log: Log
  /** Sorted by `dueMs`: all wait equally long, so new ones go to the end. */
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
    this.#waiting.push({ ...click, dueMs: this.#clock.monotonic() + ACK_AFTER_MS })
    this.#timer ??= this.#clock.after(ACK_AFTER_MS, this.#sweep, { keepAlive: true })
  }

  /** Acknowledges all pending clicks at once, because the process is about to exit. */
  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    await Promise.all(this.#waiting.splice(0).map((click) => this.#ack(click)))
  }

  readonly #sweep = (): void => {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    let due = 0
    while (due < this.#waiting.length && this.#waiting[due]!.dueMs <= now) due++
    for (const click of this.#waiting.splice(0, due)) void this.#ack(click)
    const next = this.#waiting[0]
    if (next) this.#timer = this.#clock.after(next.dueMs - now, this.#sweep, { keepAlive: true })
  }

  async #ack(click: PendingClick): Promise<void> {
    const { interactionId, expiresAtMs, dueMs } = click
    if (this.#answers.answered(interactionId) || expiresAtMs <= this.#clock.now()) return
    const isLate = this.#clock.monotonic() > dueMs + limits.interaction.answer_seconds * 1000 - ACK_AFTER_MS
    if (this.#answers.answering(interactionId) && !isLate) {
      this.#clock.after(LOOK_AGAIN_MS, () => void this.#ack(click), { keepAlive: true })
      return
    }
    this.#sent++
    await acknowledge(this.#call, click, this.#log)
  }
}
