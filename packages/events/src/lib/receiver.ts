import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '@botwright/clock'
import { eventAnswer } from './event-answer.ts'
import { type HttpAnswer, requestOf, sendResponse } from './http-exchange.ts'
import { ANSWER_LIMIT_MS, type ReceiverStats, SignedEvents, type SignedEventsOptions } from './signed-events.ts'

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

/** Receives the service's event webhooks (§4). */
export interface EventReceiver extends AsyncDisposable {
  /** Undefined: it has no port of its own. */
  listen(): Promise<{ port: number } | undefined>
  stats(): Readonly<ReceiverStats>
  /** Accepts no new requests, waits for running ones, and closes the connections. */
  close(): Promise<void>
}

/** A receiver that is an HTTP server, or part of another one. */
export interface EventServer extends EventReceiver {
  listen(): Promise<{ port: number }>
  /** Answers a request that another server has received. */
  readonly answer: HttpAnswer
}

/** Creates a receiver. @throws TypeError if there is no secret or an empty one, which anyone could sign with. */
export function createEventReceiver(options: EventReceiverOptions): EventServer {
  const { clock = systemClock } = options
  const { host = '127.0.0.1', port = 0, path = '/', bodyLimit, timeouts = receiverTimeouts } = options
  const events = new SignedEvents({ ...options, clock })

  const answer = eventAnswer(events, { path, bodyLimit })

  const server: Server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: 5000,
      maxHeaderSize: 16 * 1024,
    },
    (req, res) =>
      void answer(requestOf(req)).then(
        (response) => sendResponse(req, res, response),
        // The sender has gone away.
        () => res.destroy(),
      ),
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
    answer,
    close,
    stats: () => events.stats,
    [Symbol.asyncDispose]: close,
  }
}
