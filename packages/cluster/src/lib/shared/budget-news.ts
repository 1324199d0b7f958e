import type { Clock } from '@botwright/framework/cluster'

/** The shared budget as this instance knows it: Redis' last reply, continued by the instance's own clock. */
export class BudgetNews {
  readonly #clock: Clock
  #more = 0
  /** When the slots are free (monotonic), the first of them. */
  #times: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes the answer of `news` in limit-scripts.ts: that of this instance's own question, never a text from pub/sub. */
  learn(text: string): void {
    const [now = 0, count = 0, ...scores] = text.trim().split(' ').map(Number)
    const offset = this.#clock.monotonic() - now
    this.#times = scores.map((score) => score + offset)
    this.#more = count - scores.length
  }

  get used(): number {
    const now = this.#clock.monotonic()
    return this.#more + this.#times.filter((time) => time > now).length
  }

  /** Until time alone frees a slot; undefined when none is taken. */
  get freeMs(): number | undefined {
    const now = this.#clock.monotonic()
    const first = this.#times.find((time) => time > now)
    return first === undefined ? undefined : first - now
  }
}
