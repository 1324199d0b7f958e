import type { BotEvent, Delivery } from '@botwright/events/event'
import { answerKey } from '../../link/conversation/answer-key.ts'
import { choiceOf } from '../../author/buttons/face.ts'

/** An answer on its way to the handler that waits for it. `settle` lets the next event of its lane go on. */
export interface ReceivedAnswer {
  delivery: Delivery
  settle: () => void
}

interface Waiter {
  // Whether it is what the handler waits for; anything else is handled as if nobody waited.
  accepts: (delivery: Delivery) => boolean
  resolve: (answer: ReceivedAnswer | undefined) => void
}

/** The key under which buttons are posted whose message has no id yet. */
export const choiceKey = 'choice'

const isChoice = ({ data }: BotEvent): boolean =>
  typeof data['custom_id'] === 'string' && choiceOf(data['custom_id']) !== undefined

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Tells whoever leads events to threads what this one waits for. */
export interface WaitingHost {
  // The next event of this key belongs here, or no longer.
  waits(key: string, on: boolean): void
  // The handler of this event talks with somebody, or no longer: its thread must live on.
  talks(eventId: number, on: boolean): void
}

/** The handlers of a thread that wait for somebody's answer. Outlives the bot's code: a handler of older code gets its answers too. */
export class Waiting {
  readonly #host: WaitingHost | undefined
  readonly #waiters = new Map<string, Waiter>()
  // Questions that are being posted: their answer may arrive before they do.
  readonly #asking = new Map<string, Promise<unknown>>()
  #closed = false

  constructor(host?: WaitingHost) {
    this.#host = host
  }

  // Nobody waits for anything: the usual case, in which an event costs no more than this question.
  get idle(): boolean {
    return this.#waiters.size === 0 && this.#asking.size === 0
  }

  /**
   * Gives an event to the handler that waits for it; `otherwise` handles it when none does. Undefined, with nothing done,
   * when nobody waits at all. The promise ends when the handler waits again or ends: what comes behind it may be its next answer.
   */
  take(delivery: Delivery, otherwise: () => void | Promise<void>): Promise<void> | undefined {
    if (this.idle) return undefined
    const key = answerKey(delivery.event)
    if (key === undefined) return undefined
    const waiter = this.#waiters.get(key)
    if (waiter?.accepts(delivery)) {
      this.#remove(key)
      return new Promise((settle) => waiter.resolve({ delivery, settle }))
    }
    if (waiter) return undefined
    const asking = this.#asking.get(isChoice(delivery.event) ? choiceKey : key)
    if (!asking) return undefined
    // Behind it by a turn: whoever asks has to begin to wait.
    const asked = asking.then(turn, turn)
    return asked.then(() => this.take(delivery, otherwise) ?? otherwise())
  }

  // Posts a question. What comes with this key meanwhile may be its answer, and is looked at when the question stands.
  async asking<T>(key: string, post: () => Promise<T>): Promise<T> {
    const posted = post()
    this.#asking.set(key, posted)
    try {
      return await posted
    } finally {
      if (this.#asking.get(key) === posted) this.#asking.delete(key)
    }
  }

  // Waits for one event. Undefined: `stop` was called, or a newer question to the same person took its place.
  wait(key: string, accepts: Waiter['accepts']): { answer: Promise<ReceivedAnswer | undefined>; stop: () => void } {
    let stop!: () => void
    const answer = new Promise<ReceivedAnswer | undefined>((resolve) => {
      this.#waiters.get(key)?.resolve(undefined)
      const waiter: Waiter = { accepts, resolve }
      this.#waiters.set(key, waiter)
      this.#host?.waits(key, true)
      stop = () => {
        if (this.#waiters.get(key) === waiter) this.#remove(key)
        resolve(undefined)
      }
    })
    return { answer, stop }
  }

  // A newer question to the same person stands in another thread: it takes the place of the one here.
  replaced(key: string): void {
    const waiter = this.#waiters.get(key)
    if (!waiter) return
    this.#remove(key)
    waiter.resolve(undefined)
  }

  // Nobody is waited for any more: the bot has stopped, and its handlers rest where they are.
  close(): void {
    this.#closed = true
    this.#waiters.clear()
  }
  get closed(): boolean {
    return this.#closed
  }

  talks(eventId: number, on: boolean): void {
    this.#host?.talks(eventId, on)
  }

  #remove(key: string): void {
    this.#waiters.delete(key)
    this.#host?.waits(key, false)
  }
}
