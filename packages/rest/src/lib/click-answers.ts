import type { Clock } from '@botwright/clock'
import { limits, lowerId } from '@botwright/protocol/facts'
import { ServiceError } from './errors.ts'

const ENDPOINT = 'interactions.callback'

interface Entry {
  endMs: number
  used: number
  underWay: number
  accepted: boolean
}

/** Counts the answers to clicks, so that an eleventh or late answer fails without a request (§3, decisions row 23). Ids count in any case (row 52). */
export class ClickAnswers {
  readonly #clock: Clock
  readonly #open = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  // Starts counting for a click that can be answered for `leftMs`. Opening it again has no effect.
  open(interactionId: string, leftMs: number): void {
    const nowMs = this.#clock.monotonic()
    // Remove expired clicks; the oldest come first.
    for (const [id, entry] of this.#open) {
      if (entry.endMs > nowMs) break
      this.#open.delete(id)
    }
    if (this.#entry(interactionId)) return
    // A click with a later time would keep all others in memory.
    const endMs = nowMs + Math.min(leftMs, limits.interaction.open_seconds * 1000)
    this.#open.set(lowerId(interactionId), { endMs, used: 0, underWay: 0, accepted: false })
  }

  // The number of answers sent or being sent.
  used(interactionId: string): number {
    return this.#entry(interactionId)?.used ?? 0
  }

  // The number of answers that the click still accepts.
  left(interactionId: string): number {
    const entry = this.#entry(interactionId)
    if (entry !== undefined && entry.endMs <= this.#clock.monotonic()) return 0
    return limits.interaction.answers - (entry?.used ?? 0)
  }

  // How long the click can still be answered; undefined if it is not open here.
  leftMs(interactionId: string): number | undefined {
    const entry = this.#entry(interactionId)
    return entry && Math.max(0, entry.endMs - this.#clock.monotonic())
  }

  // Whether the service has accepted an answer.
  answered(interactionId: string): boolean {
    return this.#entry(interactionId)?.accepted ?? false
  }

  // Whether a request with an answer is under way. An answer that waits for its retry is not.
  answering(interactionId: string): boolean {
    return (this.#entry(interactionId)?.underWay ?? 0) > 0
  }

  // A request with an answer leaves.
  leaves(interactionId: string): void {
    const entry = this.#entry(interactionId)
    if (entry !== undefined) entry.underWay++
  }

  // The response to a request with an answer arrived, or will not arrive.
  arrived(interactionId: string, accepted: boolean): void {
    const entry = this.#entry(interactionId)
    if (entry === undefined) return
    entry.underWay = Math.max(0, entry.underWay - 1)
    entry.accepted ||= accepted
  }

  // Stops counting for a click.
  close(interactionId: string): void {
    this.#open.delete(lowerId(interactionId))
  }

  // Counts one answer. Throws `ERR_INTERACTION_EXPIRED` or `ERR_ANSWERS_USED_UP` if the service would refuse it. `isRepeated`: a request of it has left.
  take(interactionId: string, isRepeated = false): void {
    const entry = this.#entry(interactionId)
    if (entry === undefined) return
    const facts = { status: 0, endpoint: ENDPOINT }
    const sent = isRepeated ? 'it was not sent again' : 'nothing was sent'
    if (entry.endMs <= this.#clock.monotonic()) {
      const minutes = limits.interaction.open_seconds / 60
      throw new ServiceError(
        'ERR_INTERACTION_EXPIRED',
        `${ENDPOINT}: a click can be answered for ${minutes} minutes, and this one has expired; ${sent}`,
        facts,
      )
    }
    if (entry.used >= limits.interaction.answers) {
      throw new ServiceError(
        'ERR_ANSWERS_USED_UP',
        `${ENDPOINT}: a click accepts at most ${limits.interaction.answers} answers; ${sent}. Post a message instead`,
        facts,
      )
    }
    entry.used++
  }

  // Uncounts an answer that never reached the service, or that the service refused.
  giveBack(interactionId: string): void {
    const entry = this.#entry(interactionId)
    if (entry !== undefined && entry.used > 0) entry.used--
  }

  #entry(interactionId: string): Entry | undefined {
    return this.#open.get(lowerId(interactionId))
  }
}

/** The answers that one call uses: an ack whose outcome is unknown is sent again, and the service may count each request. */
export class AnswersOfCall {
  readonly #answers: ClickAnswers
  readonly #id: string
  #taken = 0
  #used = 0

  constructor(answers: ClickAnswers, interactionId: string) {
    this.#answers = answers
    this.#id = interactionId
  }

  // Counts one for the next request. Throws like `ClickAnswers.take`.
  take(): void {
    if (this.#taken > this.#used) return
    this.#answers.take(this.#id, this.#used > 0)
    this.#taken++
  }

  // A request leaves.
  leaves(): void {
    this.take()
    this.#answers.leaves(this.#id)
  }

  // Its response arrived, or will not arrive. `mayBeUsed`: the service may have counted it.
  arrived({ accepted, mayBeUsed }: { accepted: boolean; mayBeUsed: boolean }): void {
    this.#answers.arrived(this.#id, accepted)
    if (mayBeUsed) this.#used++
  }

  // A request that was not sent, or was refused, used none of the click's 10 answers (§3).
  end(): void {
    for (; this.#taken > this.#used; this.#taken--) this.#answers.giveBack(this.#id)
  }
}
