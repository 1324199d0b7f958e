import type { Clock } from '@botwright/clock'
import { isAtMost } from '@botwright/protocol/body-size'
import {
  type Answer,
  type Connect,
  type FailureKind,
  type Sending,
  TransportFailure,
  type Transporting,
} from './exchange.ts'

/** The errors of Node for requests that had no connection. Other platforms do not report this: there, any request may have left. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Sends requests with the global `fetch`. Platforms with it configure proxies and connections themselves. */
export const connectByFetch: Connect = (origin, options) => new FetchTransport(origin, options)

class FetchTransport implements Transporting {
  readonly #origin: string
  readonly #clock: Clock
  readonly #maxBytes: number
  /** Ends the running exchanges. */
  readonly #stops = new Set<() => void>()
  #isClosed = false
  readonly #running = new Set<Promise<unknown>>()

  constructor(origin: string, { clock, maxBytes }: { clock: Clock; maxBytes: number }) {
    this.#origin = origin
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  send(sending: Sending): Promise<Answer> {
    const running = this.#send(sending)
    this.#running.add(running)
    const over = (): void => void this.#running.delete(running)
    running.then(over, over)
    return running
  }

  async #send({ method, path, headers, body, timeoutMs, signal }: Sending): Promise<Answer> {
    const aborted = (reason: unknown) => new TransportFailure('aborted', false, 'the caller aborted the call', reason)
    if (signal?.aborted) throw aborted(signal.reason)
    if (this.#isClosed) throw new TransportFailure('aborted', false, 'the client was closed')
    const stop = new AbortController()
    let failure: TransportFailure | undefined
    const fail = (kind: FailureKind, message: string, cause?: unknown): void => {
      failure ??= new TransportFailure(kind, true, message, cause)
      stop.abort(failure)
    }
    const onAbort = () => fail('aborted', 'the caller aborted the call', signal?.reason)
    const onClose = () => fail('aborted', 'the client was closed')
    const timer = this.#clock.after(timeoutMs, () => fail('timeout', `no complete response within ${timeoutMs} ms`))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#stops.add(onClose)
    try {
      const response = await fetch(this.#origin + path, {
        method,
        headers: pairsOf(headers),
        body: body as string | Uint8Array<ArrayBuffer> | null,
        // A redirect is an answer, as on connections of this process.
        redirect: 'manual',
        signal: stop.signal,
      })
      const beganMs = this.#clock.now()
      const text = await this.#textOf(response)
      return { status: response.status, headers: Object.fromEntries(response.headers), text, beganMs }
    } catch (error) {
      throw failure ?? failureOf(error, this.#origin)
    } finally {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      this.#stops.delete(onClose)
    }
  }

  async #textOf(response: Response): Promise<string> {
    const { body, headers } = response
    if (!body) return ''
    const decoder = new TextDecoder()
    if (isAtMost(headers, this.#maxBytes)) {
      // A stream takes a multiple of the time in Workers.
      const all = await response.arrayBuffer()
      this.#limit(all.byteLength)
      return decoder.decode(all)
    }
    let text = ''
    let bytes = 0
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      this.#limit((bytes += chunk.byteLength))
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  }

  #limit(bytes: number): void {
    if (bytes > this.#maxBytes)
      throw new TransportFailure('too_large', true, `the response is larger than ${this.#maxBytes} bytes`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
  }

  async destroy(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
  }
}

/** `fetch` may fail at any moment: only some errors prove that nothing was sent. */
function failureOf(error: unknown, origin: string): TransportFailure {
  if (error instanceof TransportFailure) return error
  // Node names the reason in the cause.
  const cause = (error as { cause?: unknown }).cause ?? error
  const { code = '' } = cause as { code?: string }
  if (NOT_SENT.has(code)) return new TransportFailure('not_sent', false, `no connection to ${origin}`, cause)
  return new TransportFailure('lost', true, 'the connection broke before the response was complete', cause)
}

const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!])
