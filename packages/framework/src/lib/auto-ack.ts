import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import type { Log } from './ports.ts'

/** What the automatic answer needs of the client's book of answers. */
export interface Answers {
  open(interactionId: string, expiresAtMs: number): void
  answered(interactionId: string): boolean
}

interface Click {
  interactionId: string
  token: string
  expiresAtMs: number
  dueMs: number
}

/** The clicker sees a failure after 3 s (§3); the last second is for the way. */
const ACK_AFTER_MS = 2000

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
  readonly #waiting: Click[] = []
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
    if (event.type !== 'interaction') return
    const { id, token, expires_at } = event.data
    if (typeof id !== 'string' || typeof token !== 'string') return
    const now = this.#clock.now()
    const openUntilMs = now + limits.interaction.open_seconds * 1000
    const parsed = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN
    const expiresAtMs = Number.isNaN(parsed) ? openUntilMs : parsed
    this.#answers.open(id, expiresAtMs)
    // The clicker has seen the failure already, or the answer of the former process.
    const late = now - Date.parse(event.created_at) > limits.interaction.answer_seconds * 1000
    if (expiresAtMs <= now || (redelivered && late)) return
    this.#waiting.push({ interactionId: id, token, expiresAtMs, dueMs: this.#clock.monotonic() + ACK_AFTER_MS })
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

  async #ack({ interactionId, token, expiresAtMs }: Click): Promise<void> {
    if (this.#answers.answered(interactionId) || expiresAtMs <= this.#clock.now()) return
    this.#sent++
    try {
      await this.#call(
        'interactions.callback',
        { interaction_id: interactionId, token, type: 'ack' },
        { priority: 'answer' },
      )
    } catch (error) {
      const code = error instanceof BotwrightError ? error.code : undefined
      this.#log.warn({ code, interactionId, error }, `a click could not be acknowledged: ${(error as Error).message}`)
    }
  }
}
