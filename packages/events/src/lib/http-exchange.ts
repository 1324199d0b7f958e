import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAtMost } from '@botwright/protocol/body-size'

/** A request whose body is not read yet, without the server that received it. */
export interface HttpRequest {
  method: string
  path: string
  /** The text after `?`. */
  query: string
  headers: Readonly<Record<string, string>>
  /** The address of the sender, if the server knows it. */
  address?: string
  /** Undefined: the body is longer than `most` bytes. Rejects if the sender goes away. */
  read: (most: number) => Promise<Buffer | undefined>
}

/** The response to it. */
export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string | readonly string[]>>
  body: string | Uint8Array
}

/** Answers requests of any server. */
export type HttpAnswer = (request: HttpRequest) => Promise<HttpResponse>

const GONE = 'the sender went away'

/** A signature covers the bytes of a body, so a parsed one is of no use. */
export class BodyAlreadyRead extends Error {
  constructor() {
    super(
      'the body of the request was already read, such as by express.json(): pass requests to the bot before anything reads their bodies',
    )
  }
}

/** The request that a server of Node has received. */
export function requestOf(req: IncomingMessage): HttpRequest {
  const url = req.url ?? ''
  const end = url.indexOf('?')
  const cookies = req.headers['set-cookie']
  // Node joins the values of every other header.
  const headers = (cookies ? { ...req.headers, 'set-cookie': cookies.join() } : req.headers) as HttpRequest['headers']
  const address = req.socket.remoteAddress
  return {
    method: req.method ?? '',
    path: end === -1 ? url : url.slice(0, end),
    query: end === -1 ? '' : url.slice(end + 1),
    headers,
    ...(address !== undefined && { address }),
    read: (most) => readFrom(req, most),
  }
}

/** Collects the chunks without an iterator, which takes longer. */
async function readFrom(req: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers
  if (Number(length) > most) return undefined
  if (req.readableDidRead && (Number(length) > 0 || encoding !== undefined)) throw new BodyAlreadyRead()
  if (req.readableEnded) return Buffer.alloc(0)
  if (req.destroyed) throw new Error(GONE)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= most) return
      req.pause().off('data', onData).off('end', onEnd).off('close', onClose)
      resolve(undefined)
    }
    const onEnd = (): void => {
      req.off('close', onClose)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    }
    const onClose = (): void => reject(new Error(GONE))
    // Stays, because an error without a listener would end the process.
    req.on('error', reject)
    req.on('close', onClose).on('end', onEnd).on('data', onData)
  })
}

/** Sends a response. A request whose body was not read closes its connection, because the rest is not worth reading; so does a server that stops. */
export function sendResponse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: HttpResponse,
  isOpen = true,
): void {
  if (res.headersSent || res.destroyed) return
  const isRead = req.complete
  if (!isRead) req.pause()
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
  res.writeHead(status, { ...headers, ...length, ...(!(isRead && isOpen) && { connection: 'close' }) })
  res.end(req.method === 'HEAD' ? undefined : body)
  if (!isRead) res.once('finish', () => req.destroy())
}

/** Answers a `Request` with a `Response`, as the handlers of many servers do. */
export async function answerFetch(request: Request, answer: HttpAnswer): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { status, headers, body } = await answer({
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(request.headers),
    read: (most) => readStream(request, most),
  })
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const isEmpty = request.method === 'HEAD' || [204, 205, 304].includes(status)
  return new Response(isEmpty ? null : (body as string | Uint8Array<ArrayBuffer>), { status, headers: pairs })
}

async function readStream(request: Request, most: number): Promise<Buffer | undefined> {
  const { bodyUsed, headers, body } = request
  if (Number(headers.get('content-length')) > most) return undefined
  if (bodyUsed) throw new BodyAlreadyRead()
  if (isAtMost(headers, most)) {
    // A stream takes a multiple of the time in Workers.
    const bytes = Buffer.from(await request.arrayBuffer())
    return bytes.length > most ? undefined : bytes
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
