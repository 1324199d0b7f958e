import type { Database } from '@botwright/sqlite'

/** What refers to others comes before them. */
const tables = [
  'uploads submissions reports answers interactions events reactions messages voice violations channel_webhooks channel_users channel_roles',
  'channels categories bans member_roles members roles servers sessions bots users meta',
]
  .join(' ')
  .split(' ')

const statements = [
  ...tables.map((table) => `DELETE FROM ${table}`),
  // As the schema begins it (decisions row 35).
  "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'events'",
].join(';')

/** Leaves nothing but the tables, as they were made. */
export const emptyTables = (db: Pick<Database, 'exec' | 'transaction'>): void =>
  db.transaction(() => db.exec(statements))
