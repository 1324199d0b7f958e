import type { Database } from '@botwright/sqlite'
import type { Sql } from './sql.ts'

/** What refers to others comes before them. */
const tables = [
  'uploads submissions reports answers interactions events reactions messages voice violations channel_webhooks channel_users channel_roles',
  'channels categories bans member_roles members roles servers sessions bots users meta',
]
  .join(' ')
  .split(' ')

/** Leaves nothing but the tables, as they were made. */
export function emptyTables(db: Pick<Database, 'transaction'>, sql: Pick<Sql, 'run'>): void {
  db.transaction(() => {
    for (const table of tables) sql.run(`DELETE FROM ${table}`)
    // As the schema begins it (decisions row 35).
    sql.run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'events'")
  })
}
