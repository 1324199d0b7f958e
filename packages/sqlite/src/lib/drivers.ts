import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { pathToFileURL } from 'node:url'
import { DatabaseError, toDatabaseError } from './database-error.ts'
import { loadLibsql } from './load-libsql.ts'

/** `node`: the module `node:sqlite`. `libsql`: the npm package, for the Node versions that have no usable `node:sqlite`. */
export type DriverName = 'node' | 'libsql'

/** What both drivers share. Statements take their parameters as the drivers do; `statement.ts` evens them out. */
export interface RawDatabase {
  exec(sql: string): unknown
  prepare(sql: string): RawStatement
  close(): unknown
}

export interface RawStatement {
  run(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown[]
  /** libsql only: whether the statement returns rows. */
  readonly reader?: boolean
}

interface NodeSqlite {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => RawDatabase
}

/** Loaded by name at run time, so that bundlers neither follow nor reject it. */
const nodeSqlite = () => process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined

/** From this major on `node:sqlite` gives no warning. */
const FIRST_NODE_WITHOUT_WARNING = 24

/** The drivers that this Node can run, the preferred one first. */
export function availableDrivers(): DriverName[] {
  // Where it gives a warning, it does so when it is loaded: asking is no reason to.
  if (!isBuiltin('node:sqlite')) return ['libsql']
  return Number.parseInt(process.versions.node) >= FIRST_NODE_WITHOUT_WARNING ? ['node', 'libsql'] : ['libsql', 'node']
}

/** Loads the preferred driver, so that the first database need not wait for it. What is wrong with it shows when one is opened. */
export function warmDriver(): void {
  try {
    if (availableDrivers()[0] === 'node') nodeSqlite()
    else loadLibsql()
  } catch {
    // Told by `openDatabase`, with the file that could not be opened.
  }
}

export function openDriver(driver: DriverName, path: string, readOnly: boolean): RawDatabase {
  try {
    return driver === 'node' ? openNode(path, readOnly) : openLibsql(path, readOnly)
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const reason = toDatabaseError(error)
    throw new DatabaseError('open', `${path}: cannot be opened as a database: ${reason.message}`, { cause: error })
  }
}

function openNode(path: string, readOnly: boolean): RawDatabase {
  const sqlite = nodeSqlite()
  if (!sqlite)
    throw new DatabaseError('open', `Node ${process.versions.node} has no node:sqlite: use the driver libsql`)
  return new sqlite.DatabaseSync(path, { readOnly })
}

function openLibsql(path: string, readOnly: boolean): RawDatabase {
  const Libsql = loadDriver()
  if (!readOnly) return new Libsql(path)
  // libsql has no option for it, but passes SQLite's own file URIs on.
  if (!existsSync(path))
    throw new DatabaseError('open', `${path}: no such file (opened read-only, so it is not created)`)
  return new Libsql(`${pathToFileURL(path).href}?mode=ro`)
}

/** The package is there, but its native part comes as an optional dependency, which may have been left out. */
function loadDriver(): new (path: string) => RawDatabase {
  try {
    return loadLibsql() as new (path: string) => RawDatabase
  } catch (cause) {
    throw new DatabaseError(
      'driver',
      `Node ${process.versions.node} needs the native part of libsql, which cannot be loaded: install without --omit=optional, or run on Node ${FIRST_NODE_WITHOUT_WARNING}, which has SQLite itself`,
      { cause },
    )
  }
}
