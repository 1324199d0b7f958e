import { type Database, DatabaseError, openDatabase, type Row, type Statement, type Value } from '@botwright/sqlite'
import { emptyTables } from './empty.ts'
import { preparedSql } from './sql.ts'

/** An unused in-memory database: empty tables, and its prepared statements. */
interface Spare {
  db: Database
  statements: Map<string, Statement<unknown>>
}

const spareDatabases: Spare[] = []
/** Maximum number of spareDatabases: as many services as run concurrently in one test process. */
const KEPT = 8
/** Larger databases are not reused: SQLite keeps the pages (4 KiB each) of deleted rows. */
const KEPT_PAGES = 1024

/**
 * An in-memory database. Creating the tables and preparing statements takes longer than most tests, so a closed database is emptied
 * and reused with both. For its previous user it is closed.
 */
export function memoryDatabase(): Database {
  const spare = spareDatabases.pop() ?? {
    db: openDatabase(':memory:'),
    statements: new Map<string, Statement<unknown>>(),
  }
  const { db, statements } = spare
  let open = true
  const check = () => {
    if (!open) throw new DatabaseError('closed', ':memory:: the database is closed')
  }
  const close = () => {
    if (!open) return
    const kept = spareDatabases.length < KEPT && emptied(own)
    open = false
    if (kept) spareDatabases.push(spare)
    else db.close()
  }
  const own: Database = {
    driver: db.driver,
    exec: (sql) => {
      check()
      db.exec(sql)
    },
    prepare: <R = Row>(sql: string): Statement<R> => {
      check()
      let found = statements.get(sql) as Statement<R> | undefined
      if (!found) statements.set(sql, (found = db.prepare<R>(sql)))
      const of = found
      return {
        run: (...parameters: Value[]) => (check(), of.run(...parameters)),
        get: (...parameters: Value[]) => (check(), of.get(...parameters)),
        all: (...parameters: Value[]) => (check(), of.all(...parameters)),
      }
    },
    transaction: (fn) => {
      check()
      return db.transaction(fn)
    },
    close,
    [Symbol.dispose]: close,
  }
  return own
}

/** Empties a database for reuse. Returns false if it takes too much memory, or if its tables are missing. */
function emptied(db: Database): boolean {
  const sql = preparedSql(db)
  try {
    if (Number(sql.get<Row>('PRAGMA page_count')?.['page_count']) > KEPT_PAGES) return false
    emptyTables(sql)
    return true
  } catch {
    return false
  }
}
