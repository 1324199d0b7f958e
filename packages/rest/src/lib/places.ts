import { sleep, type Clock, type Timer } from '@botwright/clock'
import { orAborted } from '@botwright/clock/timers'
import { lowerId } from '@botwright/protocol/facts'
import type { Plan } from './request.ts'

/** The part of the service to which a limit other than the message budget applies: one endpoint, for one channel, server or webhook (§8). */
export interface Place {
  key: string
  /** Calls with the same text are sent one after the other: writes to one message, and answers to one click. */
  order?: string
}

/** The path parameter by which the calls of an endpoint keep their order, if they do. */
export const orderOf = ({ route }: Plan): string | undefined =>
  route.method === 'GET'
    ? undefined
    : route.params.find((param) => param === 'message_id' || param === 'interaction_id')

/** The place of a call: its first path parameter names the channel, server or webhook. */
export function placeOf(plan: Plan, input: Record<string, unknown>): Place {
  const { name, route } = plan
  const [first] = route.params
  const order = orderOf(plan)
  return {
    key: first === undefined ? name : `${name} ${lowerId(String(input[first]))}`,
    ...(order !== undefined && { order: `${order} ${lowerId(String(input[order]))}` }),
  }
}

type Stops = readonly (AbortSignal | undefined)[]

/** The places for which the service has asked to wait (429 with `Retry-After`, §7), and the calls that others wait for. */
export class Places {
  readonly #clock: Clock
  readonly #untilMs = new Map<string, number>()
  readonly #lines = new Map<string, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  hold({ key }: Place, ms: number): void {
    const now = this.#clock.monotonic()
    for (const [other, untilMs] of this.#untilMs) if (untilMs <= now) this.#untilMs.delete(other)
    this.#untilMs.set(key, Math.max(this.#untilMs.get(key) ?? 0, now + ms))
  }

  /** The rest of the wait; 0 if there is none. */
  leftMs({ key }: Place): number {
    return Math.max(0, (this.#untilMs.get(key) ?? 0) - this.#clock.monotonic())
  }

  /** Settles when all calls before this one have ended. */
  before({ key, order = key }: Place): Promise<void> | undefined {
    return this.#lines.get(order)
  }

  /**
   * Waits for `before` and for the place, unless that takes longer than `longestMs`: `leftMs` is then what is left, at once if that is known.
   * `isBehind`: it is `before` that takes longer. Rejects when one of `stops` aborts.
   */
  async wait(
    place: Place,
    { before, longestMs, stops }: { before: Promise<void> | undefined; longestMs: number; stops: Stops },
  ): Promise<{ waitedMs: number; leftMs: number; isBehind?: true }> {
    const startMs = this.#clock.monotonic()
    if (before && this.leftMs(place) <= longestMs && !(await this.#endsWithin(before, longestMs, stops)))
      return { waitedMs: longestMs, leftMs: this.leftMs(place), isBehind: true }
    for (;;) {
      const leftMs = this.leftMs(place)
      const waitedMs = this.#clock.monotonic() - startMs
      if (leftMs === 0 || waitedMs + leftMs > longestMs) return { waitedMs, leftMs }
      await sleep(this.#clock, leftMs, ...stops)
    }
  }

  /** Whether it ends in this time. Rejects when one of `stops` aborts. */
  async #endsWithin(what: Promise<void>, ms: number, stops: Stops): Promise<boolean> {
    let timer: Timer | undefined
    const late = new Promise<false>((resolve) => {
      timer = this.#clock.after(ms, () => resolve(false), { keepAlive: true })
    })
    try {
      return await Promise.race([orAborted(what, ...stops).then(() => true), late])
    } finally {
      timer?.cancel()
    }
  }

  /** The calls after this one wait until `ended` settles. */
  block({ key, order = key }: Place, ended: Promise<void>): void {
    const all = Promise.all([this.#lines.get(order), ended]).then(() => {
      if (this.#lines.get(order) === all) this.#lines.delete(order)
    })
    this.#lines.set(order, all)
  }
}
