import { BotwrightError } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import type { Outbox } from '../link/ports.ts'
import type { StateStore } from '../author/ports.ts'

const fenced = () => new BotwrightError('ERR_FENCED', 'another instance has taken over this event: nothing was done')

/**
 * Between handlers and what they act by, where they share a thread with what has to end them: JavaScript cannot be ended, so
 * everything that leaves it is refused instead.
 */
export class Gate {
  readonly #closed = new AbortController()

  /** Refuses everything from now on, and gives up what is under way. */
  close(): void {
    this.#closed.abort(fenced())
  }

  call(call: Call): Call {
    const { signal } = this.#closed
    const gated = (name: string, input: unknown, options?: CallOptions): Promise<unknown> => {
      if (signal.aborted) return Promise.reject(fenced())
      const both = options?.signal ? AbortSignal.any([options.signal, signal]) : signal
      return (call as unknown as typeof gated)(name, input, { ...options, signal: both })
    }
    return gated as unknown as Call
  }

  store(store: StateStore): StateStore {
    return {
      get: async (key) => this.#open(store).get(key),
      set: async (key, value, options) => this.#open(store).set(key, value, options),
      delete: async (key, options) => this.#open(store).delete(key, options),
      list: async (prefix, options) => this.#open(store).list(prefix, options),
    }
  }

  outbox(outbox: Outbox): Outbox {
    const { broadcasts } = outbox
    return {
      broadcasts: {
        start: async (id, input) => this.#open(broadcasts).start(id, input),
        next: async (id, done) => this.#open(broadcasts).next(id, done),
        cancel: async (id) => this.#open(broadcasts).cancel(id),
      },
      budget: async () => this.#open(outbox).budget(),
    }
  }

  #open<T>(way: T): T {
    if (this.#closed.signal.aborted) throw fenced()
    return way
  }
}
