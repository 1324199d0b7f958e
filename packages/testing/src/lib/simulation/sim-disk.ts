import { type Database, openDatabase, type Statement } from '@botwright/sqlite'
import type { SeededRandom } from '@botwright/clock/simulated'
import { SimCommits } from './sim-commits.ts'
import { type DiskRule, SimConnection } from './sim-connection.ts'
import type { SimProcess } from './sim-host.ts'

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
    const db = this.files.get(path) ?? openDatabase(':memory:')
    this.files.set(path, db)
    const statements = this.#tables.get(db) ?? new Map<string, Statement<unknown>>()
    this.#tables.set(db, statements)
    if (this.committed && !this.committed.has(path)) this.committed.set(path, new SimCommits())
    const commits = this.committed?.get(path)
    return new SimConnection({ name: nameOf(path), db, statements, process, commits, ruleOf: () => this.rule })
  }

  close(): void {
    for (const db of this.files.values()) db.close()
  }
}

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '')
