import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, migrate, openDatabase } from '@botwright/sqlite'
import { expect, it } from 'vitest'
import { migrations } from './schema.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** The values of the parts of statements that are put together. */
const parts: Readonly<Record<string, readonly string[]>> = {
  '${MEMBER}': [/const MEMBER =\s*[`'"]([^`'"]*)/.exec(readFileSync(join(folder, 'store/servers.ts'), 'utf8'))![1]!],
  '${place}_url': ['avatar_url', 'banner_url'],
  '${place} JOIN bots b ON b.user_id = p.user_id WHERE ${key}': [
    'channel_users p JOIN bots b ON b.user_id = p.user_id WHERE p.channel_id',
    'members p JOIN bots b ON b.user_id = p.user_id WHERE p.server_id',
  ],
  '${order}': ['ASC', 'DESC'],
  '${from}': [
    'bots b JOIN users u ON u.id = b.user_id WHERE b.token_hash = ?',
    'interactions i JOIN users u ON u.id = i.bot_id WHERE i.id = ?',
  ],
  '${table}': ['roles', 'channels', 'categories'],
  '${column}': ['name'],
}

/** Whole tables are read on purpose here. */
const whole = [
  // Every row is wanted: lists of the people's side and of its staff, the start, and a reset, which empties all tables.
  'SELECT user_id, commands FROM bots',
  'SELECT * FROM users WHERE bot = 0 AND banned = 0 ORDER BY created_at, rowid LIMIT ?',
  'SELECT * FROM servers ORDER BY created_at, rowid',
  'SELECT * FROM submissions WHERE ?1 IS NULL OR state = ?1 ORDER BY seq',
  'SELECT * FROM reports WHERE ?1 IS NULL OR state = ?1 ORDER BY seq',
  'SELECT user_id FROM voice',
  'SELECT id, username AS name, bot FROM users WHERE webhook_id IS NULL ORDER BY rowid',
  'SELECT id, name FROM servers ORDER BY rowid',
  'SELECT u.username, b.webhook_url AS url FROM bots b JOIN users u ON u.id = b.user_id WHERE b.webhook_url IS NOT NULL',
  "SELECT u.*, (SELECT s.description FROM submissions s WHERE s.bot_id = u.id AND s.state = 'approved' ORDER BY s.seq DESC LIMIT 1) AS description FROM bots b JOIN users u ON u.id = b.user_id WHERE b.review_state = 'approved' AND u.banned = 0 ORDER BY u.username",
  'DELETE FROM targets WHERE bot_id IN (SELECT user_id FROM bots) AND id <= ?',
  // A bound limits these tables.
  'SELECT count(*) AS count FROM users WHERE bot = 0',
  "SELECT * FROM users WHERE username GLOB '*[^ -~]*' AND webhook_id IS NULL",
  'SELECT count(*) AS count FROM uploads',
  // The table has one row for each table with numbers.
  "SELECT seq FROM sqlite_sequence WHERE name = 'events'",
  "UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'",
  // Deletes a bot with its messages and reactions, which is rare; an index would cost every message.
  'DELETE FROM users WHERE id = ?',
]

interface Call {
  file: string
  text: string
}

/** The first argument of each call of `sql.get`, `sql.all` and `sql.run`: a text, or a name. */
function statements(): Call[] {
  const calls: Call[] = []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test|\.fixture)\.ts$/.test(file),
  )
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8')
    for (const { index } of source.matchAll(/\bsql\s*\.\s*(?:get|all|run)\b/g)) {
      const call = /^sql\s*\.\s*\w+(?:<(?:[^()]|\([^)]*\))*?>)?\(\s*(`[^`]*`|'[^']*'|"[^"]*"|[\w.]+)/.exec(
        source.slice(index, index + 2000),
      )
      if (!call)
        throw new Error(`${file}: the statement of a call could not be read: ${source.slice(index, index + 80)}`)
      calls.push({ file, text: call[1]!.replaceAll(/\s+/g, ' ') })
    }
  }
  // The queries of the bounds are in a table of their own.
  for (const [, text = ''] of readFileSync(join(folder, 'rules/bounds.ts'), 'utf8').matchAll(
    /\bcount: ('[^']*'|"[^"]*")/g,
  ))
    calls.push({ file: 'rules/bounds.ts', text })
  return calls
}

/** All statements that a text with parts stands for. */
function expanded(text: string): string[] {
  const part = Object.keys(parts).find((one) => text.includes(one))
  if (part === undefined) return [text]
  return parts[part]!.flatMap((value) => expanded(text.replaceAll(part, value)))
}

/** How SQLite runs a statement, one line for each table. */
function planOf(db: Database, statement: string): string[] {
  const nulls = Array.from({ length: (statement.match(/\?/g) ?? []).length }, () => null)
  return db
    .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
    .all(...nulls)
    .map(({ detail }) => detail)
}

it('no statement reads a whole table that grows', () => {
  using db = openDatabase(':memory:')
  migrate(db, migrations)
  const scans: string[] = []
  const found = statements()
  expect(found.length).toBeGreaterThan(150)
  for (const { file, text } of found) {
    // Empties all tables, replaces a deleted picture wherever it is used, or counts by the texts below.
    if (
      file === 'db/empty.ts' ||
      text.includes('replace(${column}') ||
      (file === 'rules/bounds.ts' && text === 'count')
    )
      continue
    expect(text, file).toMatch(/^[`'"]/)
    for (const statement of expanded(text.slice(1, -1).trim())) {
      expect(statement, file).not.toContain('${')
      const plan = planOf(db, statement)
      if (whole.includes(statement)) continue
      for (const detail of plan)
        if (detail.startsWith('SCAN ') && !detail.includes('CONSTANT')) scans.push(`${file}: ${detail}: ${statement}`)
    }
  }
  expect(scans).toEqual([])
})

it.each([
  ['members_of_role', 'FROM channel_roles c JOIN member_roles m ON'],
  ['interactions_of_bot', 'FROM interactions i JOIN users u ON u.id = i.user_id'],
  ['interactions_by_age', 'DELETE FROM interactions WHERE'],
  ['categories_of_server', 'SELECT * FROM categories WHERE server_id'],
  ['bots_of_owner', 'SELECT * FROM bots WHERE owner_id'],
  ['people_in_voice', 'FROM voice WHERE channel_id'],
])('the index %s serves its statement', (index, part) => {
  using db = openDatabase(':memory:')
  migrate(db, migrations)
  const found = statements().filter(({ text }) => text.includes(part))
  expect(found.length).toBe(1)
  expect(planOf(db, found[0]!.text.slice(1, -1).trim()).join()).toContain(`INDEX ${index} (`)
})
