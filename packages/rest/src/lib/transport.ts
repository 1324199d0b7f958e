import type { Clock, Timer } from '@botwright/clock'
import type { Dispatcher, Pool as UndiciPool } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'

/** One request, ready to be sent. */
export interface Sending {
  method: Dispatcher.HttpMethod
  /** Includes the base URL's own path. */
  path: string
  /** Name, value, name, value … */
  headers: string[]
  body: string | Uint8Array | null
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** A complete response with its whole body. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export type FailureKind = 'not_sent' | 'lost' | 'timeout' | 'too_large' | 'aborted'

const CLOSED = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

/** No complete response arrived. `left`: whether the request may have reached the service. */
export class TransportFailure extends Error {
  readonly kind: FailureKind
  readonly left: boolean

  constructor(kind: FailureKind, left: boolean, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TransportFailure'
    this.kind = kind
    this.left = left
  }
}

/** Shared by all exchanges of one transport. */
interface Setup {
  /** For error messages: scheme, host and port, without user name and password. */
  origin: string
  clock: Clock
  maxBytes: number
}

/**
 * Reads one response. Uses undici's events directly: no stream, no second promise for the body, and
 * one timer for the whole exchange, so that a body that stops midway fails like any other request.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (failure: TransportFailure) => void
  readonly #timer: Timer
  readonly #signal: AbortSignal | undefined
  readonly #maxBytes: number
  readonly #origin: string
  #controller: Dispatcher.DispatchController | undefined
  #left = false
  #done = false
  #status = 0
  #headers: Answer['headers'] = {}
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(
    sending: Sending,
    setup: Setup,
    settle: { resolve: (answer: Answer) => void; reject: (failure: TransportFailure) => void },
  ) {
    this.#resolve = settle.resolve
    this.#reject = settle.reject
    this.#maxBytes = setup.maxBytes
    this.#origin = setup.origin
    this.#timer = setup.clock.after(sending.timeoutMs, () =>
      this.fail('timeout', `no complete response within ${sending.timeoutMs} ms`),
    )
    this.#signal = sending.signal
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = () => this.fail('aborted', 'the caller aborted the call', this.#signal?.reason)

  #settle(): boolean {
    if (this.#done) return false
    this.#done = true
    this.#timer.cancel()
    this.#signal?.removeEventListener('abort', this.#onAbort)
    return true
  }

  fail(kind: FailureKind, message: string, cause?: unknown): void {
    if (!this.#settle()) return
    this.#chunks = []
    this.#reject(new TransportFailure(kind, this.#left, message, cause))
    this.#controller?.abort(new Error(message))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Aborted while waiting for a connection: it is never sent.
    if (this.#done) controller.abort(new Error('given up'))
    else this.#left = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.fail('too_large', `the response is larger than ${this.#maxBytes} bytes`)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const [first] = this.#chunks
    const body = first === undefined ? '' : (this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)).toString()
    this.#resolve({ status: this.#status, headers: this.#headers, text: body })
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (CLOSED.has((error as { code?: string }).code ?? '')) this.fail('aborted', 'the client was closed', error)
    else if (this.#left) this.fail('lost', 'the connection broke before the response was complete', error)
    else this.fail('not_sent', `no connection to ${this.#origin}`, error)
  }
}

/** Connections to one origin. Until `onRequestStart` runs, not one byte of the request was sent. */
export class Transport {
  readonly #pool: UndiciPool
  readonly #setup: Setup

  constructor(origin: string, setup: { clock: Clock; maxBytes: number; connections: number }) {
    this.#setup = { ...setup, origin }
    // Our own timer covers connecting, headers and body; undici's timers would only add two more.
    this.#pool = new Pool(origin, { connections: setup.connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }

  send(sending: Sending): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (sending.signal?.aborted) {
        return reject(new TransportFailure('aborted', false, 'the caller aborted the call', sending.signal.reason))
      }
      const exchange = new Exchange(sending, this.#setup, { resolve, reject })
      try {
        this.#pool.dispatch(sending, exchange)
      } catch (error) {
        exchange.fail('not_sent', 'the request could not be made', error)
      }
    })
  }

  /** Waits for running exchanges. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Closes immediately, aborting running exchanges. */
  destroy(): Promise<void> {
    return this.#pool.destroy()
  }
}
