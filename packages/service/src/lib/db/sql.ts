import type { Database, RunResult, Statement, Value } from '@botwright/sqlite'

/** Runs SQL on one database, preparing each text once. */
export interface Sql {
  get<R>(text: string, ...parameters: Value[]): R | undefined
  all<R>(text: string, ...parameters: Value[]): R[]
  run(text: string, ...parameters: Value[]): RunResult
  /** Runs `fn` as one transaction; inside another one, as a savepoint. */
  transaction<T>(fn: () => T): T
  /**
   * Returns a function that keeps what `read` returns for a key, until a statement writes to one of `tables` or is rolled back.
   * `read` may depend on nothing else. Other connections' writes are not noticed.
   */
  cached<V>(tables: readonly string[], read: (key: string) => V): (key: string) => V
  /** Changes whenever something cached is forgotten. */
  readonly version: number
}

/** Values kept by one cache. When it is full, it starts again. */
const MOST_KEPT = 10_000

const READS = ['SELECT', 'PRAGMA']
/** The beginnings of statements that write, and whether they can delete rows. */
const WRITES = [
  ['INSERT INTO', false],
  ['INSERT OR IGNORE INTO', false],
  ['INSERT OR REPLACE INTO', true],
  ['UPDATE', false],
  ['DELETE FROM', true],
] as const

/** The table that a statement writes to, and whether it can delete rows, which also deletes those that refer to them. */
interface Write {
  table: string
  deletes: boolean
}

interface Prepared {
  statement: Statement<unknown>
  write: Write | undefined
}

function writeOf(text: string): Write | undefined {
  const statement = text.trimStart()
  for (const [start, deletes] of WRITES) {
    if (statement.startsWith(`${start} `)) {
      return { table: statement.slice(start.length + 1).split(' ', 1)[0]!, deletes }
    }
  }
  if (READS.some((start) => statement.startsWith(`${start} `))) return undefined
  throw new Error(`the table that this changes is not recognized: ${text}`)
}

export function preparedSql(db: Database): Sql {
  const texts = new Map<string, Prepared>()
  const caches = new Map<string, Set<Map<string, unknown>>>()
  /** Caches of tables that the running transaction has changed: they may hold values that a rollback undoes. */
  const touched = new Set<Map<string, unknown>>()
  let depth = 0
  let version = 0
  let referring: Map<string, string[]> | undefined

  function prepare(text: string): Prepared {
    let found = texts.get(text)
    if (found === undefined) texts.set(text, (found = { statement: db.prepare(text), write: writeOf(text) }))
    return found
  }

  const forget = (values: Map<string, unknown>) => {
    values.clear()
    version++
  }

  /** Forgets what was read from a table and, after a deletion, from the tables whose rows refer to it. */
  function changed({ table, deletes }: Write): void {
    if (caches.size === 0) return
    for (const name of deletes ? withReferring(table) : [table]) {
      for (const values of caches.get(name) ?? []) {
        forget(values)
        if (depth > 0) touched.add(values)
      }
    }
  }

  function withReferring(table: string): Set<string> {
    referring ??= referringTables(db)
    const found = new Set([table])
    for (const name of found) for (const child of referring.get(name) ?? []) found.add(child)
    return found
  }

  return {
    get: <R>(text: string, ...parameters: Value[]) => prepare(text).statement.get(...parameters) as R | undefined,
    all: <R>(text: string, ...parameters: Value[]) => prepare(text).statement.all(...parameters) as R[],
    run(text, ...parameters) {
      const { statement, write } = prepare(text)
      const result = statement.run(...parameters)
      if (write) changed(write)
      return result
    },
    transaction(fn) {
      depth++
      try {
        return db.transaction(fn)
      } catch (error) {
        for (const values of touched) forget(values)
        throw error
      } finally {
        if (--depth === 0) touched.clear()
      }
    },
    cached<V>(tables: readonly string[], read: (key: string) => V) {
      const values = new Map<string, V>()
      for (const table of tables) caches.set(table, (caches.get(table) ?? new Set()).add(values))
      return (key) => {
        let value = values.get(key)
        if (value === undefined && !values.has(key)) {
          value = Object.freeze(read(key))
          if (values.size >= MOST_KEPT) values.clear()
          values.set(key, value)
        }
        return value as V
      }
    },
    get version() {
      return version
    },
  }
}

/** For each table, those whose rows are deleted or changed with its rows. */
function referringTables(db: Database): Map<string, string[]> {
  const rows = db
    .prepare<{ child: string; parent: string }>(
      `SELECT t.name AS child, f."table" AS parent FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f
        WHERE t.type = 'table' AND f.on_delete IN ('CASCADE', 'SET NULL')`,
    )
    .all()
  const found = new Map<string, string[]>()
  for (const { child, parent } of rows) found.set(parent, [...(found.get(parent) ?? []), child])
  return found
}
