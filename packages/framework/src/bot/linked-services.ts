import type { EndpointName, Input, Output } from '@botwright/protocol/shapes'
import type { Call, CallOptions } from '@botwright/rest'
import type { Log, StateStore } from '../author/ports.ts'
import { readKey, writeValue } from '../author/state/store-text.ts'
import { withCallSite } from '../link/errors/call-site.ts'
import type { Link } from '../link/link.ts'
import type { BotPort, RuntimePort } from '../link/messages.ts'
import type { Outbox } from '../link/ports.ts'
import type { LayeredCallOptions } from './layer.ts'
import { noteCaller } from './unawaited.ts'

/** The client, store and outbox of the bot's code in a worker thread. They call the runtime over the link. */
export function linkedServices({ request }: Link<BotPort, RuntimePort>): {
  answersLeft: (interactionId: string) => Promise<number>
  call: Call
  store: StateStore
  outbox: Outbox
} {
  const located = <A extends unknown[], R>(run: (...args: A) => Promise<R>) => withCallSite(run, false)
  const { store, broadcasts, outbox } = request
  return {
    call: async <N extends EndpointName>(name: N, input: Input<N>, options: LayeredCallOptions = {}) => {
      const { signal, priority, timeoutMs, longestWaitMs, eventId, span } = options
      const linked = { signal, priority, timeoutMs, longestWaitMs, eventId, span }
      // The message is sent at the end of this turn. Clone the input now, so that later changes by the author have no effect.
      return (await request.client.call(name, structuredClone(input), linked)) as Output<N>
    },
    answersLeft: (interactionId) => request.client.answersLeft(interactionId),
    store: {
      get: located(async (key) => store.get(readKey(key))),
      // Send the value as JSON would store it, because structured clone preserves more.
      set: located(async (key, value, options) =>
        store.set(readKey(key), JSON.parse(writeValue(key, value)), { ...options }),
      ),
      delete: located(async (key, options) => store.delete(readKey(key), { ...options })),
      list: located((prefix, options) => store.list(prefix, { ...options })),
    },
    outbox: {
      broadcasts: {
        start: located(async (id, input) => broadcasts.start(id, structuredClone(input))),
        next: located((id, done, known) => broadcasts.next(id, done, known)),
        cancel: located((id) => broadcasts.cancel(id)),
      },
      budget: located(() => outbox.budget()),
    },
  }
}

/** The options of a call, with the limits of this run. */
export const limited: unique symbol = Symbol('limited')

/** The file of this run. */
export const place: unique symbol = Symbol('place')

/** One run of a handler. */
export interface CallingRun {
  [limited](options: CallOptions | undefined): CallOptions | undefined
  readonly [place]: string
}

/** The calls of one run of a handler. */
export class RunCalls {
  readonly call: Call
  #open = 0
  #allEnded: (() => void) | undefined
  #ended: Promise<void> | undefined

  constructor({ call, log }: { call: Call; log: Log }, run: CallingRun) {
    this.call = async (name, input, given) => {
      this.#open++
      // Awaited here: another handler of the promise would hide the author's line from the stack of an error.
      try {
        return await call(name, input, run[limited](given))
      } catch (error) {
        noteCaller(error, { file: run[place], log })
        throw error
      } finally {
        if (--this.#open === 0) this.#allEnded?.()
      }
    }
  }

  /** Counts work as a call until it has ended. */
  async counted<T>(work: () => Promise<T>): Promise<T> {
    this.#open++
    try {
      return await work()
    } finally {
      if (--this.#open === 0) this.#allEnded?.()
    }
  }

  /** Waits for the calls that have not ended. Undefined without any. */
  ended(): Promise<void> | undefined {
    if (this.#open > 0) this.#ended ??= this.#whenEnded().then(() => (this.#ended = undefined))
    return this.#ended
  }

  async #whenEnded(): Promise<void> {
    while (this.#open > 0) {
      await new Promise<void>((resolve) => (this.#allEnded = resolve))
      // A call may follow that was to be made after it.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}
