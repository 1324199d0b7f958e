import { type Database, DatabaseError, openDatabase, type Statement, type Value } from '@botwright/sqlite'
import type { SimProcess } from './sim-host.ts'

/** The next use of the disk, as the present incidents want it. `kill`: the process ends before or after it. */
export type DiskFate = 'ok' | 'fails' | 'full' | 'readonly' | 'kill_before' | 'kill_after' | { slowMs: number }

/** Decides about one use of the disk. */
export type DiskRule = (use: 'read' | 'write', file: string) => DiskFate

/** The databases of the bot's computer, real ones in memory. They outlive its processes. */
export class SimDisk {
  readonly files = new Map<string, Database>()
  rule: DiskRule = () => 'ok'
  #tables = new Map<Database, Map<string, Statement<unknown>>>()

  /** Opens a database for a process, which is all that sees the faults. */
  open(path: string, process: SimProcess): Database {
    let found = this.files.get(path)
    if (!found) this.files.set(path, (found = openDatabase(':memory:')))
    const db = found
    let depth = 0
    let isOpen = true
    let statements = this.#tables.get(db)
    if (!statements) this.#tables.set(db, (statements = new Map<string, Statement<unknown>>()))
    const known = statements
    const name = path.replace(/^.*[/\\]/, '')
    const check = () => {
      if (!isOpen || !process.alive) throw new DatabaseError('closed', `${name}: the database is closed`)
    }
    /** Meets the fate of one use. The result is called after it. */
    const meet = (use: 'read' | 'write'): (() => void) => {
      check()
      const fate = this.rule(use, name)
      if (fate === 'ok') return () => {}
      if (fate === 'fails') throw new DatabaseError('io', 'disk I/O error')
      if (fate === 'full') throw new DatabaseError('full', 'database or disk is full')
      if (fate === 'readonly') throw new DatabaseError('readonly', 'attempt to write a readonly database')
      if (typeof fate === 'object') {
        process.host.world.timeline.nowMs += fate.slowMs
        return () => {}
      }
      if (fate === 'kill_before') process.kill()
      check()
      return () => {
        process.kill()
        check()
      }
    }
    const use = <T>(kind: 'read' | 'write', work: () => T): T => {
      if (depth > 0) {
        check()
        return work()
      }
      const used = meet(kind)
      const result = work()
      used()
      return result
    }
    const close = () => void (isOpen = false)
    return {
      driver: db.driver,
      exec: (sql) => use('write', () => db.exec(sql)),
      prepare<R>(sql: string): Statement<R> {
        check()
        let statement = known.get(sql) as Statement<R> | undefined
        if (!statement) known.set(sql, (statement = db.prepare<R>(sql)))
        const of = statement
        const isRead = /^\s*(SELECT|PRAGMA)/i.test(sql)
        const kind = isRead ? 'read' : 'write'
        return {
          run: (...parameters: Value[]) => use(kind, () => of.run(...parameters)),
          get: (...parameters: Value[]) => use(kind, () => of.get(...parameters)),
          all: (...parameters: Value[]) => use(kind, () => of.all(...parameters)),
        }
      },
      transaction(fn) {
        if (depth > 0) return db.transaction(fn)
        const used = meet('write')
        depth++
        try {
          return db.transaction(fn)
        } finally {
          depth--
          used()
        }
      },
      close,
      [Symbol.dispose]: close,
    }
  }

  close(): void {
    for (const db of this.files.values()) db.close()
  }
}
