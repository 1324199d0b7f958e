import { durationText } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { createTerminal, type Terminal } from '../terminal.ts'
import { findService } from './person.ts'

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
        words: `the clock of the service is now ${String(now)} (${durationText(control.ms)} later); the clock of the bot does not move`,
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
          'the service is as it was when it started: no messages, no changes, no faults; the state of the bot is unchanged',
      }
  }
}

const connectionFaults: readonly string[] = ['close', 'cut', 'stall', 'slow']
/** Its response has Retry-After (§7). */
const RATE_LIMITED = 429

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
            ...(status >= 400 && { body: { error: 'a fault of framework fault' } }),
            ...(status === RATE_LIMITED && { headers: { 'retry-after': String(seconds) } }),
          },
  }
}

/** Rejects with `ERR_REFUSED` and the text of the service, or with `ERR_CONFIG` if it has no controls or does not respond. */
async function call(
  { origin, hash }: URL,
  method: string,
  name: string,
  body?: object,
): Promise<Record<string, unknown>> {
  let answer: Response
  try {
    answer = await fetch(`${origin}/controls/v1/${name}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(hash.startsWith('#key=') && { 'x-service-key': hash.slice('#key='.length) }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    throw new BotwrightError(
      'ERR_CONFIG',
      `${origin} does not respond: start framework dev again, or correct --service`,
      {
        cause: error,
      },
    )
  }
  const found = (await answer.json().catch(() => ({}))) as Record<string, unknown>
  if (answer.ok) return found
  const text = typeof found['error'] === 'string' ? found['error'] : String(answer.status)
  if (answer.status === 404)
    throw new BotwrightError('ERR_CONFIG', `${origin} has no controls: start it with framework service --controls`)
  throw new BotwrightError('ERR_REFUSED', text)
}
