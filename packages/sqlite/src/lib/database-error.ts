/** The kind of failure, the same for every driver. `driver`: no driver is installed. `error`: anything else, such as invalid SQL or a missing table. */
export type DatabaseErrorCode =
  | 'busy'
  | 'closed'
  | 'constraint'
  | 'corrupt'
  | 'driver'
  | 'error'
  | 'full'
  | 'io'
  | 'memory'
  | 'newer_version'
  | 'open'
  | 'readonly'

/** SQLite's primary result codes (the low byte of an extended one). */
const codes = new Map<number, DatabaseErrorCode>([
  [5, 'busy'],
  [6, 'busy'],
  [7, 'memory'],
  [8, 'readonly'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'open'],
  // After many attempts to get a lock of the log.
  [15, 'busy'],
  [19, 'constraint'],
  [26, 'corrupt'],
])

/** SQLite's own texts: `node:sqlite` of Deno passes no result code. */
const texts: readonly [RegExp, DatabaseErrorCode][] = [
  [/^database (?:table )?is locked|^locking protocol/, 'busy'],
  [/^out of memory/, 'memory'],
  [/^attempt to write a readonly database/, 'readonly'],
  [/^disk I\/O error/, 'io'],
  [/^database disk image is malformed|^file is not a database/, 'corrupt'],
  [/^database or disk is full/, 'full'],
  [/^unable to open database file/, 'open'],
  [/^(?:[A-Z]+ (?:[A-Z]+ )?)?constraint failed/, 'constraint'],
]

/** Every failure of this package, from either driver. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

interface DriverError {
  errcode?: number
  rawCode?: number
  message?: string
}

/** Adds our code to a driver's error. `libsql` names SQLite's result `rawCode`; `node:sqlite` names it `errcode`. */
export function toDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errcode, rawCode, message = String(error) } = error as DriverError
  const result = errcode ?? rawCode
  const code = result === undefined ? codeOfText(message) : codes.get(result & 0xff)
  return new DatabaseError(code ?? 'error', message, { cause: error })
}

const codeOfText = (message: string): DatabaseErrorCode | undefined =>
  texts.find(([pattern]) => pattern.test(message))?.[1]
