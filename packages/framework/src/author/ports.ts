import type { Clock } from '@botwright/clock'

/** A kept value. */
export interface Stored {
  /** What JSON can hold. */
  value: unknown
  /** Changes with each write, and never comes back, also after a delete. */
  version: number
  /** When it is over, milliseconds since 1970. */
  expiresAtMs?: number
}

/**
 * Values kept for a bot, over restarts. One conformance suite holds every version to the same promises.
 * A key is a text that is not empty; what it begins with names its feature (`state:`, `once:`). A value that has expired is absent.
 * Rejects with `ERR_STATE` when the store cannot be read or written, and with `ERR_INVALID_REQUEST` when the value cannot be stored as JSON.
 */
export interface StateStore {
  get(key: string): Promise<Stored | undefined>
  /** `expected`: the version that it must still have, 0 for "absent". False: somebody was quicker. Without `expiresAtMs` it is kept for ever. */
  set(key: string, value: unknown, options?: { expected?: number; expiresAtMs?: number }): Promise<boolean>
  /** False: it was absent, or somebody was quicker. */
  delete(key: string, options?: { expected?: number }): Promise<boolean>
  /** The keys that begin with `prefix`, in the order of their code points; all of them without a `limit`. */
  list(prefix: string, options?: { after?: string; limit?: number }): Promise<({ key: string } & Stored)[]>
}

/** What a store of the author's own is made with. */
export interface StoreHost {
  // Of the bot: several may share what lies behind the store.
  botId: string
  clock: Clock
  log: Log
}

/** The logger port: pino fits. Objects first, as pino has it. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  /** Whether anybody reads a level. Without it nothing is told that costs something each time. */
  isLevelEnabled?(level: string): boolean
}

/** How much a line of the log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The message budget of the bot at one moment (§8: 30 messages a minute, shared by all that it runs). */
export interface BudgetMeter {
  /** Slots in all; `Infinity` when the configuration says `messageBudget: false`. */
  limit: number
  /** Slots that are taken. */
  used: number
  /** Messages that wait for one. */
  waiting: number
  /** Until time alone frees a slot; 0 when one is free. */
  freeInMs: number
}
