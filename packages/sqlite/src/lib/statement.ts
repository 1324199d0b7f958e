import { toDatabaseError } from './database-error.ts'
import type { DriverName, RawStatement } from './drivers.ts'

/** The value of a column. Integers are exact between -2^53 and 2^53. There are no booleans: use 0 and 1. */
export type Value = null | number | bigint | string | Uint8Array

/** A row of a result, keyed by column name. */
export type Row = Record<string, Value>

/** The result of a statement that writes. */
export interface RunResult {
  /** Rows inserted, changed or deleted. */
  changes: number
  lastInsertRowid: number
}

/** A prepared statement. Parameters are positional, one for each `?`; missing ones are null. */
export interface Statement<R = Row> {
  run(...parameters: Value[]): RunResult
  /** The first row, or undefined. All rows are read, so add `LIMIT 1` if there can be many. */
  get(...parameters: Value[]): R | undefined
  all(...parameters: Value[]): R[]
}

/** `checkOpen` throws once the database is closed, as libsql would keep writing. `counts` reads the result of the last change. */
export function toStatement<R>(
  driver: DriverName,
  raw: RawStatement,
  checkOpen: () => void,
  counts: () => RunResult,
): Statement<R> {
  let widest = 0
  const listed = driver === 'libsql'

  const check = (parameters: Value[]): void => {
    checkOpen()
    // libsql reuses the previous value of a missing parameter, and crashes the process on a boolean.
    while (parameters.length < widest) parameters.push(null)
    widest = parameters.length
    for (let i = 0; i < parameters.length; i++) {
      const value = parameters[i]
      const kind = typeof value
      if (kind === 'string' || kind === 'number' || kind === 'bigint' || value === null || value instanceof Uint8Array)
        continue
      throw new TypeError(
        `parameter ${i + 1} is ${kind === 'object' ? 'an object' : `of type ${kind}`}: SQLite takes null, number, bigint, string or Uint8Array`,
      )
    }
  }

  // libsql's own `get` leaves the statement unfinished, and COMMIT then fails: always read all rows.
  const rows = (parameters: Value[]): R[] => {
    check(parameters)
    try {
      return (listed ? raw.all(parameters).map(bytesAsArrays) : raw.all(...parameters)) as R[]
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  return {
    run(...parameters) {
      if (raw.reader) {
        rows(parameters)
        return counts()
      }
      check(parameters)
      try {
        const result = (listed ? raw.run(parameters) : raw.run(...parameters)) as RunResult
        return { changes: Number(result.changes), lastInsertRowid: Number(result.lastInsertRowid) }
      } catch (error) {
        throw toDatabaseError(error)
      }
    },
    get: (...parameters) => rows(parameters)[0],
    all: (...parameters) => rows(parameters),
  }
}

/** libsql returns blobs as bare ArrayBuffers. */
function bytesAsArrays(row: unknown): Row {
  const columns = row as Record<string, unknown>
  for (const name in columns) {
    const value = columns[name]
    if (value instanceof ArrayBuffer) columns[name] = new Uint8Array(value)
  }
  return columns as Row
}
