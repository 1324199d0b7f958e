import { setMaxListeners } from 'node:events'
import { isThenable } from '../author/outgoing.ts'
import { fromPlainError, toPlainError } from './errors/plain-error.ts'
import type { PlainError } from './messages.ts'

/** A port: services by name, each an object of methods. Both sides share the interface that declares it. */
type Services<P> = { readonly [S in keyof P]: object }

/** The other side's port: each method returns a promise of its result. */
export type Remote<P> = {
  readonly [S in keyof P]: {
    readonly [M in keyof P[S]]: P[S][M] extends (...args: infer A) => infer R
      ? (...args: A) => Promise<Awaited<R>>
      : never
  }
}

/** The same methods without a result. */
export type OneWay<P> = {
  readonly [S in keyof P]: {
    readonly [M in keyof P[S]]: P[S][M] extends (...args: infer A) => unknown ? (...args: A) => void : never
  }
}

/** One entry of a message. `abortable`: the last argument is an options object, whose `signal` is true if the caller has passed one. */
export type Frame =
  | readonly [kind: 'request', id: number, service: string, method: string, args: unknown[], abortable: boolean]
  | readonly [kind: 'notify', service: string, method: string, args: unknown[]]
  | readonly [kind: 'response', id: number, value: unknown]
  | readonly [kind: 'error', id: number, error: PlainError]
  | readonly [kind: 'abort', id: number]

type Method = (...args: unknown[]) => unknown

interface PendingRequest {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

export interface LinkOptions<Local> {
  /** The services that the other side may call. */
  local: Local
  /** Sends one message to the other side. Throws if a value in it cannot be cloned. */
  post: (frames: readonly Frame[]) => void
  /** Called after each response to the other side. */
  onServed?: () => void
  /** Called before queued frames are sent, to add more. */
  onFlush?: () => void
  /** Both ends are in one thread: each frame is sent at once, because nothing can block the thread in between. Default false. */
  sameThread?: boolean
}

/**
 * One end of the link between the bot's code and the runtime. All requests, responses and notifications of one turn of the event loop
 * are sent in one message. Errors keep their class.
 */
export class Link<Local extends Services<Local>, Other extends Services<Other>> {
  /** Calls the other side. If the last argument is an options object with a `signal`, its abort is forwarded. */
  readonly request: Remote<Other>
  /** Calls the other side without waiting for a result. */
  readonly notify: OneWay<Other>
  readonly #local: Record<string, Record<string, Method>>
  readonly #options: LinkOptions<Local>
  readonly #pending = new Map<number, PendingRequest>()
  readonly #served = new Map<number, { service: string; abort: AbortController | undefined }>()
  #queue: Frame[] = []
  #flushing: NodeJS.Immediate | undefined
  #lastId = 0
  #closed: Error | undefined
  /** Ends the requests of the other side that nothing else can abort. */
  readonly #closing = new AbortController()

