import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../author/ports.ts'
import { portRefused } from '../../runtime/port-refused.ts'
import { type PlainRequest, type PlainResponse, refused } from './plain-request.ts'

/** How long a sender may take, and how often that is checked, in milliseconds. */
const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }

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
  const server = createServer({ ...timeouts, keepAliveTimeout: 5000, maxHeaderSize: 16 * 1024 }, (req, res) => {
    const [path = '', query = ''] = split(req.url ?? '', '?')
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(req.headers)) headers[name] = String(value)
    const head = { method: req.method ?? '', path, query, headers, read: (most: number) => readBody(req, most) }
    answer(head)
      .then((response) => send(req, res, response))
      .catch((error: unknown) => {
        // The bot is not at fault if the sender goes away.
        if (!req.errored) log.error({ error }, `${head.method} ${path} could not be answered`)
        send(req, res, refused(500, 'the bot could not answer this request'))
      })
  })
  await new Promise<void>((resolve, reject) => {
    const fix = 'choose another in bot.config.ts (http)'
    server.once('error', (error) => reject(portRefused('http', at, error, fix)))
    server.listen(at.port, at.host, resolve)
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

function readBody(req: IncomingMessage, most: number): Promise<Uint8Array | undefined> {
  if (Number(req.headers['content-length']) > most) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) chunks.push(chunk)
      else resolve(undefined)
    })
    req.on('error', reject)
    req.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

/** A request whose body was not read closes its connection: the rest is not worth reading. */
function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: PlainResponse): void {
  if (res.headersSent || res.destroyed) return
  const isRead = req.complete
  if (!isRead) req.pause()
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
  res.writeHead(status, { ...headers, ...length, ...(!isRead && { connection: 'close' }) })
  res.end(req.method === 'HEAD' ? undefined : body)
  if (!isRead) res.once('finish', () => req.destroy())
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
