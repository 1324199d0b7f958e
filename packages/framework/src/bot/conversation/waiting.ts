import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import { answerKey, replyKeyOf } from '../../link/answer-key.ts'
import { choiceOf } from '../../author/buttons/face.ts'

// An answer for a waiting handler. `settle` releases the next event of its queue.
export interface ReceivedAnswer {
  delivery: Delivery
  settle: () => void
}

// A handler that waits: the event that started it, its file, and the id of its durable run.
export interface WaitingHandler {
  event: EventKey
  file: string
  run?: string
}

// See `Waiter.admits`.
export type Admits = (delivery: Delivery) => Promise<boolean>

interface Waiter {
  // Whether the event is the expected answer. Other events are handled as usual.
  accepts: (delivery: Delivery) => boolean
  // Whether the accepted event may answer. It notifies the user of one that may not, which leaves no trace in the handler. Never rejects.
  admits?: Admits | undefined
  resolve: (answer: ReceivedAnswer | undefined) => void
  // The handler that waits.
  by: WaitingHandler
}

// The key of buttons whose message is being posted and has no id yet.
export const choiceKey = 'choice'

const isChoice = ({ data }: BotEvent): boolean =>
  typeof data['custom_id'] === 'string' && choiceOf(data['custom_id']) !== undefined

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

// Notifies the dispatcher of the answers that this thread waits for.
export interface WaitingHost {
  // This thread starts or stops waiting for the next event with this key.
  waits(key: string, on: boolean): void
  // A handler of this event is in a conversation, or none is any longer. Its thread must not end while it lasts.
  talks(eventId: EventKey, on: boolean): void
  // A time of a durable run in this thread has come: the runtime wakes the run, unless the bot stops.
  due(run: string, file: string): void
}

// The handlers of a thread that wait for answers. Outlives the bot's code, so that handlers of replaced code still get theirs.
export class Waiting {
  readonly #host: WaitingHost | undefined
  readonly #waiters = new Map<string, Waiter>()
  // Questions that are being posted, of any number of handlers. The answer may arrive before the response of the service.
  readonly #asking = new Map<string, Set<Promise<unknown>>>()
  // The conversations of each event.
  readonly #talking = new Map<EventKey, Set<object>>()
  #closed = false

  constructor(host?: WaitingHost) {
    this.#host = host
  }

  // Whether no handler waits: the usual case, which costs an event only this check.
  get idle(): boolean {
    return this.#waiters.size === 0 && this.#asking.size === 0
  }

  // Passes an event to the handler that waits for it, or to `otherwise` if a question that was being posted turns out not to match.
  // Returns undefined, without side effects, if no handler waits. The promise settles when the handler waits again or ends, because the
  // next event may be its next answer. `passed` is called with the handler before it continues.
  take(
    delivery: Delivery,
    otherwise: () => void | Promise<void>,
    passed?: (to: WaitingHandler) => void,
  ): Promise<void> | undefined {
    if (this.idle) return undefined
    const reply = replyKeyOf(delivery.event)
    const key = reply !== undefined && this.#waiters.has(reply) ? reply : answerKey(delivery.event)
    if (key === undefined) return undefined
    const waiter = this.#waiters.get(key)
    if (waiter?.accepts(delivery)) {
      passed?.(waiter.by)
      if (!waiter.admits) return this.#pass(key, waiter, delivery)
      return waiter.admits(delivery).then((admitted) => {
        if (!admitted) return undefined
        // Its wait may have ended meanwhile.
        if (this.#waiters.get(key) !== waiter) return this.take(delivery, otherwise, passed) ?? otherwise()
        return this.#pass(key, waiter, delivery)
      })
    }
    if (waiter) return undefined
    const asking = this.#asking.get(isChoice(delivery.event) ? choiceKey : key)
    if (!asking) return undefined
    // One turn later, so that the asking handler has begun to wait.
    const asked = Promise.race([...asking].map((posted) => posted.then(turn, turn)))
    return asked.then(() => this.take(delivery, otherwise, passed) ?? otherwise())
  }

  #pass(key: string, { resolve }: Waiter, delivery: Delivery): Promise<void> {
    this.#remove(key)
    return new Promise((settle) => resolve({ delivery, settle }))
  }

  // Receives the events with this key in this thread, or no longer.
  receives(key: string, on: boolean): void {
    this.#host?.waits(key, on)
  }

  // A time of a durable run has come. Without a runtime, `wake` wakes it.
  due(run: string, file: string, wake: () => void): void {
    if (this.#host) this.#host.due(run, file)
    else wake()
  }

  // Posts a question. Events with this key may be its answer, so they are held until it is posted, or its handler is dropped: the calls
  // of a dropped handler never settle.
  async asking<T>(key: string, post: () => Promise<T>, dropped?: Promise<void>): Promise<T> {
    const posted = post()
    // Only the caller gets the error of a question that cannot be posted.
    const held = dropped ? Promise.race([posted.catch(() => undefined), dropped]) : posted
    const all = this.#asking.get(key) ?? new Set()
    this.#asking.set(key, all.add(held))
    const release = () => {
      if (all.delete(held) && all.size === 0) this.#asking.delete(key)
    }
    void dropped?.then(release)
    try {
      return await posted
    } finally {
      release()
    }
  }

  // Waits for one event. Resolves with undefined if `stop` is called or a newer question to the same user replaces this one.
  wait(
    key: string,
    { accepts, admits, by }: Omit<Waiter, 'resolve'>,
  ): { answer: Promise<ReceivedAnswer | undefined>; stop: () => void } {
    let stop!: () => void
    const answer = new Promise<ReceivedAnswer | undefined>((resolve) => {
      this.#waiters.get(key)?.resolve(undefined)
      const waiter: Waiter = { accepts, admits, by, resolve }
      this.#waiters.set(key, waiter)
      this.#host?.waits(key, true)
      stop = () => {
        if (this.#waiters.get(key) === waiter) this.#remove(key)
        resolve(undefined)
      }
    })
    return { answer, stop }
  }

  // A newer question to the same user in another thread replaces the one here.
  replaced(key: string): void {
    const waiter = this.#waiters.get(key)
    if (!waiter) return
    this.#remove(key)
    waiter.resolve(undefined)
  }

  // The bot has stopped. Waiting handlers never continue.
  close(): void {
    this.#closed = true
    this.#waiters.clear()
  }
  get closed(): boolean {
    return this.#closed
  }

  // Several handlers of one event may be in conversations: `by` is one of these.
  talks(eventId: EventKey, by: object, on: boolean): void {
    const all = this.#talking.get(eventId) ?? new Set()
    if (on ? all.has(by) : !all.delete(by)) return
    if (on) all.add(by)
    if (all.size > (on ? 1 : 0)) return
    if (on) this.#talking.set(eventId, all)
    else this.#talking.delete(eventId)
    this.#host?.talks(eventId, on)
  }

  #remove(key: string): void {
    this.#waiters.delete(key)
    this.#host?.waits(key, false)
  }
}
