import { type Database, DatabaseError, type Statement, type Value } from '@botwright/sqlite'
import type { SimCommits } from './sim-commits.ts'
import type { SimProcess } from './sim-host.ts'

/** The next use of the disk, as the present incidents want it. `kill`: the process ends before or after it. */
export type DiskFate = 'ok' | 'fails' | 'full' | 'readonly' | 'kill_before' | 'kill_after' | { slowMs: number }

/** Decides about one use of the disk. */
export type DiskRule = (use: 'read' | 'write', file: string) => DiskFate

type Use = Parameters<DiskRule>[0]
type Change = Parameters<SimCommits['add']>[0]

interface Opened {
  /** The name of the file. */
  name: string
  db: Database
  /** The prepared statements of all connections. */
  statements: Map<string, Statement<unknown>>
  process: SimProcess
  /** If the power will fail. */
  commits: SimCommits | undefined
  ruleOf: () => DiskRule
}

/** A database as one process sees it: with the faults of the disk, and only while the process lives. */
export class SimConnection implements Database {
  readonly #opened: Opened
  /** How many transactions are open. */
  #depth = 0
  #isOpen = true

  constructor(opened: Opened) {
    this.#opened = opened
  }

  get driver(): Database['driver'] {
    return this.#opened.db.driver
  }

  exec(sql: string): void {
    const { commits, db } = this.#opened
    const synchronous = /^PRAGMA synchronous = (\w+)$/.exec(sql)?.[1]
    if (synchronous === undefined) return this.#use('write', () => this.#remember({ sql }, db.exec(sql)))
    this.#check()
    if (commits) commits.isFull = synchronous === 'FULL'
  }

  prepare<R>(sql: string): Statement<R> {
    this.#check()
    const { commits, db, statements } = this.#opened
    const statement = (statements.get(sql) as Statement<R> | undefined) ?? db.prepare<R>(sql)
    statements.set(sql, statement)
    const isSync = sql.startsWith('PRAGMA wal_checkpoint')
    const isRead = /^\s*(SELECT|PRAGMA)/i.test(sql)
    const call = <T>(parameters: Value[], returns: boolean, work: () => T): T => {
      if (isSync) return this.#use('write', () => (commits?.sync(), work()))
      if (isRead) return this.#use('read', work)
      return this.#use('write', () => this.#remember({ sql, parameters, returns }, work()))
    }
    return {
      run: (...parameters) => call(parameters, false, () => statement.run(...parameters)),
      get: (...parameters) => call(parameters, true, () => statement.get(...parameters)),
      all: (...parameters) => call(parameters, true, () => statement.all(...parameters)),
    }
  }

  transaction<T>(work: () => T): T {
    const { commits, db } = this.#opened
    if (this.#depth > 0) return db.transaction(work)
    const used = this.#meet('write')
    this.#depth++
    try {
      const result = db.transaction(work)
      commits?.end()
      return result
    } finally {
      commits?.end(false)
      this.#depth--
      used()
    }
  }

  close(): void {
    // The last connection writes the log into the file.
    if (this.#isOpen && this.#opened.process.alive) this.#opened.commits?.sync()
    this.#isOpen = false
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #check(): void {
    const { name, process } = this.#opened
    if (!this.#isOpen || !process.alive) throw new DatabaseError('closed', `${name}: the database is closed`)
  }

  #remember<T>(change: Change, result: T): T {
    const { commits } = this.#opened
    commits?.add(change)
    if (this.#depth === 0) commits?.end()
    return result
  }

  #use<T>(use: Use, work: () => T): T {
    if (this.#depth > 0) {
      this.#check()
      return work()
    }
    const used = this.#meet(use)
    const result = work()
    used()
    return result
  }

  /** Meets the fate of one use. The result is called after it. */
  #meet(use: Use): () => void {
    this.#check()
    const { name, process, ruleOf } = this.#opened
    const fate = ruleOf()(use, name)
    if (fate === 'ok') return () => {}
    if (fate === 'fails') throw new DatabaseError('io', 'disk I/O error')
    if (fate === 'full') throw new DatabaseError('full', 'database or disk is full')
    if (fate === 'readonly') throw new DatabaseError('readonly', 'attempt to write a readonly database')
    if (typeof fate === 'object') {
      process.host.world.timeline.nowMs += fate.slowMs
      return () => {}
    }
    if (fate === 'kill_before') process.kill()
    this.#check()
    return () => {
      process.kill()
      this.#check()
    }
  }
}
