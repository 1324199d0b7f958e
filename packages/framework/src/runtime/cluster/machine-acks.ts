import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { type Answers, sendAck, logUnacknowledged } from '../clicks/click-ack.ts'
import { hasCode } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'
import { type Click, SECOND_TURN_MS } from '../ports/cluster.ts'

const FORGET_MS = 10 * SECOND_TURN_MS

/** The clicks that this machine acknowledges for all. */
export class MachineAcks {
  /** How many acks were sent. */
  sent = 0
  readonly #call: Call
  readonly #answers: Answers
  readonly #clock: Clock
  readonly #log: Log
  /** Those under way, and those that came to nothing: the second turn may come to the same machine. */
  readonly #open = new Map<string, Promise<void>>()

  constructor({ call, answers, clock, log }: { call: Call; answers: Answers; clock: Clock; log: Log }) {
    this.#call = call
    this.#answers = answers
    this.#clock = clock
    this.#log = log
  }

  /** Rejects when it was not done and another machine, or the second turn, may be able to. */
  async ack(click: Click, last: boolean): Promise<void> {
    const { interactionId } = click
    const first = this.#open.get(interactionId)
    const done = first ? await wentWell(first) : this.#answers.answered(interactionId)
    if (done || click.expiresAtMs <= this.#clock.now()) return
    const sending = this.#send(click, last)
    this.#open.set(interactionId, sending)
    const forget = () => void (this.#open.get(interactionId) === sending && this.#open.delete(interactionId))
    sending.then(forget, () => void this.#clock.after(FORGET_MS, forget))
    await sending
  }

  async #send(click: Click, last: boolean): Promise<void> {
    const sinceMs = this.#clock.monotonic()
    const leaving = (): void => {
      // This machine stood still, or is very busy: it is another one's turn, which may have had it.
      if (!last && this.#clock.monotonic() - sinceMs >= SECOND_TURN_MS) throw new LateTurn()
      this.sent++
    }
    try {
      await sendAck(this.#call, click, { leaving })
    } catch (error) {
      if (error instanceof LateTurn || hasCode(error, 'ERR_FENCED')) throw error
      logUnacknowledged(click, error, this.#log)
      // A refusal is the same for everybody.
      const { status = 0 } = error as { status?: number }
      if (!(error instanceof BotwrightError) || status < 400 || status >= 500) throw error
    }
  }
}

const wentWell = (doing: Promise<void>): Promise<boolean> =>
  doing.then(
    () => true,
    () => false,
  )

class LateTurn extends Error {}
