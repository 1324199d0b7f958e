import { type EndpointName, endpointsByName } from '@botwright/protocol'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Service } from '@botwright/service'
import { ask } from './people/ask.ts'
import { type Span, spanMs } from './duration.ts'

/** A fault in the service's next answers, given by one of `status`, `latency` and `then`. */
export interface FaultOptions {
  /** An endpoint of the bot interface, by its name in `ctx.api`: `messages.create`. Default: every endpoint, unless `path` is set. */
  endpoint?: EndpointName
  /** A path instead of an endpoint, including the version: `/v1/channels/*`. */
  path?: string
  /** The number of answers that succeed before the first fault. Default 0. */
  skip?: number
  /** The number of answers that fail. Default 1; `Infinity` for all. */
  times?: number
  /** Answers with this status instead of carrying out the call. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** Carries out the call and delays its answer by this long, on the test's clock. */
  latency?: Span
  /**
   * `close`: closes the connection without carrying out the call; `cut`: sends half a response; `stall`: sends no response until the
   * caller gives up.
   */
  then?: 'close' | 'cut' | 'stall'
}

const MANY = 1_000_000

/** Sets a fault on a service with controls. */
export async function setFault(service: Service, options: FaultOptions): Promise<void> {
  const { endpoint, status, body, headers, latency, then, skip = 0, times = 1 } = options
  const ways = [status, latency, then].filter((way) => way !== undefined)
  if (ways.length !== 1)
    throw new BotwrightError('ERR_INVALID_REQUEST', 'faults: pass only one of status, latency and then')
  const route = endpoint && endpointsByName.get(endpoint)
  if (endpoint !== undefined && !route)
    throw new BotwrightError('ERR_INVALID_REQUEST', `faults: the interface has no endpoint "${endpoint}"`)
  await control(service, 'POST', 'faults', {
    path: options.path ?? (route ? `/v1${route.path}` : '/v1/*'),
    ...(route && { method: route.method }),
    skip,
    times: Math.min(times, MANY),
    ...(latency !== undefined && { seconds: spanMs(latency) / 1000 }),
    then:
      status === undefined
        ? (then ?? 'slow')
        : { status, ...(body !== undefined && { body }), ...(headers && { headers }) },
  })
}

/** A call of the service's controls. */
export async function control<T>(
  { url }: Service,
  method: 'GET' | 'POST' | 'DELETE',
  name: string,
  body?: object,
): Promise<T> {
  const { status, answer } = await ask({ method, path: `/controls/v1/${name}`, body }, { url, headers: {} })
  if (status < 400) return answer as T
  throw new BotwrightError('ERR_INVALID_REQUEST', `${name}: ${(answer as { error?: string }).error ?? status}`)
}