  constructor(options: LinkOptions<Local>) {
    this.#local = options.local as unknown as Record<string, Record<string, Method>>
    this.#options = options
    this.request = services((service, method, args) => this.#request(service, method, args)) as Remote<Other>
    this.notify = services((service, method, args) => this.#send(['notify', service, method, args])) as OneWay<Other>
  }

  /** The services with open requests of the other side, one entry for each request. */
  get serving(): readonly string[] {
    return [...this.#served.values()].map(({ service }) => service)
  }

  /** Handles a message of the other side. */
  receive(frames: readonly Frame[]): void {
    for (const frame of frames) if (!this.#closed) this.#handle(frame)
    // Responses are sent before the next message is handled, because that one may block the thread.
    if (!this.#options.sameThread) queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Sends queued frames now instead of at the end of this turn, for a thread that may block or exit before that. */
  flush(): void {
    this.#options.onFlush?.()
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    const frames = this.#queue
    this.#queue = []
    if (frames.length > 0 && !this.#closed) this.#postAll(frames)
  }

  /** Sends queued frames at the end of this turn. */
  flushSoon(): void {
    this.#flushing ??= setImmediate(() => this.flush())
  }

  /** Ends requests in both directions with this reason. Nothing is sent or received afterwards. */
  close(reason: Error): void {
    if (this.#closed) return
    this.#closed = reason
    this.#closing.abort(reason)
    for (const { abort } of this.#served.values()) abort?.abort(reason)
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(reason)
  }

  #request(service: string, method: string, args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed)
    const options = args.at(-1)
    const abortable = typeof options === 'object' && options !== null && 'signal' in options
    if (!abortable) return this.#sendRequest(service, method, args, false)
    const { signal } = options as { signal?: AbortSignal }
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    return this.#sendRequest(service, method, args.with(-1, { ...options, signal: signal !== undefined }), true, signal)
  }

  #sendRequest(
    service: string,
    method: string,
    args: unknown[],
    abortable: boolean,
    signal?: AbortSignal,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      const request: Frame = ['request', id, service, method, args, abortable]
      if (!signal) {
        this.#pending.set(id, { resolve, reject })
        return this.#send(request)
      }
      const onAbort = () => {
        this.#pending.delete(id)
        this.#send(['abort', id])
        reject(signal.reason as Error)
      }
      const end = () => signal.removeEventListener('abort', onAbort)
      setMaxListeners(0, signal)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#pending.set(id, {
        resolve: (value) => (end(), resolve(value)),
        reject: (error) => (end(), reject(error)),
      })
      this.#send(request)
    })
  }

  #handle(frame: Frame): void {
    switch (frame[0]) {
      case 'request':
        return this.#serve(frame)
      case 'notify':
        return void this.#local[frame[1]]![frame[2]]!(...frame[3])
      case 'response':
        return this.#takePending(frame[1])?.resolve(frame[2])
      case 'error': {
        const pending = this.#takePending(frame[1])
        if (pending) fromPlainError(frame[2]).then(pending.reject, pending.reject)
        return
      }
      case 'abort':
        this.#served.get(frame[1])?.abort?.abort(new Error('the other side aborted this request'))
    }
  }

  #takePending(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #serve([, id, service, method, args, abortable]: Frame & { 0: 'request' }): void {
    const options = abortable ? (args.at(-1) as { signal: unknown }) : undefined
    const abort = options && (options.signal === true ? new AbortController() : this.#closing)
    if (options && abort) options.signal = abort.signal
    let result: unknown
    try {
      result = this.#local[service]![method]!(...args)
    } catch (error) {
      return this.#send(['error', id, toPlainError(error)])
    }
    // A method that returns synchronously costs no promise.
    if (!isThenable(result)) return this.#send(['response', id, result])
    this.#served.set(id, { service, abort })
    const respond = (frame: Frame) => {
      this.#served.delete(id)
      this.#send(frame)
      this.#options.onServed?.()
    }
    result.then(
      (value: unknown) => respond(['response', id, value]),
      (error: unknown) => respond(['error', id, toPlainError(error)]),
    )
  }

  #send(frame: Frame): void {
    if (this.#closed) return
    if (this.#options.sameThread) return this.#postAll([frame])
    this.#queue.push(frame)
    this.flushSoon()
  }

  #postAll(frames: readonly Frame[]): void {
    try {
      this.#options.post(frames)
    } catch (error) {
      const half = frames.length >> 1
      if (half === 0) return this.#rejectFrame(frames[0]!, error)
      // A value that cannot be cloned must fail only its own frame: those after a notification leave although it throws.
      try {
        this.#postAll(frames.slice(0, half))
      } finally {
        this.#postAll(frames.slice(half))
      }
    }
  }

  #rejectFrame(frame: Frame, error: unknown): void {
    if (frame[0] === 'request') this.#takePending(frame[1])?.reject(error as Error)
    else if (frame[0] === 'response') this.#options.post([['error', frame[1], toPlainError(error)]])
    else throw error
  }
}

type Send = (service: string, method: string, args: unknown[]) => unknown

/** Proxies whose method calls are sent. Each proxy is created once. */
const services = (send: Send): unknown =>
  memoized((service) =>
    memoized(
      (method) =>
        (...args: unknown[]) =>
          send(service, method, args),
    ),
  )

function memoized<T>(make: (name: string) => T): Record<string, T> {
  return new Proxy<Record<string, T>>(Object.create(null) as Record<string, T>, {
    get: (cache, name: string) => (cache[name] ??= make(name)),
  })
}
