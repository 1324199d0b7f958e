import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { idleConnectionMs } from '@botwright/protocol/facts'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { logFailure } from '../log-failure.ts'

/**
 * Timeouts for clients: 5 seconds for the head of a request, 30 for all of it (a picture of 10 MB on a slow line), checked every
 * second. Without them, a few hundred connections that send a byte now and then would use up the service's memory.
 */
const defaultTimes = {
  headersTimeout: 5000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: idleConnectionMs,
}
const MAX_HEAD_BYTES = 16 * 1024

/** Responses to invalid HTTP requests. Node's own responses have no body, but every error must have one (§7). */
const answers: Readonly<Record<string, [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'the request was too slow: its headers must arrive within 5 seconds, and the whole request within 30',
  ],
  HPE_HEADER_OVERFLOW: [431, `the request headers are larger than ${MAX_HEAD_BYTES} bytes`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions of the body are too large'],
}

type Answering = Socket & { _httpMessage?: ServerResponse | null }

function answerBroken(error: Error & { code?: string }, socket: Answering): void {
  // After a response has begun, a second one would be read as a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy()
  const [status, text] = answers[error.code ?? ''] ?? [400, 'the request is not valid HTTP']
  const body = JSON.stringify({ error: text })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    // Do not wait for the client to close its side.
    () => socket.destroy(),
  )
}

/** Handles requests with an unreadable URL, and errors outside of the app's error handler. */
function answerUnread(error: unknown): Response {
  if (error instanceof RequestError) return Response.json({ error: `bad request: ${error.message}` }, { status: 400 })
  logFailure('service:', error)
  return Response.json({ error: 'the service failed; see its log for the cause' }, { status: 500 })
}

/** Creates the HTTP server of an app, with limits for slow and large requests. */
export function createHttpServer(app: Hono, times: Readonly<typeof defaultTimes> = defaultTimes): Server {
  // Node's own refusal of a request without Host has no body.
  const options = { ...times, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false }
  const listener = getRequestListener(app.fetch, { errorHandler: answerUnread, autoCleanupIncoming: true })
  const server = createServer(options, (incoming, outgoing) => void listener(incoming, outgoing))
  server.on('clientError', answerBroken)
  // Node's own refusal of an unknown Expect header has no body.
  server.on('checkExpectation', (_, outgoing: ServerResponse) => {
    outgoing.writeHead(417, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end(JSON.stringify({ error: 'Expect: only 100-continue is supported' }))
  })
  return server
}

/** Starts listening; resolves with the port. */
export const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
