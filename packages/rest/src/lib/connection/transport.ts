import type { Clock, Timer } from '@botwright/clock'
import type { buildConnector, Dispatcher, Pool as UndiciPool } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import {
  type Answer,
  type Connect,
  type FailureKind,
  type Sending,
  TransportFailure,
  type Transporting,
} from './exchange.ts'
import type { Proxy } from './proxy.ts'

const CLOSED = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

/** Shared by all exchanges of one transport. */
interface Setup {
  /** For error messages: scheme, host and port of the service and of the proxy, without user names and passwords. */
  where: string
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
  readonly #where: string
  readonly #clock: Clock
  #controller: Dispatcher.DispatchController | undefined
  #left = false
  #done = false
  #status = 0
  #headers: Answer['headers'] = {}
  #beganMs = 0
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
    this.#where = setup.where
    this.#clock = setup.clock
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
    this.#beganMs = this.#clock.now()
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
    this.#resolve({ status: this.#status, headers: this.#headers, text: body, beganMs: this.#beganMs })
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (CLOSED.has((error as { code?: string }).code ?? '')) this.fail('aborted', 'the client was closed', error)
    else if (this.#left) this.fail('lost', 'the connection broke before the response was complete', error)
    else this.fail('not_sent', `no connection to ${this.#where}`, error)
  }
}

/** Connections to one origin. Until `onRequestStart` runs, not one byte of the request was sent. */
export class Transport implements Transporting {
  readonly #pool: UndiciPool
  readonly #setup: Setup
  /** The additions of an http request through a proxy, before its path and to its headers. An https request goes through a tunnel. */
  readonly #forward: { origin: string; headers: readonly string[] } | undefined

  constructor(
    origin: string,
    { proxy, connections, ...setup }: { clock: Clock; maxBytes: number; connections: number; proxy: Proxy | undefined },
  ) {
    this.#setup = { ...setup, where: proxy ? `${origin} through the proxy ${proxy.origin}` : origin }
    // Our own timer covers connecting, headers and body; undici's timers would only add two more.
    const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }
    if (!proxy) this.#pool = new Pool(origin, options)
    else if (origin.startsWith('https:')) this.#pool = new Pool(origin, { ...options, connect: tunnelThrough(proxy) })
    else {
      const { authorization } = proxy
      const headers = ['host', new URL(origin).host]
      if (authorization !== undefined) headers.push('proxy-authorization', authorization)
      this.#forward = { origin, headers }
      this.#pool = new Pool(proxy.origin, options)
    }
  }

  send(sending: Sending): Promise<Answer> {
    return this.#forward ? this.#sendForward(sending, this.#forward) : this.#send(sending)
  }

  async #sendForward(sending: Sending, { origin, headers }: { origin: string; headers: readonly string[] }) {
    const answer = await this.#send({
      ...sending,
      path: origin + sending.path,
      headers: [...sending.headers, ...headers],
    })
    // Only a proxy answers 407, and it did not send the request on.
    if (answer.status !== 407) return answer
    const cause = Object.assign(new Error('the proxy: it answered 407'), { code: 'HTTP 407' })
    throw new TransportFailure('not_sent', false, `no connection to ${this.#setup.where}`, cause)
  }

  #send(sending: Sending): Promise<Answer> {
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

/** Connections over HTTP. */
export const connectByHttp: Connect = (origin, options) => new Transport(origin, options)

/** Without a proxy, none of its code is loaded. */
const tunnelThrough =
  (proxy: Proxy): buildConnector.connector =>
  (target, callback) =>
    void import('./tunnel.ts')
      .then(({ openTunnel }) => openTunnel(proxy, target))
      .then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      )
