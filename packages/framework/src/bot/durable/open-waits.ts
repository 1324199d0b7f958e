import type { Clock } from '@botwright/clock'
import type { ReceivedAnswer, Waiting } from '../conversation/waiting.ts'
import { isSince } from '../conversation/conversation.ts'
import { deliveryOf } from './delivery-of.ts'
import type { RunWait } from './run-store.ts'

/** The end of a wait: the value for its step, and the answer to settle. */
export type WaitEnd = (value: unknown, answer?: ReceivedAnswer) => void

/** The answers and times that the runs of a thread wait for, also while their functions are not in memory. */
export class OpenWaits {
  readonly #clock: Clock
  readonly #waiting: Waiting
  /** By run and step. */
  readonly #open = new Map<string, Map<number, { stop: () => void }>>()

  constructor(clock: Clock, waiting: Waiting) {
    this.#clock = clock
    this.#waiting = waiting
  }

  /** Waits for an answer or a time, unless the run already does. */
  add(id: string, { step, key, sinceMs, dueMs }: RunWait, end: WaitEnd): void {
    const own = this.#open.get(id) ?? new Map<number, { stop: () => void }>()
    if (own.has(step)) return
    this.#open.set(id, own.set(step, { stop: () => {} }))
    let over = false
    const finish: WaitEnd = (value, answer) => {
      if (over || this.#waiting.closed) return answer?.settle()
      stop()
      end(value, answer)
    }
    const heard = key === undefined ? undefined : this.#waiting.wait(key, isSince(sinceMs))
    void heard?.answer.then((answer) => {
      if (!answer) return finish('replaced')
      finish({ delivery: deliveryOf(answer.delivery.event) }, answer)
    })
    const leftMs = () => Math.max(0, dueMs - this.#clock.now())
    // A timer of the system ends after 24.8 days at most.
    const due = () => {
      if (leftMs() > 0) timer = this.#clock.after(leftMs(), due)
      else finish(key === undefined ? null : 'late')
    }
    let timer = this.#clock.after(leftMs(), due)
    const stop = () => {
      over = true
      own.delete(step)
      timer.cancel()
      heard?.stop()
    }
    own.set(step, { stop })
  }

  /** Stops all waits of a run, or one. */
  stop(id: string, step?: number): void {
    const own = this.#open.get(id)
    if (step !== undefined) return own?.get(step)?.stop()
    for (const { stop } of own?.values() ?? []) stop()
    this.#open.delete(id)
  }
}
