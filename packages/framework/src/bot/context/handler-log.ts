import type { HandlerLog } from '../../author/context.ts'
import type { Log, LogLevel } from '../../author/ports.ts'

/** A log that adds `own` to the facts of each line. */
export function handlerLog(log: Log, own: object = {}): HandlerLog {
  const line =
    (level: LogLevel): HandlerLog[LogLevel] =>
    (first: string | object, message?: string) => {
      if (typeof first === 'string') return log[level](own, first)
      // The fields of an error are not enumerable: spread, it would be lost.
      if (first instanceof Error) return log[level]({ ...own, error: first }, message ?? first.message)
      log[level]({ ...own, ...first }, message ?? '')
    }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
