import type { Clock } from '@botwright/clock'
import { BotwrightError, printable } from '@botwright/protocol/facts'
import pino from 'pino'
import { createRedactor } from '../link/redaction.ts'
import type { Log } from '../author/ports.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Checks the name of a level. Throws `ERR_CONFIG` with those that there are. */
export function readLogLevel(value: string | undefined): string {
  if (value === undefined || value === '') return 'info'
  if (levels.includes(value)) return value
  throw new BotwrightError('ERR_CONFIG', `LOG_LEVEL is "${value}"; it must be one of ${levels.join(', ')}`)
}

/**
 * The log of `framework start`: JSON lines on standard output, one for each fact, written at once so that nothing is lost when the
 * process dies. No secret leaves through it.
 */
export function createLog(options: {
  level?: string
  secrets?: readonly (string | undefined)[]
  write?: (line: string) => void
  /** Tells the time of each line; the machine's own clock unless told. */
  clock?: Pick<Clock, 'now'>
}): Log {
  const { level = 'info', secrets = [], write, clock } = options
  const redact = createRedactor(secrets)
  const destination = write ? { write } : pino.destination({ fd: 1, sync: true })
  return pino(
    {
      level,
      base: null,
      timestamp: clock ? () => `,"time":"${new Date(clock.now()).toISOString()}"` : pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withErrors },
      // Those of other threads are written already; pino would take their type for "Object".
      serializers: { err: (written: unknown) => written },
      // The one edge that every line passes.
      hooks: { streamWrite: (line) => printable(redact(line)) },
    },
    destination,
  )
}

/** Errors among the facts of a line as pino writes them: their fields are not enumerable. */
function withErrors(facts: object): Record<string, unknown> {
  const given = facts as Record<string, unknown>
  let written = given
  for (const key in given) {
    const value = given[key]
    if (!(value instanceof Error)) continue
    if (written === given) written = { ...given }
    written[key] = pino.stdSerializers.err(value)
  }
  return written
}
