import type { Log, LogLevel } from '../../author/ports.ts'

/** Writes a line of the log: a text, facts, or both. An error among the facts keeps its stack. */
interface WriteLine {
  (message: string): void
  (facts: object, message?: string): void
}

/** The bot's log as its files use it: `ctx.log.info('saved')`, `ctx.log.warn({ channel_id }, 'no such role')`, `ctx.log.error(error)`. */
export type HandlerLog = Record<LogLevel, WriteLine>

/** A log that adds `own` to the facts of each line. */
export function handlerLog(log: Log, own: object = {}): HandlerLog {
  const line =
    (level: LogLevel): WriteLine =>
    (first: string | object, message?: string) => {
      if (typeof first === 'string') return log[level](own, first)
      // The fields of an error are not enumerable: spread, it would be lost.
      if (first instanceof Error) return log[level]({ ...own, error: first }, message ?? first.message)
      log[level]({ ...own, ...first }, message ?? '')
    }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
