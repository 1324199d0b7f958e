import type { Clock } from '@botwright/clock'
import { ACK_AFTER_MS } from '../clicks/auto-ack.ts'
import type { Answers } from '../clicks/click-ack.ts'
import type { Click } from '../ports/cluster.ts'

/** The clicks that this machine took and that nobody may have acknowledged yet: the last machine that stops has to. */
export class RecentClicks {
  readonly #clock: Clock
  /** By the time at which they came. */
  readonly #clicks: { click: Click; atMs: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(click: Click): void {
    const atMs = this.#clock.monotonic()
    while (this.#clicks.length > 0 && this.#clicks[0]!.atMs < atMs - ACK_AFTER_MS) this.#clicks.shift()
    this.#clicks.push({ click, atMs })
  }

  /** Those that are not due yet, and that this machine has not answered. */
  open(answers: Answers): Click[] {
    const sinceMs = this.#clock.monotonic() - ACK_AFTER_MS
    return this.#clicks
      .filter(({ click, atMs }) => atMs >= sinceMs && !answers.answered(click.interactionId))
      .map(({ click }) => click)
  }
}
