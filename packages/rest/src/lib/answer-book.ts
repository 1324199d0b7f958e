import type { Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'
import { ServiceError } from './errors.ts'

const ENDPOINT = 'interactions.callback'

/** Counts the answers to clicks, so that an eleventh or a late one is refused here and costs no request (§3, decisions row 23). */
export class AnswerBook {
  readonly #clock: Clock
  readonly #open = new Map<string, { expiresAtMs: number; used: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts to count for a click; `expiresAtMs` is its `expires_at` in milliseconds since 1970. Opening it again changes nothing. */
  open(interactionId: string, expiresAtMs: number): void {
    // Clicks that are over are forgotten here; the oldest stand first.
    for (const [id, entry] of this.#open) {
      if (entry.expiresAtMs > this.#clock.now()) break
      this.#open.delete(id)
    }
    if (!this.#open.has(interactionId)) this.#open.set(interactionId, { expiresAtMs, used: 0 })
  }

  /** How many answers were sent or are being sent. */
  used(interactionId: string): number {
    return this.#open.get(interactionId)?.used ?? 0
  }

  /** How many answers the click still takes. */
  left(interactionId: string): number {
    const entry = this.#open.get(interactionId)
    if (entry !== undefined && entry.expiresAtMs <= this.#clock.now()) return 0
    return limits.interaction.answers - (entry?.used ?? 0)
  }

  /** Whether any answer was sent or is being sent. */
  answered(interactionId: string): boolean {
    return this.used(interactionId) > 0
  }

  /** Forgets a click. */
  close(interactionId: string): void {
    this.#open.delete(interactionId)
  }

  /** Counts one answer in. Throws `ERR_INTERACTION_EXPIRED` or `ERR_ANSWERS_USED_UP` when the service would refuse it. */
  take(interactionId: string): void {
    const entry = this.#open.get(interactionId)
    if (entry === undefined) return
    const facts = { status: 0, endpoint: ENDPOINT }
    if (entry.expiresAtMs <= this.#clock.now()) {
      const minutes = limits.interaction.open_seconds / 60
      throw new ServiceError(
        'ERR_INTERACTION_EXPIRED',
        `${ENDPOINT}: a click is open for ${minutes} minutes, and this one is over; nothing was sent`,
        facts,
      )
    }
    if (entry.used >= limits.interaction.answers) {
      throw new ServiceError(
        'ERR_ANSWERS_USED_UP',
        `${ENDPOINT}: a click takes at most ${limits.interaction.answers} answers; nothing was sent. Post a message instead`,
        facts,
      )
    }
    entry.used++
  }

  /** Takes an answer back that the service never got or refused as bad input. */
  giveBack(interactionId: string): void {
    const entry = this.#open.get(interactionId)
    if (entry !== undefined && entry.used > 0) entry.used--
  }
}
