import { DatabaseError } from './database-error.ts'
import type { Database } from './open-database.ts'

/**
 * Brings a database to the newest version: `migrations[n]` is the SQL that leads from version n to n + 1 (PRAGMA user_version).
 * All that are missing run in one transaction: the database has the newest version afterwards, or the one that it had.
 * Add to the list's end; never change an entry that was released.
 * @throws DatabaseError `newer_version` when a later release has written the file; it is left untouched.
 */
export function migrate(db: Database, migrations: readonly string[]): void {
  const newest = migrations.length
  if (versionOf(db, newest) === newest) return
  db.transaction(() => {
    // Another process may have migrated while this one waited for the lock.
    const found = versionOf(db, newest)
    if (found < newest) db.exec([...migrations.slice(found), `PRAGMA user_version = ${newest}`].join(';\n'))
  })
}

function versionOf(db: Database, newest: number): number {
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  if (found <= newest) return found
  throw new DatabaseError(
    'newer_version',
    `the database has version ${found}, but this release knows only versions up to ${newest}: use the release that wrote it, or another file`,
  )
}
