import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { availableDrivers } from './drivers.ts'
import { CommitSync } from './commit-sync.ts'
import { openDatabase } from './open-database.ts'

const FULL = 2
const NORMAL = 1

test.each(availableDrivers())('%s: commits wait for the disk once a second, and if they must', (driver) => {
  using db = openDatabase(':memory:', { driver })
  db.exec('PRAGMA synchronous = NORMAL')
  const sync = new CommitSync(db, 5000)
  const next = (...args: Parameters<CommitSync['next']>) => {
    sync.next(...args)
    return Number(db.prepare('PRAGMA synchronous').get()!['synchronous'])
  }
  expect(next(5000)).toBe(NORMAL)
  expect(next(5999)).toBe(NORMAL)
  expect(next(6000)).toBe(FULL)
  expect(next(6001)).toBe(NORMAL)
  expect(next(6002, true)).toBe(FULL)
  expect(next(7001)).toBe(NORMAL)
  expect(next(7002)).toBe(FULL)
})

test.each(availableDrivers())('%s: a database whose log is torn has all commits before that', (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-torn-'))
  const file = join(folder, 'x.db')
  using db = openDatabase(file, { driver })
  db.exec('CREATE TABLE row (n INTEGER)')
  const bytes = [0, 1, 2, 3].map((n) => {
    db.prepare('INSERT INTO row VALUES (?)').run(n)
    return statSync(`${file}-wal`).size
  })
  const rowsAfter = (size: number) => {
    const torn = join(folder, `torn at ${size}.db`)
    copyFileSync(file, torn)
    copyFileSync(`${file}-wal`, `${torn}-wal`)
    truncateSync(`${torn}-wal`, size)
    using found = openDatabase(torn, { driver })
    return found.prepare('SELECT n FROM row').all().length
  }
  for (const [n, size] of bytes.entries()) {
    expect(rowsAfter(size - 1)).toBe(n)
    expect(rowsAfter(size)).toBe(n + 1)
    expect(rowsAfter(size + 100)).toBe(n + 1)
  }
  db.close()
  rmSync(folder, { recursive: true, force: true })
})
