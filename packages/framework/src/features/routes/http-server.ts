import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { idleConnectionMs } from '@botwright/protocol/facts'
import type { Log } from '../../author/ports.ts'
import { portRefused } from '../../runtime/port-refused.ts'
import { type PlainRequest, type PlainResponse, refused } from './plain-request.ts'

/** How long a sender may take, and how often that is checked, in milliseconds. */
const TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: idleConnectionMs,
}

/** The head of a request: its body is read later. */
export interface RequestHead extends Omit<PlainRequest, 'params' | 'body'> {
  /** Rejects if the sender goes away. Undefined: the body is longer than `most` bytes. */
  read: (most: number) => Promise<Uint8Array | undefined>
}

export interface HttpOptions {
  log: Log
  answer: (head: RequestHead) => Promise<PlainResponse>
  timeouts?: typeof TIMEOUTS
}

export interface HttpServer {
  port: number
  /** Accepts no new requests, and closes the connections once the running ones are answered. */
  close(): Promise<void>
  /** Closes all connections. */
  drop(): void
}

/** Starts the server of a bot's routes. Rejects with `ERR_CONFIG` if the port cannot be opened. */
export async function openHttp(
  at: { port: number; host: string },
  { log, answer, timeouts = TIMEOUTS }: HttpOptions,
): Promise<HttpServer> {
  const server = createServer({ ...timeouts, maxHeaderSize: 16 * 1024 }, (req, res) => {
    const [path = '', query = ''] = split(req.url ?? '', '?')
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(req.headers)) headers[name] = String(value)
    // The sender of a body that is too long still gets an answer.
    const read = (most: number) => readBody(headers['content-length'], req.iterator({ destroyOnReturn: false }), most)
    const head = { method: req.method ?? '', path, query, headers, read }
    const send = (response: PlainResponse) => sendTo(req, res, response, server.listening)
    answer(head)
      .then(send)
      .catch((error: unknown) => {
        // The bot is not at fault if the sender goes away.
        if (!req.errored) log.error({ error }, `${head.method} ${path} could not be answered`)
        send(refused(500, 'the bot could not answer this request'))
      })
  })
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

/** Reads a body, and stops once it is longer than `most` bytes: then it is undefined. */
export async function readBody(
  length: string | null | undefined,
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> {
  if (Number(length) > most) return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) return undefined
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

/** A request whose body was not read closes its connection, because the rest is not worth reading; so does a server that stops. */
function sendTo(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: PlainResponse,
  isOpen: boolean,
): void {
  if (res.headersSent || res.destroyed) return
  const isRead = req.complete
  if (!isRead) req.pause()
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
  res.writeHead(status, { ...headers, ...length, ...(!(isRead && isOpen) && { connection: 'close' }) })
  res.end(req.method === 'HEAD' ? undefined : body)
  if (!isRead) res.once('finish', () => req.destroy())
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
