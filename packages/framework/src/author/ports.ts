import type { Clock } from '@botwright/clock'

/** A stored value. */
export interface Stored {
  /** Any JSON value. */
  value: unknown
  /** Changes with each write, and is never reused, even after a delete. */
  version: number
  /** When it expires, milliseconds since 1970. */
  expiresAtMs?: number
}

/**
 * The bot's values, stored over restarts. One conformance suite tests every implementation.
 * A key is a non-empty text that begins with the name of its feature (`state:`, `once:`). An expired value is absent.
 * Rejects with `ERR_STATE` if the store cannot be read or written, and with `ERR_INVALID_REQUEST` if the value cannot be stored as JSON.
 */
export interface StateStore {
  get(key: string): Promise<Stored | undefined>
  /** `expected`: the version that it must still have, 0 for "absent". False: another write came first. Without `expiresAtMs` it never expires. */
  set(key: string, value: unknown, options?: { expected?: number; expiresAtMs?: number }): Promise<boolean>
  /** False: it was absent, or another write came first. */
  delete(key: string, options?: { expected?: number }): Promise<boolean>
  /** The keys that begin with `prefix`, in the order of their code points; all of them without a `limit`. */
  list(prefix: string, options?: { after?: string; limit?: number }): Promise<({ key: string } & Stored)[]>
}

/** The argument of a custom store's factory. */
export interface StoreHost {
  // Of the bot: several may share the storage behind the store.
  botId: string
  clock: Clock
  log: Log
}

/** The logger port, which pino implements. Facts come first, as in pino. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  /** Whether lines of a level are written. Without it, costly lines are not produced. */
  isLevelEnabled?(level: string): boolean
}

/** The level of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The bot's message budget at one moment (§8: 30 messages a minute, shared by all its handlers). */
export interface BudgetMeter {
  /** All slots; `Infinity` with `messageBudget: false`. */
  limit: number
  /** Used slots. */
  used: number
  /** Messages that wait for one. */
  waiting: number
  /** Milliseconds until a slot becomes free; 0 if one is free. */
  freeInMs: number
}
