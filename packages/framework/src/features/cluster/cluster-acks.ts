import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import type { ServiceClock } from '../delivery/service-clock.ts'
import { type Answers, sendAck, logUnacknowledged } from '../delivery/click-ack.ts'
import { hasCode } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'
import type { Click } from '../../runtime/ports/cluster.ts'

/** The clicks that this instance acknowledges. */
export class ClusterAcks {
  /** How many clicks were acknowledged. A request that is repeated does not count again. */
  sent = 0
  readonly #call: Call
  readonly #answers: Answers
  readonly #service: ServiceClock
  readonly #log: Log

  constructor({ call, answers, service, log }: { call: Call; answers: Answers; service: ServiceClock; log: Log }) {
    this.#call = call
    this.#answers = answers
    this.#service = service
    this.#log = log
  }

  /** See `Duties.ack`. */
  async ack(click: Click, mayLeave: () => boolean): Promise<void> {
    const { interactionId } = click
    if (this.#answers.answered(interactionId) || this.#service.leftMs(click.expiresAtMs) <= 0) return
    // The answer may still be refused.
    if (this.#answers.answering(interactionId)) throw new TurnTaken()
    let isRepeated = false
    const leaving = (): void => {
      if (!mayLeave()) throw new TurnTaken()
      if (!isRepeated) this.sent++
      isRepeated = true
    }
    try {
      await sendAck(this.#call, click, { leaving })
    } catch (error) {
      if (error instanceof TurnTaken || hasCode(error, 'ERR_FENCED')) throw error
      logUnacknowledged(click, error, this.#log)
      // The service refuses it for every instance.
      const { status = 0 } = error as { status?: number }
      if (!(error instanceof BotwrightError) || status < 400 || status >= 500) throw error
    }
  }
}

/** Another instance may have acknowledged the click, because this one was frozen or very busy; or an answer is under way. */
class TurnTaken extends Error {}
