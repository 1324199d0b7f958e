import type { Sql } from './sql.ts'

/** Referencing tables come before the tables they refer to. */
const tables = [
  'uploads submissions reports answers interactions targets events reactions messages voice violations channel_webhooks channel_users channel_roles',
  'channels categories bans timeouts member_roles members roles servers sessions bots users meta',
]
  .join(' ')
  .split(' ')

/** Deletes all rows, which restores the state right after the migrations. */
export function emptyTables(sql: Pick<Sql, 'run' | 'transaction'>): void {
  sql.transaction(() => {
    for (const table of tables) sql.run(`DELETE FROM ${table}`)
    restartIds(sql)
  })
}

/** Deletes all events, and lets their ids start again. */
export function emptyEvents(sql: Pick<Sql, 'run' | 'transaction'>): void {
  sql.transaction(() => {
    for (const table of ['targets', 'events']) sql.run(`DELETE FROM ${table}`)
    restartIds(sql)
  })
}

/** The initial value in the schema (decisions row 35). */
const restartIds = (sql: Pick<Sql, 'run'>) => sql.run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'events'")
