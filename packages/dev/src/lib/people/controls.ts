import { durationText } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { createTerminal, type Terminal } from '../terminal.ts'
import { findService } from './person.ts'
import { keyOf, noResponse, readResponse } from './service-response.ts'

/** A change of the next responses of the bot interface. */
interface Fault {
  method: string
  /** With or without `/v1`; `*` and `{name}` are patterns. */
  path: string
  /** A status, or a fault of the connection: `close`, `cut`, `stall` or `slow`. */
  then: string
  times: number
  seconds: number
}

/** Something that the controls of a local service do. */
export type Control = { kind: 'clock'; ms: number } | { kind: 'fault'; fault: Fault | undefined } | { kind: 'reset' }

interface ControlOptions {
  folder: string
  service: string | undefined
  json: boolean
}

/** `framework clock`, `fault` and `reset`: uses the controls of the local service. Resolves with the exit code. */
export async function runControl(
  control: Control,
  { folder, service, json }: ControlOptions,
  terminal: Terminal = createTerminal(),
): Promise<number> {
  const url = await findService(folder, service)
  const { document, words } = await use(url, control)
  terminal.print(json ? JSON.stringify(document) : words)
  return 0
}

async function use(service: URL, control: Control): Promise<{ document: object; words: string }> {
  switch (control.kind) {
    case 'clock': {
      const { now } = await call(service, 'POST', 'clock', { advance_seconds: control.ms / 1000 })
      return {
        document: { now, advanced_seconds: control.ms / 1000 },
        words: `the clock of the service is now ${String(now)} (${durationText(control.ms)} later); the clock of the bot is unchanged`,
      }
    }
    case 'fault': {
      const { fault } = control
      if (!fault) {
        await call(service, 'DELETE', 'faults')
        return { document: { cleared: true }, words: 'all faults are cleared' }
      }
      const sent = faultBody(fault)
      await call(service, 'POST', 'faults', sent)
      const times = fault.times === 1 ? 'the next response' : `the next ${fault.times} responses`
      return { document: { fault: sent }, words: `${times} to ${sent.method} ${sent.path}: ${fault.then}` }
    }
    case 'reset':
      await call(service, 'POST', 'reset')
      return {
        document: { reset: true },
        words:
          'the service is back to the world it started with: no messages, changes or faults; the state of the bot is unchanged',
      }
  }
}

const connectionFaults: readonly string[] = ['close', 'cut', 'stall', 'slow']
/** Its response has Retry-After (§7). */
const RATE_LIMITED = 429
const NOT_FOUND = 404

function faultBody({ method, path, then, times, seconds }: Fault) {
  const status = /^\d{3}$/.test(then) ? Number(then) : undefined
  if (status === undefined && !connectionFaults.includes(then))
    throw new BotwrightError('ERR_CONFIG', `a fault must be a status such as 500, or ${connectionFaults.join(', ')}`)
  return {
    method: method.toUpperCase(),
    path: path.startsWith('/v1/') ? path : `/v1${path}`,
    times,
    seconds,
    then:
      status === undefined
        ? then
        : {
            status,
            ...(status >= 400 && { body: { error: 'this error was set by framework fault' } }),
            ...(status === RATE_LIMITED && { headers: { 'retry-after': String(seconds) } }),
          },
  }
}

/** Rejects with `ERR_CONFIG` if the service has no controls, and as `readResponse` does. */
async function call(service: URL, method: string, name: string, body?: object): Promise<Record<string, unknown>> {
  const key = keyOf(service)
  const answer = await fetch(`${service.origin}/controls/v1/${name}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'x-service-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw noResponse(service, cause)
  })
  if (answer.status === NOT_FOUND && answer.headers.get('content-type')?.startsWith('application/json') === true)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${service.origin} has no controls: start it with framework service --controls`,
    )
  return readResponse(answer, service, `${method} /controls/v1/${name}`)
}
