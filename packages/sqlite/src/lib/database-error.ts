/** What went wrong, the same on every driver. `driver`: none is installed. `error` is everything else: wrong SQL, a missing table. */
export type DatabaseErrorCode =
  | 'busy'
  | 'closed'
  | 'constraint'
  | 'corrupt'
  | 'driver'
  | 'error'
  | 'full'
  | 'io'
  | 'newer_version'
  | 'open'
  | 'readonly'

/** SQLite's primary result codes (the low byte of an extended one). */
const codes = new Map<number, DatabaseErrorCode>([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'readonly'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'open'],
  [19, 'constraint'],
  [26, 'corrupt'],
])

/** Every failure of this package, whichever driver it came from. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Gives a driver's error our code. `libsql` names the result `rawCode`, `node:sqlite` calls it `errcode`. */
export function toDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { errcode, rawCode, message } = error as { errcode?: number; rawCode?: number; message?: string }
  const result = errcode ?? rawCode
  const code = result === undefined ? undefined : codes.get(result & 0xff)
  return new DatabaseError(code ?? 'error', message ?? String(error), { cause: error })
}
