import { DatabaseError } from './database-error.ts'
import type { Database } from './open-database.ts'

/**
 * Brings a database to the newest version: `migrations[n]` is the SQL that leads from version n to n + 1 (PRAGMA user_version).
 * Each runs in its own transaction. Add to the list's end; never change an entry that was released.
 * @throws DatabaseError `newer_version` when a later release has written the file; it is left untouched.
 */
export function migrate(db: Database, migrations: readonly string[]): void {
  const version = () => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  const refuseNewer = (found: number): void => {
    if (found <= migrations.length) return
    throw new DatabaseError(
      'newer_version',
      `the database has version ${found}, but this release knows only versions up to ${migrations.length}: use the release that wrote it, or another file`,
    )
  }
  const found = version()
  refuseNewer(found)
  if (found === migrations.length) return
  for (const [from, sql] of migrations.entries()) {
    if (found > from) continue
    db.transaction(() => {
      // Another process may have migrated while this one waited for the lock.
      if (version() > from) return
      db.exec(sql)
      db.exec(`PRAGMA user_version = ${from + 1}`)
    })
  }
  refuseNewer(version())
}
