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

/** The clicker sees a failure after 3 s (§3); the last second is for the way. */
export const ACK_AFTER_MS = 2000

/**
 * Acknowledges each click that nobody has answered within 2 s, counted from its arrival, whether its handler has started or not.
 * It lives with the supervisor: code that blocks its worker cannot make a click fail.
 */
export class AutoAck {
  readonly #call: Call
  readonly #answers: Answers
  readonly #clock: Clock
  readonly #log: Log
  /** By time due: all wait equally long, so each is added at the end. */
  readonly #waiting: PendingClick[] = []
  #timer: Timer | undefined
  #sent = 0

  constructor(options: { call: Call; answers: Answers; clock: Clock; log: Log }) {
    this.#call = options.call
    this.#answers = options.answers
    this.#clock = options.clock
    this.#log = options.log
  }

  /** How many acks were sent. */
  get sent(): number {
    return this.#sent
  }

  /** Takes note of an event when it arrives. `redelivered`: a former process has had it before. */
  received(event: BotEvent, redelivered: boolean): void {
    const click = clickOf(event, this.#clock)
    if (!click) return
    const now = this.#clock.now()
    this.#answers.open(click.interactionId, click.expiresAtMs)
    // The clicker has seen the failure already, or the answer of the former process.
    const late = now - Date.parse(event.created_at) > limits.interaction.answer_seconds * 1000
    if (click.expiresAtMs <= now || (redelivered && late)) return
    this.#waiting.push({ ...click, dueMs: this.#clock.monotonic() + ACK_AFTER_MS })
    this.#timer ??= this.#clock.after(ACK_AFTER_MS, this.#sweep, { keepAlive: true })
  }

  /** Acknowledges at once what still waits: the process is about to end. */
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
    if (this.#answers.answered(click.interactionId) || click.expiresAtMs <= this.#clock.now()) return
    this.#sent++
    await acknowledge(this.#call, click, this.#log)
  }
}
