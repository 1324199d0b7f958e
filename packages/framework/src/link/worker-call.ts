import type { Call, CallOptions } from '@botwright/rest'
import { withCallSite } from './errors/call-site.ts'
import { fromPlainError } from './errors/plain-error.ts'
import type { Outbox } from './ports.ts'
import type { StateStore } from '../author/ports.ts'
import { readKey, writeValue } from '../author/state/store-text.ts'
import type { FromWorker, OutboxRequest, PlainError, SpanId, StoreRequest } from './messages.ts'

interface Pending {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** What tracing adds to the options of a call that may leave the thread. */
export interface TracedCallOptions extends CallOptions {
  span?: SpanId
}

/** The calls of a worker: each travels to the supervisor, which owns the connection, the message budget and the token. */
export class WorkerCalls {
  readonly #pending = new Map<number, Pending>()
  readonly #send: (message: FromWorker) => void
  #lastId = 0
  /** Tells which event's handler runs; set where the bot is recorded. */
  scope: { readonly eventId: number | undefined } | undefined

  constructor(send: (message: FromWorker) => void) {
    this.#send = send
  }

  /** Looks like the client's own `call` to the bot's code. */
  readonly call: Call = ((name: string, input: unknown, options: TracedCallOptions = {}) => {
    const { signal, priority, timeoutMs, span } = options
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const eventId = this.scope?.eventId
    return new Promise<unknown>((resolve, reject) => {
      const id = ++this.#lastId
      const onAbort = () => {
        this.#pending.delete(id)
        this.#send({ kind: 'cancel', id })
        reject(signal!.reason as Error)
      }
      const end = () => signal?.removeEventListener('abort', onAbort)
      this.#pending.set(id, {
        resolve: (value) => (end(), resolve(value)),
        reject: (error) => (end(), reject(error)),
      })
      try {
        this.#send({
          kind: 'call',
          id,
          name,
          input,
          ...(priority !== undefined && { priority }),
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(eventId !== undefined && { eventId }),
          ...(span && { span }),
        })
      } catch (error) {
        // A function or a class instance inside the input cannot leave this thread.
        this.#pending.delete(id)
        return reject(error instanceof Error ? error : new Error(String(error)))
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }) as unknown as Call

  /** Looks like the supervisor's store to the bot's code: the file has one owner, whatever the number of workers. */
  readonly store: StateStore = {
    get: (key) => this.#ask({ method: 'get', key: readKey(key) }),
    set: async (key, value, options) =>
      this.#ask({ method: 'set', key: readKey(key), text: writeValue(key, value), ...options }),
    delete: (key, options) => this.#ask({ method: 'delete', key: readKey(key), ...options }),
    list: (prefix, options) => this.#ask({ method: 'list', prefix, ...options }),
  }

  /** Looks like the supervisor's outbox to the bot's code. */
  readonly outbox: Outbox = {
    broadcasts: {
      start: (broadcast, input) => this.#post({ method: 'start', broadcast, ...input }),
      next: (broadcast, done) => this.#post({ method: 'next', broadcast, done }),
      cancel: (broadcast) => this.#post({ method: 'cancel', broadcast }),
    },
    budget: () => this.#post({ method: 'budget' }),
  }

  #ask<T>(request: StoreRequest): Promise<T> {
    return this.#request((id) => ({ kind: 'store', id, request })) as Promise<T>
  }

  #post<T>(request: OutboxRequest): Promise<T> {
    return this.#request((id) => ({ kind: 'outbox', id, request })) as Promise<T>
  }

  readonly #request = withCallSite(
    (message: (id: number) => FromWorker) =>
      new Promise<unknown>((resolve, reject) => {
        const id = ++this.#lastId
        this.#pending.set(id, { resolve, reject })
        this.#send(message(id))
      }),
    false,
  )

  answer(id: number, value: unknown): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.resolve(value)
  }

  refuse(id: number, error: PlainError): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (pending) fromPlainError(error).then(pending.reject, pending.reject)
  }
}
