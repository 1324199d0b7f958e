import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '@botwright/clock'
import { type BotEvent, isEventId, isObject, isShallow, MAX_DEPTH } from './bot-event.ts'
import { type Report, reasonOf } from './report.ts'

/** Which event webhooks to accept, and how to handle them. */
export interface EventReceiverOptions {
  /** A request may be signed with any of them: pass two while rotating a secret. None may be empty. */
  secrets: string[]
  /** Requests for another bot get 400. */
  botId?: string
  /** Stores the event. The service gets 200 once this resolves. */
  offer: (event: BotEvent) => Promise<void>
  report: Report
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
  /** Accepts no new requests, waits for running ones, and closes the connections. */
  close(): Promise<void>
}

/** The service waits 3 seconds (§4), so send a 503 before its timeout. A poll returns the event later. */
const ANSWER_LIMIT_MS = 2500
const SIGNATURE = /^sha256=[0-9a-f]{64}$/i
const REPORT_AGAIN_MS = 60_000

/** Creates a receiver. @throws TypeError if there is no secret or an empty one, which anyone could sign with. */
export function createEventReceiver(options: EventReceiverOptions): EventReceiver {
  const { secrets, offer, report, botId, clock = systemClock } = options
  const { host = '127.0.0.1', port = 0, path = '/', bodyLimit = 1024 * 1024, timeouts = receiverTimeouts } = options
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === ''))
    throw new TypeError(
      'the event receiver requires the webhook secret, which must not be empty: copy it from the Developer screen',
    )
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)))
  const reportedAtMs = new Map<string, number>()
  const reportSeldom = (code: 'webhook_refused' | 'receiver_failed', level: 'warn' | 'error', why: string): void => {
    // Anyone can send invalid requests, which must not flood the log.
    const now = clock.monotonic()
    if (now - (reportedAtMs.get(why) ?? -Infinity) < REPORT_AGAIN_MS) return
    reportedAtMs.set(why, now)
    report({ code, level, message: `the event receiver ${why}` })
  }

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
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return refuseSignature(req, res)

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
      if (!isSigned(keys, body, signature)) return refuseSignature(req, res)
      onSigned(req, res, body)
    })
  }

  function refuseSignature(req: IncomingMessage, res: ServerResponse): void {
    reportSeldom(
      'webhook_refused',
      'warn',
      'refused a request with a missing or wrong signature (401): check the webhook secret',
    )
    if (req.complete) answer(res, 401)
    else cutOff(req, res, 401)
  }

  function onSigned(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    const event = parseBody(body, clock.now())
    const bot = req.headers['x-service-bot']
    const why =
      typeof event === 'string'
        ? `refused a signed request (400): ${event}`
        : botId !== undefined && bot !== botId
          ? 'refused a signed request for another bot (400): X-Service-Bot differs'
          : undefined
    if (why !== undefined) {
      reportSeldom('webhook_refused', 'warn', why)
      return answer(res, 400)
    }
    const limit = clock.after(ANSWER_LIMIT_MS, () => {
      reportSeldom('receiver_failed', 'error', 'answered 503: the journal did not store an event in time')
      answer(res, 503)
    })
    const fail = (error: unknown) => {
      limit.cancel()
      reportSeldom('receiver_failed', 'error', `answered 503: ${reasonOf(error)}`)
      answer(res, 503)
    }
    try {
      offer(event as BotEvent).then(() => {
        limit.cancel()
        answer(res, 200)
      }, fail)
    } catch (error) {
      fail(error)
    }
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
          server.on('error', (error) => reportSeldom('receiver_failed', 'error', `failed: ${error.message}`))
          resolve({ port: (server.address() as AddressInfo).port })
        })
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** `signature` has the right form. Tries every key, each in constant time. */
function isSigned(keys: readonly KeyObject[], body: Buffer, signature: string): boolean {
  const given = Buffer.from(signature.slice(7), 'hex')
  let signed = false
  for (const key of keys) if (timingSafeEqual(createHmac('sha256', key).update(body).digest(), given)) signed = true
  return signed
}

/** Strict: bytes that are not UTF-8 are not JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Converts `{id, event, data}` to the polled envelope (decisions, row 20). Returns the reason if it is invalid. */
function parseBody(body: Buffer, nowMs: number): BotEvent | string {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    return 'the body is not JSON'
  }
  if (!isObject(value)) return 'the body is not an object'
  const { id, event, data } = value
  if (!isEventId(id)) return 'the id is not a positive integer'
  if (typeof event !== 'string' || event === '') return 'the event is not a string'
  if (data !== undefined && data !== null && !isObject(data)) return 'the data is not an object'
  if (!isShallow(data)) return `the data is nested deeper than ${MAX_DEPTH}`
  const created_at = value['created_at']
  const time = typeof created_at === 'string' ? created_at : new Date(nowMs).toISOString()
  return { id, type: event, data: data ?? {}, created_at: time }
}
