import { expect, test } from 'vitest'
import { toDatabaseError } from './database-error.ts'

// Deno's node:sqlite has no `errcode`.
test.each([
  ['database is locked', 'busy'],
  ['database table is locked: scores', 'busy'],
  ['locking protocol', 'busy'],
  ['out of memory', 'memory'],
  ['attempt to write a readonly database', 'readonly'],
  ['disk I/O error', 'io'],
  ['database disk image is malformed', 'corrupt'],
  ['database or disk is full', 'full'],
  ['unable to open database file: /bot/a.db', 'open'],
  ['UNIQUE constraint failed: scores.user', 'constraint'],
  ['file is not a database', 'corrupt'],
  ['no such table: scores', 'error'],
])('without a result code, the text of SQLite is the kind of failure: %s', (message, code) => {
  expect(toDatabaseError(Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }))).toMatchObject({
    code,
    message,
  })
})

// "error" would mean a missing table, for which a journal is moved aside.
test('a lock that SQLite did not get after many attempts means a busy database, and not a broken one', () => {
  const message = 'locking protocol'
  for (const named of [{ errcode: 15 }, { rawCode: 15 }])
    expect(toDatabaseError(Object.assign(new Error(message), named)).code).toBe('busy')
})
