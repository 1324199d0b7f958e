import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { History } from './history.ts'
import { timelineOf } from './timeline.ts'

/** A file of version 1 or 3, which had one row per event and one per call. */
function oldFile(version: 1 | 3): string {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-history-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'history.db')
  using db = openDatabase(file)
  db.exec(`PRAGMA application_id = ${0x426f7468}; PRAGMA user_version = ${version};
    CREATE TABLE session (id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, bot_id TEXT NOT NULL, username TEXT NOT NULL,
      started_ms INTEGER NOT NULL);
    CREATE TABLE event (seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id INTEGER NOT NULL,
      type TEXT NOT NULL, created_at TEXT NOT NULL, at_ms INTEGER NOT NULL, data TEXT, file TEXT, ms REAL, result TEXT, error TEXT);
    CREATE TABLE call (event INTEGER NOT NULL REFERENCES event (seq) ON DELETE CASCADE, n INTEGER NOT NULL, name TEXT NOT NULL,
      input TEXT, ms REAL NOT NULL, code TEXT, error TEXT, created TEXT, answer TEXT, PRIMARY KEY (event, n)) WITHOUT ROWID;
    INSERT INTO session VALUES (1, 'http://127.0.0.1:1/v1', 'b', 'helper', 900);
    INSERT INTO event VALUES (4, 1, 104, 'message', '1970-01-01T00:00:01Z', 1000, '{"content":"/ping"}', 'commands/ping.ts', 2.5, 'ok', NULL);
    INSERT INTO event VALUES (5, 1, 105, 'message', '1970-01-01T00:00:02Z', 2000, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO call VALUES (4, 1, 'messages.create', '{"content":"pong"}', 1.5, NULL, NULL, 'm1', NULL);`)
  if (version === 3)
    db.exec(`ALTER TABLE event ADD COLUMN at TEXT; ALTER TABLE event ADD COLUMN steps TEXT; ALTER TABLE event ADD COLUMN failure TEXT;
      ALTER TABLE call ADD COLUMN at_ms REAL; ALTER TABLE call ADD COLUMN attempts INTEGER; ALTER TABLE call ADD COLUMN status INTEGER;
      UPDATE event SET steps = '[{"kind":"received","t":1000.25},{"kind":"matched","file":"commands/ping.ts","t":1000.5}]' WHERE seq = 4;
      UPDATE call SET at_ms = 1001.25, attempts = 2;`)
  return file
}

test.each([1, 3] as const)('reads a file of version %i, of an older release', (version) => {
  using history = new History(oldFile(version))
  const [ping, open] = history.events()
  expect(ping).toEqual({
    ...{ seq: 4, baseUrl: 'http://127.0.0.1:1/v1', botId: 'b', username: 'helper', id: 104, type: 'message' },
    ...{ created_at: '1970-01-01T00:00:01Z', data: { content: '/ping' }, atMs: 1000, result: 'ok', ms: 2.5 },
    file: 'commands/ping.ts',
    calls: [
      {
        ...{ name: 'messages.create', input: { content: 'pong' }, ms: 1.5, created: 'm1' },
        ...(version === 3 && { atMs: 1001.25, attempts: 2 }),
      },
    ],
    ...(version === 3 && {
      steps: [
        { kind: 'received', t: 1000.25 },
        { kind: 'matched', file: 'commands/ping.ts', t: 1000.5 },
      ],
    }),
  })
  expect(open).toMatchObject({ seq: 5, result: 'unfinished', data: undefined, calls: [] })
  expect(timelineOf(ping!).brief).toBe(version === 1 ? true : undefined)
  expect(history.lastSeq).toBe(5)
  expect(history.firstMs).toBe(1000)
})

test('does not suggest removing a history that another program has locked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-history-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'history.db')
  using locked = openDatabase(file)
  locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  expect(() => new History(file)).toThrow(`${file}: cannot be read: another program has locked it; close that program`)
})

test('an event that cannot be read is noted once, and hides no other event', () => {
  const file = oldFile(3)
  new History(file).close()
  {
    using db = openDatabase(file)
    db.exec(`UPDATE part SET lines = lines || char(10) || '{"seq":6,"at":30' || char(10) || 'null' || char(10) ||
      '{"seq":7,"at":4000,"event":{"id":107,"type":"message","created_at":"1970-01-01T00:00:04Z"}}', last_seq = 7, last_id = 107, last_ms = 4000 WHERE id = 2`)
  }
  const notes: string[] = []
  using history = new History(file, (text) => notes.push(text))
  for (let i = 0; i < 2; i++) expect(history.events().map(({ id }) => id)).toContain(107)
  expect(notes).toHaveLength(2)
  expect(notes[0]).toMatch(/: line \d of part 2 cannot be read, and is left out: /)
})
