import { durationText } from '@botwright/framework'
import type { ProgramIo } from '@botwright/framework/start'
import { localTime } from '@botwright/framework/replay'
import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import { inspectorBounds } from '@botwright/service/people'
import { count, createTerminal } from '../terminal/terminal.ts'
import { type ClockEffects, effectsSince, type OwnedBot } from './clock-effects.ts'
import { peopleCodes } from './people-command.ts'
import { findService } from './person.ts'
import { keyOf, noResponse, readResponse } from './service-response.ts'

/** A change of the next responses of the bot interface. */
interface Fault {
  method: string
  /** With or without `/v1` and the first slash; `*` and `{name}` are patterns. */
  path: string
  /** A status, or a fault of the connection: `close`, `cut`, `stall` or `slow`. */
  then: string
  times: number
  seconds: number
}

/** Something that the controls of a local service do. */
export type Control = { kind: 'clock'; ms: number } | { kind: 'fault'; fault: Fault | undefined } | { kind: 'reset' }

interface ControlOptions {
  io: ProgramIo
  service: string | undefined
  json: boolean
}

/** `framework clock`, `fault` and `reset`: uses the controls of the local service. Resolves with the exit code. */
export async function runControl(control: Control, { io, service, json }: ControlOptions): Promise<number> {
  const url = await findService(io.cwd, service)
  const { document, words, code = 0 } = await use(url, control)
  createTerminal(io).print(json ? JSON.stringify(document) : words)
  return code
}

interface Used {
  document: object
  words: string
  /** The exit code. Default 0. */
  code?: number
}

async function use(service: URL, control: Control): Promise<Used> {
  switch (control.kind) {
    case 'clock': {
      const advanced_seconds = control.ms / 1000
      const moved = (await call(service, 'POST', 'clock', {
        advance_seconds: advanced_seconds,
      })) as unknown as ClockMove
      const { from, now, bots } = moved
      const done = await effectsSince(service, bots, from)
      return {
        document: { now, advanced_seconds, bots, did: done.effects, ...(done.isCut && { cut: true }) },
        words: clockWords(moved, control.ms, done),
        code: codeOf(bots),
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

/** The time of the service, and the bots that `framework dev` runs there. */
interface ClockMove {
  /** The time before the move. */
  from: string
  now: string
  bots: readonly FollowingBot[]
}

/** `ran`: how the handlers of a file ended; null if the clock of the bot has not moved the whole way. `follows`: it is still moving, or has moved. */
interface FollowingBot extends OwnedBot {
  follows: boolean
  ran: readonly FileRuns[] | null
}

interface FileRuns {
  file: string
  runs: number
  failed: number
  /** The failed runs that the bot runs again by itself. */
  repeated: number
  errors: readonly { at: string; message: string }[]
}

const UNFINISHED = 1

function codeOf(bots: readonly FollowingBot[]): number {
  if (bots.some(({ ran }) => ran === null)) return UNFINISHED
  const isLost = bots.some(({ ran }) => ran?.some(({ failed, repeated }) => failed > repeated) === true)
  return isLost ? peopleCodes.failed : 0
}

const timeText = (iso: string): string => localTime(Date.parse(iso))

function clockWords({ now, bots }: ClockMove, ms: number, { effects, isCut }: ClockEffects): string {
  const later = `${timeText(now)} (${durationText(ms)} later)`
  if (bots.length === 0)
    return `the clock of the service is now ${later}; that of the bot is unchanged, because it moves only in "framework dev"`
  const namesOf = (some: readonly FollowingBot[]) => some.map(({ username }) => username).join(', ')
  const moving = namesOf(bots.filter(({ ran, follows }) => ran === null && follows))
  const moved = namesOf(bots.filter(({ ran }) => ran !== null))
  const unmoved = namesOf(bots.filter(({ follows }) => !follows))
  const named = (bot: string, words: string) => printableLine(`  ${bots.length > 1 ? `${bot} ` : ''}${words}`)
  const calls = effects.map(({ bot, at, channel, words }) =>
    named(bot, `${timeText(at)}  ${channel === undefined ? '' : `${channel}  `}${words}`),
  )
  const ran = bots.flatMap(({ username, ran: files }) =>
    (files ?? []).flatMap(({ file, runs, failed, repeated, errors }) => {
      const again = repeated > 0 ? ` (the bot runs ${repeated} of them again)` : ''
      return [
        named(username, `${file}  ${count(runs, 'run')}${failed > 0 ? `, ${failed} failed${again}` : ''}`),
        ...errors.map(({ at, message }) => printableLine(`    ✘ ${at}: ${message}`)),
      ]
    }),
  )
  const nothing = moving === '' && moved !== '' && calls.length + ran.length === 0
  return [
    moving !== ''
      ? `the clocks of the service and of ${moving} have reached ${timeText(now)} and are still moving: the bot still has work to do`
      : moved !== ''
        ? `the clocks of the service and of ${moved} are now ${later}`
        : `the clock of the service is now ${later}`,
    ...(unmoved === ''
      ? []
      : [`the clock of ${unmoved} has not moved: its framework dev has ended, or does not respond; start it again`]),
    ...(isCut ? [`  … earlier calls are not shown: the service keeps the latest ${inspectorBounds.calls}`] : []),
    ...calls,
    ...ran,
    ...(nothing ? ['the bot sent nothing, and no handler ended'] : []),
  ].join('\n')
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
    path: path.replace(/^\/?(?:v1\/)?/, '/v1/'),
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
