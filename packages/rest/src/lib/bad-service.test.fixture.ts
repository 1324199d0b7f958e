import { systemClock, type Clock, type VirtualClock } from '@botwright/clock'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A request as it arrived; `atMs` is the time of the given clock. */
export interface Seen {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  atMs: number
}

/** The behaviour of a service for one request. */
export type Behaviour = (response: ServerResponse, seen: Seen) => void

export const id = (last: number | string) => `018f2b6e-0000-7000-8000-${String(last).padStart(12, '0')}`

export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

export const html = (status: number): Behaviour =>
  answer(status, '<html><body>Bad gateway</body></html>', { 'content-type': 'text/html' })

/** Promises 1,000 bytes and gives eight. */
export const cutOff: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"id": "')
  setImmediate(() => response.destroy())
}

export const hangUp: Behaviour = (response) => void response.destroy()

/** Sends headers immediately, but never a complete body. */
export const drip: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"id": "')
}

/** A service on a free port that uses one behaviour per request, and repeats the last one. */
export async function badService(behaviours: readonly Behaviour[], clock: Clock = systemClock) {
  const seen: Seen[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        atMs: clock.monotonic(),
      }
      seen.push(one)
      behaviours[Math.min(seen.length, behaviours.length) - 1]!(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    seen,
    origin,
    baseUrl: `${origin}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Waits in real time until a condition is true. */
export async function until(so: () => boolean): Promise<void> {
  for (let i = 0; i < 30_000; i++) {
    if (so()) return
    await pause(2)
  }
  throw new Error(`not true after 60 s: ${String(so)}`)
}

/** Advances the clock, with real time for the sockets between the steps, until the promise settles. Returns its value or error. */
export async function drive(clock: VirtualClock, promise: Promise<unknown>, stepMs = 500): Promise<unknown> {
  let settled = false
  const outcome = promise.then(
    (value) => ((settled = true), value),
    (error: unknown) => ((settled = true), error),
  )
  for (let i = 0; i < 20_000 && !settled; i++) {
    await pause(1)
    if (!settled) await clock.advance(stepMs)
  }
  if (!settled) throw new Error('it never settled')
  return outcome
}
