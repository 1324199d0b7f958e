import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpAnswer, type HttpResponse, requestOf, sendResponse } from '@botwright/events'
import { idleConnectionMs } from '@botwright/protocol/facts'
import type { Log } from '../../author/ports.ts'
import { portRefused } from '../../runtime/port-refused.ts'
import { refused } from './plain-request.ts'

/** How long a sender may take, and how often that is checked, in milliseconds. */
const TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: idleConnectionMs,
}

export interface HttpOptions {
  log: Log
  answer: HttpAnswer
  timeouts?: typeof TIMEOUTS
}

export interface HttpServer {
  port: number
  /** Accepts no new requests, and closes the connections once the running ones are answered. */
  close(): Promise<void>
  /** Closes all connections. */
  drop(): void
}

/** Answers a request that a server of Node has received. */
export function respond(
  req: IncomingMessage,
  res: ServerResponse,
  { answer, log, isOpen }: Pick<HttpOptions, 'answer' | 'log'> & { isOpen: () => boolean },
): void {
  const request = requestOf(req)
  const send = (response: HttpResponse) => sendResponse(req, res, response, isOpen())
  answer(request)
    .then(send)
    .catch((error: unknown) => {
      // The bot is not at fault if the sender goes away. A request that was read is destroyed, too.
      if (req.complete || !req.destroyed)
        log.error({ error }, `${request.method} ${request.path} could not be answered`)
      send(refused(500, 'the bot could not answer this request'))
    })
}

/** Starts the server of a bot's routes. Rejects with `ERR_CONFIG` if the port cannot be opened. */
export async function openHttp(
  at: { port: number; host: string },
  { log, answer, timeouts = TIMEOUTS }: HttpOptions,
): Promise<HttpServer> {
  const server = createServer({ ...timeouts, maxHeaderSize: 16 * 1024 }, (req, res) =>
    respond(req, res, { answer, log, isOpen: () => server.listening }),
  )
  await new Promise<void>((resolve, reject) => {
    const fix = 'choose another in bot.config.ts (http) or BOT_HTTP_PORT'
    const refuse = (error: Error) => reject(portRefused('http', at, error, fix))
    server.once('error', refuse)
    server.listen(at.port, at.host, () => {
      server.off('error', refuse)
      // Such as too many open files.
      server.on('error', (error) => log.error({ error }, `http: ${error.message}`))
      resolve()
    })
  })
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
    drop: () => server.closeAllConnections(),
  }
}
