import { type Database, DatabaseError, openDatabase, type Row, type Statement, type Value } from '@botwright/sqlite'
import { emptyTables } from './empty.ts'
import { preparedSql } from './sql.ts'

/** A database in memory that nobody uses: without a row, with its tables and what was prepared on it. */
interface Spare {
  db: Database
  statements: Map<string, Statement<unknown>>
}

const spares: Spare[] = []
/** So many are kept: as many services as run side by side in a process of tests. */
const KEPT = 8
/** None that a test has filled: the pages of 4 KiB of what is deleted stay. */
const KEPT_PAGES = 1024

/**
 * A database in memory. Making the tables and preparing what is asked of them takes longer than most of what a service in memory lives for,
 * one test: a closed one is emptied, and handed on with both. Whoever had it finds it closed.
 */
export function memoryDatabase(): Database {
  const spare = spares.pop() ?? { db: openDatabase(':memory:'), statements: new Map<string, Statement<unknown>>() }
  const { db, statements } = spare
  let open = true
  const check = () => {
    if (!open) throw new DatabaseError('closed', ':memory:: the database is closed')
  }
  const close = () => {
    if (!open) return
    const kept = spares.length < KEPT && emptied(own)
    open = false
    if (kept) spares.push(spare)
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

/** Whether it is empty again, and takes little memory; not so when it failed before it had its tables. */
function emptied(db: Database): boolean {
  const sql = preparedSql(db)
  try {
    if (Number(sql.get<Row>('PRAGMA page_count')?.['page_count']) > KEPT_PAGES) return false
    emptyTables(db, sql)
    return true
  } catch {
    return false
  }
}
