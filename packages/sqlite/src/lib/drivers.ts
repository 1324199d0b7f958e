import { existsSync, statSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { pathToFileURL } from 'node:url'
import { DatabaseError, toDatabaseError } from './database-error.ts'

/** `node`: the module `node:sqlite`. `libsql`: the npm package, for the Node versions that have no usable `node:sqlite`. */
export type DriverName = 'node' | 'libsql'

/** The interface that both drivers share. They take parameters differently; `statement.ts` hides the difference. */
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

/** Not named `require`: bundled files already define that name. */
const load = createRequire(import.meta.url)

/** The first major version in which `node:sqlite` prints no warning. */
const FIRST_NODE_WITHOUT_WARNING = 24

/** The drivers that can run here, preferred first. Empty: Node has no SQLite, and libsql cannot be loaded. */
export function availableDrivers(): DriverName[] {
  const driver = defaultDriver()
  const others = (['node', 'libsql'] as const).filter((one) => one !== driver)
  return [driver, ...others].filter((one) => (one === 'node' ? hasNodeSqlite() : works(() => load('libsql'))))
}

/** The driver of `openDatabase`, without loading another one. */
export function defaultDriver(): DriverName {
  if (!hasNodeSqlite()) return 'libsql'
  const warns = Number.parseInt(process.versions.node) < FIRST_NODE_WITHOUT_WARNING
  return warns && works(() => load('libsql')) ? 'libsql' : 'node'
}

/** Loading the module may print a warning, so this only checks that it exists. */
const hasNodeSqlite = () => isBuiltin('node:sqlite')

function works(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

export function openDriver(driver: DriverName, path: string, readOnly: boolean): RawDatabase {
  try {
    return driver === 'node' ? openNode(path, readOnly) : openLibsql(path, readOnly)
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new DatabaseError('open', `${path}: is a folder, not a file`, { cause: error })
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
  // libsql has no such option, but passes SQLite's own file URIs through.
  if (!existsSync(path))
    throw new DatabaseError('open', `${path}: no such file (opened read-only, so it is not created)`)
  return new Libsql(`${pathToFileURL(path).href}?mode=ro`)
}

/** The package is optional, and so is its native part. */
function loadDriver(): new (path: string) => RawDatabase {
  try {
    return load('libsql') as new (path: string) => RawDatabase
  } catch (cause) {
    const [what, fix] = works(() => load.resolve('libsql'))
      ? ['the native part of libsql, which cannot be loaded', 'install without --omit=optional']
      : ['the package libsql, which is not installed', 'run "npm install libsql"']
    throw new DatabaseError(
      'driver',
      `Node ${process.versions.node} needs ${what}: ${fix}, or use Node ${FIRST_NODE_WITHOUT_WARNING}, which has SQLite itself`,
      { cause },
    )
  }
}
