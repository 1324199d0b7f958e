import type { Clock } from '@botwright/clock'
import type { SeededRandom } from '@botwright/clock/simulated'
import { type Answer, type Connect, type Sending, TransportFailure } from '@botwright/rest/transport'
import type { OpenService } from '@botwright/service'
import type { SimProcess } from './sim-host.ts'

/** The fate of one request. */
export type HttpFate =
  /** No connection. */
  | 'refused'
  /** The connection breaks before the service has received the request, or after it has carried it out. */
  | 'cut_before'
  | 'cut_after'
  /** The service carries it out, but the response never comes. */
  | 'timeout_after'
  /** An error of the service or a proxy: not carried out, or carried out nevertheless. */
  | '500'
  | '502_after'
  | '429'
  | '429_retry'
  /** The response arrives seconds later, or the request does. */
  | 'late'
  | 'slow'
  /** A poll returns at once. */
  | 'early'
  | 'ok'

/** One request of the bot, for the trace and the rules. */
export interface SimRequest {
  method: string
  path: string
  body: string
  process: number
  sentAtMs: number
  fate: HttpFate
  /** The response of the service, even if the bot does not receive it. */
  status?: number
  text?: string
  retryAfter?: boolean
  /** When the response has reached the bot. */
  receivedAtMs?: number
}

interface NetworkOptions {
  service: OpenService
  process: SimProcess
  random: SeededRandom
  /** The fate of a request. */
  fateOf: (request: Pick<SimRequest, 'method' | 'path'>) => HttpFate
  /** Called when the service has answered. */
  answered: (request: SimRequest) => void
  /** Called when the response, or its failure, has reached the bot. */
  received: (request: SimRequest, result: string) => void
}

const LATE_MS = 20_000
const SLOW_MS = 5000

/** The connections of a process to the service, which is called as a function. */
export const networkOf =
  (options: NetworkOptions): Connect =>
  (_, { clock }) => {
    const { process } = options
    /** Ends the requests that are open. */
    const open = new Set<() => void>()
    const idle: (() => void)[] = []
    let isClosed = false
    const ended = () => {
      if (open.size === 0) for (const resolve of idle.splice(0)) resolve()
    }
    const send = (sending: Sending): Promise<Answer> =>
      new Promise((resolve, reject) => {
        // Code of a process that was killed during this turn.
        if (!process.alive) return
        if (isClosed) return reject(new TransportFailure('aborted', false, 'the client was closed'))
        if (sending.signal?.aborted)
          return reject(new TransportFailure('aborted', false, 'the caller aborted the call', sending.signal.reason))
        const over = () => {
          open.delete(end)
          if (process.alive) ended()
        }
        const end = exchange(sending, { ...options, clock, resolve, reject, over })
        open.add(end)
      })
    const close = () =>
      new Promise<void>((resolve) => {
        isClosed = true
        idle.push(resolve)
        ended()
      })
    return {
      send,
      close,
      destroy() {
        isClosed = true
        for (const end of [...open]) end()
        return close()
      },
    }
  }

interface ExchangeOptions extends NetworkOptions {
  clock: Clock
  resolve: (answer: Answer) => void
  reject: (failure: TransportFailure) => void
  /** Called when the request has ended, also with its process. */
  over: () => void
}

/** Sends one request. Returns the function that ends it when the client is closed. */
function exchange(sending: Sending, { clock, resolve, reject, over, ...options }: ExchangeOptions): () => void {
  const { process } = options
  const { signal, timeoutMs } = sending
  const left = new AbortController()
  let isOver = false
  const settle = (result: string, work: () => void) => {
    if (isOver) return
    isOver = true
    timer.cancel()
    process.onKill.delete(gone)
    signal?.removeEventListener('abort', onAbort)
    if (process.alive) {
      options.received(request, result)
      work()
    }
    over()
  }
  const fail = (kind: TransportFailure['kind'], isLeft: boolean, message: string) =>
    settle(`failed: ${kind}`, () => {
      left.abort()
      reject(new TransportFailure(kind, isLeft, message, signal?.reason))
    })
  const gone = () => {
    settle('killed', () => {})
    left.abort()
  }
  const onAbort = () => fail('aborted', true, 'the caller aborted the call')
  const timer = clock.after(timeoutMs, () => fail('timeout', true, `no complete response within ${timeoutMs} ms`))
  process.onKill.add(gone)
  signal?.addEventListener('abort', onAbort, { once: true })
  const request: SimRequest = {
    method: sending.method,
    path: sending.path,
    body: typeof sending.body === 'string' ? sending.body : '',
    process: process.number,
    sentAtMs: process.host.world.nowMs,
    fate: options.fateOf(sending),
  }
  void carry(request, sending, { ...options, closed: left.signal }).then((outcome) => {
    if (outcome === undefined) return
    if ('status' in outcome)
      settle(String(outcome.status), () => {
        // A proxy may have replaced the response.
        if (outcome.status === request.status) request.receivedAtMs = process.host.world.nowMs
        resolve(outcome)
      })
    else fail(outcome.kind, outcome.left, outcome.message)
  })
  return () => fail('aborted', true, 'the client was closed')
}

/** Brings a request to the service, and the response back. Undefined if there is none. */
async function carry(
  request: SimRequest,
  sending: Sending,
  options: NetworkOptions & { closed: AbortSignal },
): Promise<Answer | TransportFailure | undefined> {
  const { process, random, service, closed } = options
  const { fate } = request
  const { timeline } = process.host.world
  const isPoll = sending.path.startsWith('/v1/events')
  const wait = (ms: number) =>
    new Promise<void>((resolve) => timeline.at(Math.max(timeline.nowMs + ms, process.host.awakeAtMs), resolve))
  await wait(1 + random.int(15) + (fate === 'slow' && !isPoll ? 1000 + random.int(SLOW_MS) : 0))
  const failure = (kind: TransportFailure['kind'], left: boolean, message: string) =>
    new TransportFailure(kind, left, message, Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  if (fate === 'refused') return failure('not_sent', false, 'no connection to the service')
  if (fate === 'cut_before') return failure('lost', true, 'the connection broke before the response was complete')
  if (fate === '500' || fate === '429' || fate === '429_retry') {
    await wait(1 + random.int(15))
    const status = fate === '500' ? 500 : 429
    const headers = fate === '429_retry' ? { 'retry-after': String(1 + random.int(20)) } : {}
    return { status, headers, text: JSON.stringify({ error: `injected ${status}` }) }
  }
  // The caller has gone before the request arrived, but it may be on its way.
  if (closed.aborted && (isPoll || random.chance(0.5))) return undefined
  const path = fate === 'early' ? sending.path.replace(/wait=\d+/, 'wait=0') : sending.path
  const headers: Record<string, string> = { host: '127.0.0.1:7420' }
  for (let i = 0; i + 1 < sending.headers.length; i += 2) headers[sending.headers[i]!] = sending.headers[i + 1]!
  const response = await service.answer(
    new Request(service.url + path, { method: sending.method, headers, body: sending.body as string | null }),
    closed,
  )
  const text = await response.text()
  request.status = response.status
  request.text = text
  request.retryAfter = response.headers.has('retry-after')
  options.answered(request)
  if (fate === 'timeout_after') return undefined
  await wait(1 + random.int(15) + (fate === 'late' && !isPoll ? random.int(LATE_MS) : 0))
  if (fate === 'cut_after') return failure('lost', true, 'the connection broke before the response was complete')
  if (fate === '502_after') return { status: 502, headers: {}, text: '<h1>Bad gateway</h1>' }
  return { status: response.status, headers: Object.fromEntries(response.headers), text }
}
