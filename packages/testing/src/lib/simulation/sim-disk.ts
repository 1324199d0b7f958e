import { type Database, DatabaseError, openDatabase, type Statement, type Value } from '@botwright/sqlite'
import type { SeededRandom } from '@botwright/clock/simulated'
import { SimCommits } from './sim-commits.ts'
import type { SimProcess } from './sim-host.ts'

/** The next use of the disk, as the present incidents want it. `kill`: the process ends before or after it. */
export type DiskFate = 'ok' | 'fails' | 'full' | 'readonly' | 'kill_before' | 'kill_after' | { slowMs: number }

/** Decides about one use of the disk. */
export type DiskRule = (use: 'read' | 'write', file: string) => DiskFate

/** A power failure loses some newest commits of each database, or all unsynced ones of one of them. */
export type PowerLoss = 'some' | 'journal.db' | 'state.db'

/** The databases of the bot's computer, real ones in memory. They outlive its processes. */
export class SimDisk {
  readonly files = new Map<string, Database>()
  rule: DiskRule = () => 'ok'
  /** The commits of each database, if the power will fail. */
  readonly committed: Map<string, SimCommits> | undefined
  #tables = new Map<Database, Map<string, Statement<unknown>>>()

  constructor({ remembers = false } = {}) {
    this.committed = remembers ? new Map<string, SimCommits>() : undefined
  }

  /**
   * The power fails: each database loses some of its newest commits, or all that it can lose, but none that was synced. SQLite's log has
   * a checksum over all that comes before, so that a torn page is the end of the log.
   */
  losePower(loses: PowerLoss, random: SeededRandom): string {
    const lost: string[] = []
    for (const [path, known] of this.committed ?? []) {
      const most = known.unsynced
      const some = random.chance(0.3) ? 0 : random.int(most + 1)
      const count = loses === 'some' ? some : loses === nameOf(path) ? most : 0
      const all = known.count
      known.lose(count)
      this.#restore(path, known)
      lost.push(`${nameOf(path)} has lost ${count} of ${all} commits`)
    }
    return lost.join(', ')
  }

  #restore(path: string, committed: SimCommits): void {
    this.files.get(path)!.close()
    const db = openDatabase(':memory:')
    committed.replay(db)
    this.files.set(path, db)
  }

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
    const name = nameOf(path)
    if (this.committed && !this.committed.has(path)) this.committed.set(path, new SimCommits())
    const committed = this.committed?.get(path)
    const remember = <T>(change: Parameters<SimCommits['add']>[0], result: T): T => {
      committed?.add(change)
      if (depth === 0) committed?.end()
      return result
    }
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
    const close = () => {
      // The last connection writes the log into the file.
      if (isOpen && process.alive) committed?.sync()
      isOpen = false
    }
    return {
      driver: db.driver,
      exec(sql) {
        const synchronous = /^PRAGMA synchronous = (\w+)$/.exec(sql)?.[1]
        if (synchronous === undefined) return use('write', () => remember({ sql }, db.exec(sql)))
        check()
        if (committed) committed.isFull = synchronous === 'FULL'
      },
      prepare<R>(sql: string): Statement<R> {
        check()
        let statement = known.get(sql) as Statement<R> | undefined
        if (!statement) known.set(sql, (statement = db.prepare<R>(sql)))
        const of = statement
        const isRead = /^\s*(SELECT|PRAGMA)/i.test(sql)
        const kind = isRead ? 'read' : 'write'
        const call = <T>(parameters: Value[], returns: boolean, work: () => T): T =>
          use(kind, () => (isRead ? work() : remember({ sql, parameters, returns }, work())))
        return {
          run: (...parameters: Value[]) => call(parameters, false, () => of.run(...parameters)),
          get: (...parameters: Value[]) => call(parameters, true, () => of.get(...parameters)),
          all: (...parameters: Value[]) => call(parameters, true, () => of.all(...parameters)),
        }
      },
      transaction(fn) {
        if (depth > 0) return db.transaction(fn)
        const used = meet('write')
        depth++
        try {
          const result = db.transaction(fn)
          committed?.end()
          return result
        } finally {
          committed?.end(false)
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

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '')
