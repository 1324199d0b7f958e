import { isThenable } from '../author/outgoing.ts'
import { fromPlainError, toPlainError } from './errors/plain-error.ts'
import type { PlainError } from './messages.ts'

/** A port: services by name, each an object of methods. The interface that declares it is used on both sides. */
type Services<P> = { readonly [S in keyof P]: object }

/** The other side's port: each method returns a promise of its answer. */
export type Remote<P> = {
  readonly [S in keyof P]: {
    readonly [M in keyof P[S]]: P[S][M] extends (...args: infer A) => infer R
      ? (...args: A) => Promise<Awaited<R>>
      : never
  }
}

/** The same methods without an answer. */
export type OneWay<P> = {
  readonly [S in keyof P]: {
    readonly [M in keyof P[S]]: P[S][M] extends (...args: infer A) => unknown ? (...args: A) => void : never
  }
}

/** One entry of a message. `abortable`: the last argument is an options object with a signal, which stays behind. */
export type Frame =
  | readonly [kind: 'ask', id: number, service: string, method: string, args: unknown[], abortable: boolean]
  | readonly [kind: 'tell', service: string, method: string, args: unknown[]]
  | readonly [kind: 'answer', id: number, value: unknown]
  | readonly [kind: 'refusal', id: number, error: PlainError]
  | readonly [kind: 'abort', id: number]

type Method = (...args: unknown[]) => unknown

interface Asked {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

interface Served {
  service: string
  abort: AbortController | undefined
}

export interface LinkOptions<Local> {
  /** What the other side may ask for. */
  local: Local
  /** Sends one message to the other side; throws when a value in it cannot be cloned. */
  post: (frames: readonly Frame[]) => void
  /** Called after each request of the other side has been answered. */
  onServed?: () => void
}

/**
 * One end of the link between the bot's code and the runtime. Everything that one turn of the event loop asks, answers and reports
 * travels in one message. Errors arrive as the class that they were.
 */
export class Link<Local extends Services<Local>, Other extends Services<Other>> {
  /** Asks the other side. An options object with a `signal` as the last argument passes its abort on. */
  readonly ask: Remote<Other>
  /** Notifies the other side, which does not answer. */
  readonly tell: OneWay<Other>
  readonly #local: Record<string, Record<string, Method>>
  readonly #post: LinkOptions<Local>['post']
  readonly #onServed: (() => void) | undefined
  readonly #asked = new Map<number, Asked>()
  readonly #served = new Map<number, Served>()
  #queue: Frame[] = []
  #flushing: NodeJS.Immediate | undefined
  #lastId = 0
  #closed: Error | undefined

  constructor({ local, post, onServed }: LinkOptions<Local>) {
    this.#local = local as unknown as Record<string, Record<string, Method>>
    this.#post = post
    this.#onServed = onServed
    this.ask = services((service, method, args) => this.#ask(service, method, args)) as Remote<Other>
    this.tell = services((service, method, args) => this.#send(['tell', service, method, args])) as OneWay<Other>
  }

  /** The services that still work on a request of the other side, one entry for each request. */
  get serving(): readonly string[] {
    return [...this.#served.values()].map(({ service }) => service)
  }

  /** Takes a message of the other side. */
  receive(frames: readonly Frame[]): void {
    for (const frame of frames) if (!this.#closed) this.#take(frame)
    // What a message led to leaves before the next message is taken: that one may block the thread.
    queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Sends now what would wait for the end of this turn: the thread may be blocked, or gone, before that. */
  flush(): void {
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    const frames = this.#queue
    this.#queue = []
    if (frames.length > 0 && !this.#closed) this.#postAll(frames)
  }

  /** The other side is gone: requests in both directions end with this reason, and nothing is sent or received any more. */
  close(reason: Error): void {
    if (this.#closed) return
    this.#closed = reason
    for (const { abort } of this.#served.values()) abort?.abort(reason)
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(reason)
  }

  #ask(service: string, method: string, args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed)
    const options = args.at(-1)
    const abortable = typeof options === 'object' && options !== null && 'signal' in options
    if (!abortable) return this.#request(service, method, args, undefined)
    const { signal, ...others } = options as { signal?: AbortSignal }
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    return this.#request(service, method, [...args.slice(0, -1), others], { signal })
  }

  #request(
    service: string,
    method: string,
    args: unknown[],
    abortable: { signal: AbortSignal | undefined } | undefined,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#send(['ask', id, service, method, args, abortable !== undefined])
      const signal = abortable?.signal
      if (!signal) return void this.#asked.set(id, { resolve, reject })
      const onAbort = () => {
        this.#asked.delete(id)
        this.#send(['abort', id])
        reject(signal.reason as Error)
      }
      const end = () => signal.removeEventListener('abort', onAbort)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#asked.set(id, {
        resolve: (value) => (end(), resolve(value)),
        reject: (error) => (end(), reject(error)),
      })
    })
  }

  #take(frame: Frame): void {
    switch (frame[0]) {
      case 'ask':
        return this.#serve(frame)
      case 'tell':
        return void this.#local[frame[1]]![frame[2]]!(...frame[3])
      case 'answer':
        return this.#end(frame[1])?.resolve(frame[2])
      case 'refusal': {
        const asked = this.#end(frame[1])
        if (asked) fromPlainError(frame[2]).then(asked.reject, asked.reject)
        return
      }
      case 'abort':
        this.#served.get(frame[1])?.abort?.abort(new Error('the other side aborted this request'))
    }
  }

  #end(id: number): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked
  }

  #serve([, id, service, method, args, abortable]: Frame & { 0: 'ask' }): void {
    const abort = abortable ? new AbortController() : undefined
    if (abort) (args.at(-1) as { signal: AbortSignal }).signal = abort.signal
    let result: unknown
    try {
      result = this.#local[service]![method]!(...args)
    } catch (error) {
      return this.#send(['refusal', id, toPlainError(error)])
    }
    // A handler that returns at once costs no promise.
    if (!isThenable(result)) return this.#send(['answer', id, result])
    this.#served.set(id, { service, abort })
    const answered = (frame: Frame) => {
      this.#served.delete(id)
      this.#send(frame)
      this.#onServed?.()
    }
    result.then(
      (value: unknown) => answered(['answer', id, value]),
      (error: unknown) => answered(['refusal', id, toPlainError(error)]),
    )
  }

  #send(frame: Frame): void {
    if (this.#closed) return
    this.#queue.push(frame)
    this.#flushing ??= setImmediate(() => this.flush())
  }

  #postAll(frames: readonly Frame[]): void {
    try {
      this.#post(frames)
    } catch (error) {
      // One value that cannot be cloned must not cost the other frames of the message.
      if (frames.length > 1) for (const frame of frames) this.#postAll([frame])
      else this.#refused(frames[0]!, error)
    }
  }

  #refused(frame: Frame, error: unknown): void {
    if (frame[0] === 'ask') this.#end(frame[1])?.reject(error as Error)
    else if (frame[0] === 'answer') this.#post([['refusal', frame[1], toPlainError(error)]])
    else throw error
  }
}

type Send = (service: string, method: string, args: unknown[]) => unknown

/** Objects whose every method is sent; each is made once. */
const services = (send: Send): unknown =>
  made((service) =>
    made(
      (method) =>
        (...args: unknown[]) =>
          send(service, method, args),
    ),
  )

function made<T>(make: (name: string) => T): Record<string, T> {
  return new Proxy<Record<string, T>>(Object.create(null) as Record<string, T>, {
    get: (known, name: string) => (known[name] ??= make(name)),
  })
}
