import { createHash } from 'node:crypto'
import { SeededRandom, Timeline } from '@botwright/clock/simulated'
import { realImmediate, realWork } from './real.ts'

/** More rounds of work at one instant are an endless loop. */
const MOST_ROUNDS = 20_000

/** A rule that was broken. */
export interface Violation {
  rule: string
  atMs: number
  text: string
}

/** Simulated time, the seeded random source, and the trace of one run. All that happens is a step of its timeline. */
export class SimWorld {
  readonly timeline = new Timeline()
  readonly random: SeededRandom
  readonly violations: Violation[] = []
  /** The service's time at the beginning, in milliseconds since 1970. */
  readonly startMs: number
  /** The lines of the trace, if they are kept. */
  readonly lines: string[] = []
  /** Called after each round of work. */
  onRound: (() => void) | undefined
  steps = 0
  readonly #hash = createHash('sha256')
  readonly #keepsLines: boolean
  #immediates: { work: () => void; isOver: boolean }[] = []

  constructor(seed: number, { startMs, trace = false }: { startMs: number; trace?: boolean }) {
    this.random = new SeededRandom(seed)
    this.startMs = startMs
    this.#keepsLines = trace
  }

  get nowMs(): number {
    return this.timeline.nowMs
  }

  note(text: string): void {
    const line = `${Math.round(this.nowMs)} ${text}`
    this.#hash.update(line).update('\n')
    if (this.#keepsLines) this.lines.push(line)
  }

  /** A rule is broken. Only the first breaks of each rule are kept. */
  violate(rule: string, text: string): void {
    this.note(`VIOLATION of ${rule}: ${text}`)
    if (this.violations.filter((one) => one.rule === rule).length < 3)
      this.violations.push({ rule, atMs: Math.round(this.nowMs), text })
  }

  /** The hash of the trace. To be called once. */
  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }

  /** Does work in the next round at this instant. */
  soon(work: () => void): { isOver: boolean } {
    const one = { work, isOver: false }
    this.#immediates.push(one)
    return one
  }

  /** Runs until `untilMs`, or until `stop` holds. */
  async run(untilMs: number, stop: () => boolean = () => false): Promise<void> {
    const { timeline } = this
    await this.#settle()
    let atMs = -1
    let stepsAt = 0
    while (!stop() && (timeline.nextMs ?? Infinity) <= untilMs) {
      this.steps++
      stepsAt = timeline.nowMs === atMs ? stepsAt + 1 : 0
      atMs = timeline.nowMs
      if (stepsAt > MOST_ROUNDS) throw new Error(`the timers at ${atMs} ms do not end`)
      this.#guarded(() => timeline.step())
      await this.#settle()
    }
    if (!stop()) timeline.nowMs = Math.max(timeline.nowMs, untilMs)
  }

  /** Waits until all work of this instant is done: promises, and what was postponed to the next turn of the event loop. */
  async #settle(): Promise<void> {
    const atMs = this.nowMs
    for (let rounds = 0; ;) {
      await realImmediate()
      this.onRound?.()
      const due = this.#immediates
      if (due.length > 0) {
        this.#immediates = []
        if (++rounds > MOST_ROUNDS) throw new Error(`the work at ${atMs} ms does not end`)
        for (const one of due) if (!one.isOver) this.#guarded(one.work)
      } else if (!realWork()) return
    }
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.violate('errors', `an error was thrown outside of a promise: ${(error as Error).stack ?? String(error)}`)
    }
  }
}
