import { type Database, DatabaseError, openDatabase, type Statement, type Value } from '@botwright/sqlite'
import type { SeededRandom } from '@botwright/clock/simulated'
import type { SimProcess } from './sim-host.ts'

/** The next use of the disk, as the present incidents want it. `kill`: the process ends before or after it. */
export type DiskFate = 'ok' | 'fails' | 'full' | 'readonly' | 'kill_before' | 'kill_after' | { slowMs: number }

/** Decides about one use of the disk. */
export type DiskRule = (use: 'read' | 'write', file: string) => DiskFate

/** One commit: its statements. */
type Commit = { sql: string; parameters?: Value[]; returns?: boolean }[]

/** A power failure loses some newest commits of each database, or all unsynced ones of one of them. */
export type PowerLoss = 'some' | 'journal.db' | 'state.db'

/** SQLite syncs its log when it has 1000 pages: about so many commits. */
const MOST_LOST = 250

/** The commits of a database so far. The first `synced` commits survive a power failure. */
interface Committed {
  commits: Commit[]
  synced: number
  /** As `PRAGMA synchronous` of SQLite: each commit waits until it, and all before it, are on the disk. */
  isFull: boolean
}

/** The databases of the bot's computer, real ones in memory. They outlive its processes. */
export class SimDisk {
  readonly files = new Map<string, Database>()
  rule: DiskRule = () => 'ok'
  /** The commits of each database, if the power will fail. */
  readonly committed: Map<string, Committed> | undefined
  #tables = new Map<Database, Map<string, Statement<unknown>>>()

  constructor({ remembers = false } = {}) {
    this.committed = remembers ? new Map<string, Committed>() : undefined
  }

  /**
   * The power fails: each database loses some of its newest commits, or all that it can lose, but none that was synced. SQLite's log has
   * a checksum over all that comes before, so that a torn page is the end of the log.
   */
  losePower(loses: PowerLoss, random: SeededRandom): string {
    const lost: string[] = []
    for (const [path, known] of this.committed ?? []) {
      const { commits } = known
      const most = Math.min(commits.length - known.synced, MOST_LOST)
      const some = random.chance(0.3) ? 0 : random.int(most + 1)
      const count = loses === 'some' ? some : loses === nameOf(path) ? most : 0
      commits.splice(commits.length - count)
      Object.assign(known, { synced: commits.length, isFull: false })
      this.#restore(path, commits)
      lost.push(`${nameOf(path)} has lost ${count} of ${count + commits.length} commits`)
    }
    return lost.join(', ')
  }

  #restore(path: string, commits: readonly Commit[]): void {
    this.files.get(path)!.close()
    const db = openDatabase(':memory:')
    for (const commit of commits)
      db.transaction(() => {
        for (const { sql, parameters, returns } of commit)
          if (!parameters) db.exec(sql)
          else if (returns) db.prepare(sql).all(...parameters)
          else db.prepare(sql).run(...parameters)
      })
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
    if (this.committed && !this.committed.has(path)) this.committed.set(path, { commits: [], synced: 0, isFull: false })
    const committed = this.committed?.get(path)
    /** The statements of the present transaction. */
    let commit: Commit = []
    const end = () => {
      if (commit.length === 0) return
      committed?.commits.push(commit)
      commit = []
      if (committed?.isFull) committed.synced = committed.commits.length
    }
    const remember = <T>(statement: Commit[number], result: T): T => {
      commit.push(statement)
      if (depth === 0) end()
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
      if (isOpen && process.alive && committed) committed.synced = committed.commits.length
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
          end()
          return result
        } finally {
          commit = []
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
