import type { Clock } from '@botwright/clock'
import { BotwrightError, printable } from '@botwright/protocol/facts'
import pino from 'pino'
import { createRedactor } from '../link/redaction.ts'
import type { Log } from '../author/ports.ts'
import type { ProgramOutput } from '../link/thread-io.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Checks the name of a level. Throws `ERR_CONFIG` with the valid ones. */
export function readLogLevel(value: string | undefined): string {
  if (value === undefined || value === '') return 'info'
  if (levels.includes(value)) return value
  throw new BotwrightError('ERR_CONFIG', `LOG_LEVEL is "${value}"; it must be one of ${levels.join(', ')}`)
}

/**
 * The log of `framework start`: JSON lines on standard output without secrets. It is written synchronously, so that no line is lost if
 * the process crashes.
 */
export function createLog(options: {
  level?: string
  secrets?: readonly (string | undefined)[]
  write?: (line: string) => void
  /** Instead of `write`. Default: standard output of the process. */
  to?: ProgramOutput
  /** The clock for the time of each line. Default: the system clock. */
  clock?: Pick<Clock, 'now'>
}): Log {
  const { level = 'info', secrets = [], to, clock } = options
  const write = options.write ?? (to && to.fd === undefined ? (line: string) => void to.write(line) : undefined)
  const redact = createRedactor(secrets)
  const destination = write ? { write } : pino.destination({ fd: 1, sync: true })
  return pino(
    {
      level,
      base: null,
      timestamp: clock ? () => `,"time":"${new Date(clock.now()).toISOString()}"` : pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withErrors },
      // Errors of other threads are serialized already; pino would use their type "Object".
      serializers: { err: (written: unknown) => written },
      // Redact and escape every line.
      hooks: { streamWrite: (line) => printable(redact(line)) },
    },
    destination,
  )
}

/** Serializes errors in the facts as pino does, because their fields are not enumerable. */
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
