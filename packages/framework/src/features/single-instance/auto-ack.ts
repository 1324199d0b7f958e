import { sleep, systemClock, type Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { limits } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import { ackWaitMs, acknowledge, type Answers, clickOf } from '../delivery/click-ack.ts'
import { clickedAtMs, type ServiceClock } from '../delivery/service-clock.ts'
import type { Click } from '../../runtime/ports/cluster.ts'
import type { Log } from '../../author/ports.ts'

interface PendingClick extends Click {
  dueMs: number
  /** From then on, an answer that is under way does not count. */
  latestMs: number
}

/** An answer that is under way may still be refused. */
const LOOK_AGAIN_MS = 100
const LOOK_AGAIN_FOR_MS = 700

/**
 * Acknowledges each click of a single instance that is unanswered 2 s after it was made, whether its handler has started or not.
 * Runs in the supervisor, so that a blocked worker cannot make a click fail. `ClusterAcks` does this in a cluster.
 */
export class AutoAck {
  readonly #call: Call
  readonly #answers: Answers
  readonly #clock: ServiceClock
  readonly #log: Log
  /** Sorted by `dueMs`. */
  readonly #waiting: PendingClick[] = []
  #timer: Timer | undefined
  /** When the timer fires. */
  #timerMs: number | undefined
  #sent = 0

  constructor(options: { call: Call; answers: Answers; clock: ServiceClock; log: Log }) {
    this.#call = options.call
    this.#answers = options.answers
    this.#clock = options.clock
    this.#log = options.log
  }

  /** The number of acks sent. */
  get sent(): number {
    return this.#sent
  }

  /** Called when an event arrives. `redelivered`: an earlier process received it before. */
  received(event: BotEvent, redelivered: boolean): void {
    const click = clickOf(event, this.#clock)
    if (!click) return
    const leftMs = this.#clock.leftMs(click.expiresAtMs)
    this.#answers.open(click.interactionId, leftMs)
    // The user has already seen the failure, or the answer of the earlier process.
    const late = this.#clock.now() - clickedAtMs(event) > limits.interaction.answer_seconds * 1000
    if (leftMs <= 0 || (redelivered && late)) return
    const dueMs = this.#clock.monotonic() + ackWaitMs(event, this.#clock)
    this.#add({ ...click, dueMs, latestMs: dueMs + LOOK_AGAIN_FOR_MS })
    this.#arm()
  }

  #add(click: PendingClick): void {
    const last = this.#waiting.at(-1)
    this.#waiting.push(click)
    if (last && last.dueMs > click.dueMs) this.#waiting.sort((a, b) => a.dueMs - b.dueMs)
  }

  #arm(): void {
    const [next] = this.#waiting
    if (next?.dueMs === this.#timerMs) return
    this.#timer?.cancel()
    this.#timerMs = next?.dueMs
    this.#timer = next && this.#clock.after(next.dueMs - this.#clock.monotonic(), this.#sweep, { keepAlive: true })
  }

  /** Acknowledges all pending clicks at once, because the process is about to exit. */
  async flush(): Promise<void> {
    const clicks = this.#waiting.splice(0)
    this.#arm()
    await Promise.all(clicks.map((click) => this.#ackAtEnd(click)))
  }

  /** An answer that is under way may still be refused. The process ends in real time. */
  async #ackAtEnd(click: PendingClick): Promise<void> {
    const endMs = systemClock.monotonic() + LOOK_AGAIN_FOR_MS
    while (this.#answers.answering(click.interactionId) && systemClock.monotonic() < endMs)
      await sleep(systemClock, LOOK_AGAIN_MS)
    // In real time: an ack that is sent again waits on the clock of the bot.
    await this.#ack(click, { signal: AbortSignal.timeout(limits.interaction.answer_seconds * 1000) })
  }

  readonly #sweep = (): void => {
    this.#timerMs = undefined
    const now = this.#clock.monotonic()
    let due = 0
    while (due < this.#waiting.length && this.#waiting[due]!.dueMs <= now) due++
    for (const click of this.#waiting.splice(0, due))
      if (now < click.latestMs && this.#answers.answering(click.interactionId))
        this.#add({ ...click, dueMs: now + LOOK_AGAIN_MS })
      else void this.#ack(click)
    this.#arm()
  }

  async #ack(click: PendingClick, options?: CallOptions): Promise<void> {
    if (this.#answers.answered(click.interactionId) || this.#clock.leftMs(click.expiresAtMs) <= 0) return
    this.#sent++
    await acknowledge(this.#call, click, this.#log, options)
  }
}
