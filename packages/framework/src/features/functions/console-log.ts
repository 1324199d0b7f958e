import { BotwrightError, printable } from '@botwright/protocol/facts'
import type { Log, LogLevel } from '../../author/ports.ts'
import { toLoggedError } from '../../link/errors/plain-error.ts'
import { createRedactor } from '../../link/redaction.ts'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Writes JSON lines without secrets to the console, which every platform collects. Throws `ERR_CONFIG` for an unknown level. */
export function consoleLog(level = 'info', secrets: readonly (string | undefined)[]): Log {
  const isSilent = level === 'silent'
  const least = levels.indexOf(level as LogLevel)
  if (least < 0 && !isSilent)
    throw new BotwrightError('ERR_CONFIG', `LOG_LEVEL is "${level}"; it must be one of ${levels.join(', ')}, silent`)
  const redact = createRedactor(secrets)
  const isOn = (one: string) => !isSilent && levels.indexOf(one as LogLevel) >= least
  const logAt =
    (one: LogLevel) =>
    (facts: object, msg: string): void => {
      if (!isOn(one)) return
      const plain = Object.entries(facts).map(([name, value]: [string, unknown]) => [
        name,
        value instanceof Error ? toLoggedError(value) : value,
      ])
      const line = { level: one, time: new Date().toISOString(), ...(Object.fromEntries(plain) as object), msg }
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
