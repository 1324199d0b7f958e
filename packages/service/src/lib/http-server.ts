import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { logFailure } from './log-failure.ts'

/**
 * What a sender gets: the head of a request within 5 seconds, all of it within 30 (a picture of 10 MB on a slow line), looked at every
 * second. Without them a few hundred connections that send a byte now and then would hold the service's memory for good.
 */
const defaultTimes = {
  headersTimeout: 5000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
}
const MAX_HEAD_BYTES = 16 * 1024

/** What is told to a sender whose bytes are no request: Node's own answers have no body (§7: every error has one). */
const answers: Readonly<Record<string, [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request came too slowly: its head takes 5 seconds at most, all of it 30'],
  HPE_HEADER_OVERFLOW: [431, `the head of the request is larger than ${MAX_HEAD_BYTES} bytes`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunks of the body carry too much beside it'],
}

type Answering = Socket & { _httpMessage?: ServerResponse | null }

function answerBroken(error: Error & { code?: string }, socket: Answering): void {
  // Behind an answer that has begun, a second one would be read as a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy()
  const [status, text] = answers[error.code ?? ''] ?? [400, 'the request is not HTTP']
  const body = JSON.stringify({ error: text })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    // A sender that keeps its side open gets no more time for it.
    () => socket.destroy(),
  )
}

/** What is HTTP, but has no address that can be read; or an app that failed outside of its own error handler. */
function answerUnread(error: unknown): Response {
  if (error instanceof RequestError) return Response.json({ error: `bad request: ${error.message}` }, { status: 400 })
  logFailure('service:', error)
  return Response.json({ error: 'the service failed; its log says why' }, { status: 500 })
}

/** The server of an app, which gives slow and huge senders up. */
export function createHttpServer(app: Hono, times: Readonly<typeof defaultTimes> = defaultTimes): Server {
  // Node refuses a request without Host with no body.
  const options = { ...times, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false }
  const listener = getRequestListener(app.fetch, { errorHandler: answerUnread, autoCleanupIncoming: true })
  const server = createServer(options, (incoming, outgoing) => void listener(incoming, outgoing))
  server.on('clientError', answerBroken)
  // Node's own refusal of an Expect that it does not know has no body.
  server.on('checkExpectation', (_, outgoing: ServerResponse) => {
    outgoing.writeHead(417, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end(JSON.stringify({ error: 'expect: only 100-continue is understood' }))
  })
  return server
}

/** Listens; the result is the port. */
export const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
