import { DatabaseError } from './database-error.ts'
import type { Database } from './open-database.ts'

/**
 * Migrates a database to the newest version: `migrations[n]` is the SQL from version n to n + 1 (PRAGMA user_version).
 * All pending migrations run in one transaction: afterwards the database has either the newest version or its previous one.
 * Append to the list; never change a released entry.
 * @throws DatabaseError `newer_version` if a later release wrote the file, which is left untouched.
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
    `the database has version ${found}, but this release supports versions up to ${newest} only: use the release that wrote it, or another file`,
  )
}
