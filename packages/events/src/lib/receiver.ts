import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '@botwright/clock'
import {
  ANSWER_LIMIT_MS,
  isSignature,
  type ReceiverStats,
  SignedEvents,
  type SignedEventsOptions,
} from './signed-events.ts'

/** Which event webhooks to accept, and how to handle them. */
export interface EventReceiverOptions extends Omit<SignedEventsOptions, 'clock'> {
  clock?: Clock
  /** Default 127.0.0.1. */
  host?: string
  /** Default 0: any free port. */
  port?: number
  /** Default `/`. */
  path?: string
  /** Bytes. Default 1 MiB. */
  bodyLimit?: number
  /** Default: `receiverTimeouts`. */
  timeouts?: typeof receiverTimeouts
}

/** How long a client may take to send a request, and how often that is checked, in milliseconds. */
export const receiverTimeouts = { headersMs: 5000, requestMs: 8000, checkMs: 1000 }

/** The HTTP server that receives the service's event webhooks (§4). */
export interface EventReceiver extends AsyncDisposable {
  listen(): Promise<{ port: number }>
  stats(): Readonly<ReceiverStats>
  /** Accepts no new requests, waits for running ones, and closes the connections. */
  close(): Promise<void>
}

/** Creates a receiver. @throws TypeError if there is no secret or an empty one, which anyone could sign with. */
export function createEventReceiver(options: EventReceiverOptions): EventReceiver {
  const { clock = systemClock } = options
  const { host = '127.0.0.1', port = 0, path = '/', bodyLimit = 1024 * 1024, timeouts = receiverTimeouts } = options
  const events = new SignedEvents({ ...options, clock })

  function answer(res: ServerResponse, status: number, headers?: Record<string, string>): void {
    if (res.headersSent || res.destroyed) return
    res.writeHead(status, { 'content-length': 0, ...headers })
    res.end()
  }

  /** Rejects without reading the rest: the connection closes after the response. */
  function cutOff(req: IncomingMessage, res: ServerResponse, status: number, headers?: Record<string, string>): void {
    req.pause()
    answer(res, status, { connection: 'close', ...headers })
    res.once('finish', () => req.destroy())
  }

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    if (req.method !== 'POST') return cutOff(req, res, 405, { allow: 'POST' })
    const url = req.url ?? ''
    if (url !== path && url.split('?', 1)[0] !== path) return cutOff(req, res, 404)
    if (Number(req.headers['content-length']) > bodyLimit) return cutOff(req, res, 413)
    // An unsigned body is not worth reading.
    const signature = req.headers['x-service-signature']
    if (!isSignature(signature)) return refuseSignature(req, res)

    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyLimit) {
        first = rest = undefined
        req.removeAllListeners('data')
        req.removeAllListeners('end')
        return cutOff(req, res, 413)
      }
      if (!first) first = chunk
      else (rest ??= [first]).push(chunk)
    })
    req.on('error', () => res.destroy())
    req.on('end', () => {
      const body = rest ? Buffer.concat(rest) : (first ?? Buffer.alloc(0))
      const bot = req.headers['x-service-bot']
      void events.accept({ body, signature, bot }).then((status) => answer(res, status))
    })
  }

  function refuseSignature(req: IncomingMessage, res: ServerResponse): void {
    const status = events.refuse()
    if (req.complete) answer(res, status)
    else cutOff(req, res, status)
  }

  const server: Server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: 5000,
      maxHeaderSize: 16 * 1024,
    },
    onRequest,
  )
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
      const force = clock.after(ANSWER_LIMIT_MS, () => server.closeAllConnections(), { keepAlive: true })
      server.once('close', () => force.cancel())
    })
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          server.on('error', (error) => events.report('receiver_failed', 'error', `failed: ${error.message}`))
          resolve({ port: (server.address() as AddressInfo).port })
        })
      }),
    close,
    stats: () => events.stats,
    [Symbol.asyncDispose]: close,
  }
}
