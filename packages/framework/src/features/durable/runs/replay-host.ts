import type { LogRecord } from '../stored/run-log.ts'

/** The dependencies of a replay. */
export interface ReplayHost {
  /** The file of the handler, for error messages. */
  file: string
  /** See `BotSource`. */
  codeId?: string | undefined
  now(): number
  /** The version of the handler's code. */
  version(): number
  /** The author's line that issues the current step. */
  place(): string
  /** Stores records after all earlier ones. Rejects with `ERR_FENCED` if another instance continues the run. */
  append(records: readonly LogRecord[]): Promise<void>
  /** Called when `isQuiet` becomes true. */
  onQuiet(): void
  /** Called once with the error after which the run cannot continue. Its open steps never settle. */
  onBroken(error: unknown): void
}
