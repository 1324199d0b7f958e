import { inspect } from 'node:util'
import { BotwrightError, printable } from '@botwright/protocol/facts'
import type { Log, LogLevel } from '../../author/ports.ts'
import { toLoggedError } from '../../link/errors/plain-error.ts'
import { createRedactor } from '../../link/redaction.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Writes JSON lines without secrets to the console, which every platform collects. Throws `ERR_CONFIG` for an unknown level. */
export function consoleLog(level = 'info', secrets: readonly (string | undefined)[]): Log {
  const least = levels.indexOf(level)
  if (least < 0)
    throw new BotwrightError('ERR_CONFIG', `LOG_LEVEL is "${level}"; it must be one of ${levels.join(', ')}`)
  const redact = createRedactor(secrets)
  const isOn = (one: string) => levels.indexOf(one) >= least
  const logAt =
    (one: LogLevel) =>
    (facts: object, msg: string): void => {
      if (!isOn(one)) return
      const plain = Object.entries(facts).map(([name, value]: [string, unknown]) => [name, plainOf(value)])
      const head = { level: one, time: new Date().toISOString() }
      // Facts may have these names, too.
      const line = { ...head, ...(Object.fromEntries(plain) as object), ...head, msg }
      console.log(printable(redact(JSON.stringify(line))))
    }
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    isLevelEnabled: isOn,
  }
}

/** A handler may log what JSON cannot contain: it is written as Node shows it. */
function plainOf(value: unknown): unknown {
  const plain = value instanceof Error ? toLoggedError(value) : value
  try {
    JSON.stringify(plain)
    return plain
  } catch {
    return inspect(plain)
  }
}
