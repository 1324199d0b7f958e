import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableDrivers, type Database, DatabaseError, migrate, openDatabase } from '../index.ts'

const drivers = availableDrivers()
const missing = (['node', 'libsql'] as const).filter((name) => !drivers.includes(name))
console.log(
  `SQLite conformance on Node ${process.versions.node}: run on ${drivers.join(' and ')}` +
    (missing.length ? `; NOT run on ${missing.join(', ')}, which this Node lacks` : ''),
)

const folder = mkdtempSync(join(tmpdir(), 'botwright-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => join(folder, `file ${files++} #%?.db`)

const codeOf = (fn: () => unknown): string => {
  try {
    fn()
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseError)
    return (error as DatabaseError).code
  }
  return 'nothing thrown'
}

describe.each(drivers)('driver %s', (driver) => {
  let db: Database
  beforeAll(() => {
    db = openDatabase(':memory:', { driver })
    db.exec('CREATE TABLE a (id INTEGER PRIMARY KEY, v, w); CREATE TABLE b (a_id INTEGER REFERENCES a (id))')
  })
  afterAll(() => db.close())

  it.skipIf(process.platform === 'win32')('changes the mode of databases only', () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777
    const [own, text, directory] = [newFile(), newFile(), newFile()]
    openDatabase(own, { driver }).close()
    expect(modeOf(own)).toBe(0o600)
    chmodSync(own, 0o644)
    openDatabase(own, { driver }).close()
    expect(modeOf(own)).toBe(0o600)

    writeFileSync(text, 'a text of the author, which is no database at all\n'.repeat(20))
    mkdirSync(directory)
    for (const [path, mode] of [
      [text, 0o644],
      [directory, 0o755],
    ] as const) {
      chmodSync(path, mode)
      expect(() => openDatabase(path, { driver })).toThrow(DatabaseError)
      expect(modeOf(path)).toBe(mode)
    }
    expect(() => openDatabase(directory, { driver })).toThrow(`${directory}: is a folder, not a file`)
  })

  it('exposes the name of its driver', () => expect(db.driver).toBe(driver))

  it('keeps every kind of value', () => {
    const insert = db.prepare('INSERT INTO a (v, w) VALUES (?, ?)')
    const select = db.prepare('SELECT v, w FROM a WHERE id = ?')
    const pairs = [
      ['text', 'é😀\n'],
      [1.5, -(2 ** 53) + 1],
      [null, 0],
      [new Uint8Array([0, 255, 7]), new Uint8Array()],
    ] as const
    for (const [v, w] of pairs) {
      const { changes, lastInsertRowid } = insert.run(v, w)
      expect(changes).toBe(1)
      const row = select.get(lastInsertRowid)
      expect([row?.['v'], row?.['w']].map(plain)).toEqual([v, w].map(plain))
      expect(select.all(lastInsertRowid)).toHaveLength(1)
    }
    expect(select.get(insert.run(7n, 8n).lastInsertRowid)).toEqual({ v: 7, w: 8 })
  })

  it('returns undefined and [] when no row matches, even if the only parameter is null', () => {
    expect(db.prepare('SELECT * FROM a WHERE id = ?').get(-1)).toBeUndefined()
    expect(db.prepare('SELECT * FROM a WHERE id = ?').all(null)).toEqual([])
  })

  it('treats a missing parameter as null, not as its previous value', () => {
    const insert = db.prepare<{ v: number; w: number | null }>('INSERT INTO a (v, w) VALUES (?, ?) RETURNING v, w')
    expect(insert.get(1, 2)).toEqual({ v: 1, w: 2 })
    expect(insert.get(3)).toEqual({ v: 3, w: null })
  })

  it.each([[true], [undefined], [{}], [[1]], [() => 1]])('rejects the parameter %s', (value) => {
    expect(() => db.prepare('SELECT ? AS x').get(value as never)).toThrow(/parameter 1 is .*SQLite takes/)
  })

  it('reports changes and the new row of a RETURNING statement, and finishes it', () => {
    const outcome = db.transaction(() => db.prepare("INSERT INTO a (v) VALUES ('r') RETURNING id, v").run())
    expect(outcome.changes).toBe(1)
    expect(db.prepare('SELECT v FROM a WHERE id = ?').get(outcome.lastInsertRowid)).toEqual({ v: 'r' })
    expect(db.transaction(() => db.prepare("INSERT INTO a (v) VALUES ('s') RETURNING v").get())).toEqual({ v: 's' })
  })

  it('rolls back when the function throws, and keeps the outer part of a nested transaction', () => {
    db.exec('CREATE TABLE t (x)')
    const insert = db.prepare('INSERT INTO t VALUES (?)')
    const fail = (x: number) => () => {
      insert.run(x)
      throw new RangeError('stop')
    }
    expect(() => db.transaction(fail(1))).toThrow(RangeError)
    expect(
      db.transaction(() => {
        insert.run(2)
        expect(() => db.transaction(fail(3))).toThrow(RangeError)
        db.transaction(() => insert.run(4))
        return 'done'
      }),
    ).toBe('done')
    expect(db.prepare('SELECT x FROM t').all()).toEqual([{ x: 2 }, { x: 4 }])
    expect(() => db.transaction(async () => insert.run(5))).toThrow(/synchronous/)
  })

  it('fails the outermost transaction if a savepoint loses it, and commits nothing of it', () => {
    db.exec('CREATE TABLE u (x UNIQUE)')
    const insert = db.prepare('INSERT INTO u VALUES (?)')
    const lose = () => db.prepare('INSERT OR ROLLBACK INTO u VALUES (1)').run()
    const outer = () =>
      db.transaction(() => {
        db.transaction(() => insert.run(1))
        expect(codeOf(() => db.transaction(lose))).toBe('constraint')
        expect(codeOf(() => db.transaction(() => insert.run(2)))).toBe('constraint')
        expect(codeOf(() => insert.run(3))).toBe('constraint')
      })
    expect(codeOf(outer)).toBe('constraint')
    db.transaction(() => insert.run(4))
    expect(db.prepare('SELECT x FROM u').all()).toEqual([{ x: 4 }])
  })

  it('reports every failure with its code', () => {
    expect(codeOf(() => db.prepare('SELEC'))).toBe('error')
    expect(codeOf(() => db.exec('INSERT INTO missing VALUES (1)'))).toBe('error')
    expect(codeOf(() => db.prepare('INSERT INTO a (id) VALUES (1)').run())).toBe('constraint')
    expect(codeOf(() => db.prepare('INSERT INTO b VALUES (-5)').run())).toBe('constraint')
    expect(codeOf(() => openDatabase(join(folder, 'no', 'such', 'folder.db'), { driver }))).toBe('open')
    const broken = newFile()
    writeFileSync(broken, 'no database '.repeat(500))
    expect(codeOf(() => openDatabase(broken, { driver }))).toBe('corrupt')
  })

  it('waits for a lock only until the busy timeout', () => {
    const file = newFile()
    using one = openDatabase(file, { driver })
    using two = openDatabase(file, { driver, busyTimeoutMs: 20 })
    one.exec('CREATE TABLE t (x)')
    one.transaction(() => expect(codeOf(() => two.transaction(() => 1))).toBe('busy'))
    expect(two.transaction(() => 1)).toBe(1)
  })

  it('uses WAL for files and reads the writes of another connection, even after an early get', () => {
    const file = newFile()
    using one = openDatabase(file, { driver })
    using two = openDatabase(file, { driver })
    expect(one.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(one.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    one.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)')
    expect(two.prepare('SELECT x FROM t').get()).toEqual({ x: 1 })
    one.exec('INSERT INTO t VALUES (4)')
    expect(two.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 4 })
  })

  it('reads but does not write or create files when opened read-only', () => {
    const file = newFile()
    openDatabase(file, { driver }).close()
    using reader = openDatabase(file, { driver, readOnly: true })
    expect(codeOf(() => reader.exec('CREATE TABLE t (x)'))).toBe('readonly')
    const none = newFile()
    expect(codeOf(() => openDatabase(none, { driver, readOnly: true }))).toBe('open')
    expect(existsSync(none)).toBe(false)
  })

  it('rejects every call after close, including those of prepared statements', () => {
    const file = newFile()
    const closed = openDatabase(file, { driver })
    closed.exec('CREATE TABLE t (x)')
    const insert = closed.prepare('INSERT INTO t VALUES (1)')
    closed.close()
    closed.close()
    expect(codeOf(() => insert.run())).toBe('closed')
    expect(codeOf(() => closed.exec('SELECT 1'))).toBe('closed')
    expect(codeOf(() => closed.prepare('SELECT 1'))).toBe('closed')
    using again = openDatabase(file, { driver })
    expect(again.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 })
  })

  it('leaves a complete file after close, readable without its write-ahead log', () => {
    const file = newFile()
    const closed = openDatabase(file, { driver })
    closed.exec('CREATE TABLE t (x)')
    closed.prepare('INSERT INTO t VALUES (1)').run()
    closed.close()
    const copy = newFile()
    copyFileSync(file, copy)
    using again = openDatabase(copy, { driver })
    expect(again.prepare('SELECT x FROM t').all()).toEqual([{ x: 1 }])
  })

  it('runs each migration once, and rejects a file of a newer version', () => {
    const file = newFile()
    const steps = ['CREATE TABLE m (x)', 'INSERT INTO m VALUES (1)']
    using one = openDatabase(file, { driver })
    migrate(one, steps.slice(0, 1))
    migrate(one, steps)
    migrate(one, steps)
    expect(one.prepare('SELECT x FROM m').all()).toEqual([{ x: 1 }])
    expect(codeOf(() => migrate(one, [...steps, 'INSERT INTO m VALUES (2); SELEC']))).toBe('error')
    expect(one.prepare('SELECT x FROM m').all()).toEqual([{ x: 1 }])
    expect(codeOf(() => migrate(one, steps.slice(0, 1)))).toBe('newer_version')
  })
})

it('rejects a driver that this version of Node lacks', () => {
  for (const driver of missing) expect(codeOf(() => openDatabase(':memory:', { driver }))).toBe('open')
  expect(drivers).toContain('libsql')
})

const plain = (value: unknown) => (value instanceof Uint8Array ? [...value] : value)
