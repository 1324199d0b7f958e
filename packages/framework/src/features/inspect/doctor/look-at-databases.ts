import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError, openDatabase } from '@botwright/sqlite'
import { reasons } from '../../stored-state/sqlite-store.ts'
import { fault, type Finding } from './finding.ts'

/** The writes of a running bot end sooner. */
const BUSY_MS = 1000

/** The files that every event writes to. A running bot locks them only for moments. */
export const lookAtDatabases = (folder: string): Finding[] =>
  ['state.db', 'journal.db'].flatMap((name) => (existsSync(join(folder, name)) ? lookAtOne(folder, name) : []))

function lookAtOne(folder: string, name: string): Finding[] {
  try {
    using db = openDatabase(join(folder, name), { busyTimeoutMs: BUSY_MS })
    db.transaction(() => {})
    return []
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    // Without a driver, each file would repeat what `lookAtDatabase` reports.
    if (error.code === 'driver') return []
    const [cause, fix] = reasons[error.code]?.split(': ') ?? []
    return [
      fault(
        'disk',
        `${name}: ${cause ?? error.message}`,
        fix ?? 'see the section of the error code, and keep a copy of the file',
        'ERR_STATE',
      ),
    ]
  }
}
