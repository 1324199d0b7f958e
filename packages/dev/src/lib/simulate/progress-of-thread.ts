/** Why a play is given up. */
export type StuckReason =
  /** Its thread runs code that does not end. */
  | 'blocks'
  /** Its thread waits for something outside of the simulation. */
  | 'waits'
  /** It goes on, but has no end. */
  | 'long'

/** The file descriptor on which the watching thread reports: a thread cannot send messages to another process. */
export const REPORT_FD = 4

/** A report, as a line of JSON. */
export interface StuckReport {
  reason: StuckReason
  /** The stack of the thread that plays, in terms of the author's files. Empty if it does not run code. */
  stack: string
}

/** A look at the thread that plays. */
export interface Look {
  /** Turns of its event loop so far. */
  turns: number
  /** Messages that it has sent so far. */
  messages: number
  /** The time of the processor that it has used so far. */
  cpuMs: number
}

/** How often the thread is looked at. */
export const LOOK_MS = 500
/** Longer than anything that the simulation and its compiler do at once. */
const BLOCKS_CPU_MS = 10_000
/** Looks, instead of time: a computer may be suspended. */
const WAITS_LOOKS = 360
/** A thread that computes has more than this for each look, even if other programs use the computer. */
const IDLE_CPU_MS = 5
/** Many times a usual play, of 30 simulated minutes. */
const LONG_CPU_MS = 240_000

/** Decides whether a thread is stuck. Real time has no part in it: a busy computer must not make a play fail. */
export class ProgressOfThread {
  #turn: Look = { turns: -1, messages: -1, cpuMs: 0 }
  #message = this.#turn
  #looks = 0

  /** Undefined while it goes on. */
  look(now: Look): StuckReason | undefined {
    if (now.messages !== this.#message.messages) this.#message = now
    if (now.turns !== this.#turn.turns) {
      this.#turn = now
      this.#looks = 0
      return now.cpuMs - this.#message.cpuMs > LONG_CPU_MS ? 'long' : undefined
    }
    this.#looks++
    const usedMs = now.cpuMs - this.#turn.cpuMs
    if (usedMs > BLOCKS_CPU_MS) return 'blocks'
    return this.#looks >= WAITS_LOOKS && usedMs < this.#looks * IDLE_CPU_MS ? 'waits' : undefined
  }
}
