import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { availableDrivers } from './drivers.ts'
import { CommitSync } from './commit-sync.ts'
import { DatabaseError } from './database-error.ts'
import { openDatabase } from './open-database.ts'

const FULL = 2
const NORMAL = 1

test.each(availableDrivers())('%s: commits wait for the disk once a second, and if they must', (driver) => {
  using db = openDatabase(':memory:', { driver })
  db.exec('PRAGMA synchronous = NORMAL')
  let now = 5000
  const sync = new CommitSync(db, { monotonic: () => now, after: () => ({ cancel() {} }) })
  const next = (nowMs: number, must?: boolean) => {
    now = nowMs
    sync.next(must)
    sync.changed()
    return Number(db.prepare('PRAGMA synchronous').get()!['synchronous'])
  }
  expect(next(5000)).toBe(NORMAL)
  expect(next(5899)).toBe(NORMAL)
  expect(next(5900)).toBe(FULL)
  expect(next(5901)).toBe(NORMAL)
  expect(next(5902, true)).toBe(FULL)
  expect(next(6801)).toBe(NORMAL)
  expect(next(6802)).toBe(FULL)
})

test.each(availableDrivers())('%s: the last commits before a pause are on the disk after a second', (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-idle-'))
  const file = join(folder, 'x.db')
  using db = openDatabase(file, { driver })
  db.exec('CREATE TABLE row (n INTEGER); PRAGMA wal_checkpoint(TRUNCATE)')
  const timers = new Set<{ ms: number; fire: () => void }>()
  let now = 0
  const sync = new CommitSync(db, {
    monotonic: () => now,
    after(ms, fire) {
      const timer = { ms, fire }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
  })
  const write = (nowMs: number, must?: boolean) => {
    now = nowMs
    sync.next(must)
    db.prepare('INSERT INTO row VALUES (?)').run(nowMs)
    sync.changed()
    return [...timers].map(({ ms }) => ms)
  }
  // SQLite syncs the log before it copies it into the file.
  const rowsInFile = () => {
    const copy = join(folder, `copy at ${now}.db`)
    copyFileSync(file, copy)
    using found = openDatabase(copy, { driver })
    return found.prepare('SELECT n FROM row').all().length
  }
  expect(write(300)).toEqual([700])
  expect(write(400)).toEqual([700])
  expect(write(500, true)).toEqual([])
  expect(write(600)).toEqual([900])
  expect(rowsInFile()).toBe(0)
  const [timer] = timers
  timers.clear()
  now = 1500
  timer!.fire()
  expect(rowsInFile()).toBe(4)
  expect(write(1600)).toEqual([900])
  sync.close()
  expect(timers.size).toBe(0)
  expect(write(1700)).toEqual([800])
  db.close()
  for (const { fire } of timers) fire()
  rmSync(folder, { recursive: true, force: true })
})

test.each(availableDrivers())('%s: a commit without a change leaves those before it to the timer', (driver) => {
  using db = openDatabase(':memory:', { driver })
  const timers = new Set<number>()
  const sync = new CommitSync(db, {
    monotonic: () => 0,
    after(ms) {
      timers.add(ms)
      return { cancel: () => void timers.delete(ms) }
    },
  })
  sync.next()
  sync.changed()
  sync.next(true)
  expect([...timers]).toEqual([1000])
  sync.changed()
  expect([...timers]).toEqual([])
})

test.each(availableDrivers())('%s: a sync that a reader prevents is repeated', (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-reader-'))
  const file = join(folder, 'x.db')
  using db = openDatabase(file, { driver })
  db.exec('CREATE TABLE row (n INTEGER); PRAGMA wal_checkpoint(TRUNCATE)')
  using reader = openDatabase(file, { driver })
  let fire: (() => void) | undefined
  const sync = new CommitSync(db, {
    monotonic: () => 0,
    after(_, work) {
      fire = work
      return { cancel: () => (fire = undefined) }
    },
  })
  const fireNow = () => {
    const work = fire!
    fire = undefined
    work()
    return fire !== undefined
  }
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM row').all()
  sync.next()
  db.exec('INSERT INTO row VALUES (1)')
  sync.changed()
  expect(fireNow()).toBe(true)
  reader.exec('COMMIT')
  expect(fireNow()).toBe(false)
  reader.close()
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each(availableDrivers())('%s: a sync that fails is repeated until the database is closed', (driver) => {
  using db = openDatabase(':memory:', { driver })
  const prepare = db.prepare.bind(db)
  let failures = 1
  Object.assign(db, {
    prepare<R>(sql: string) {
      if (failures-- > 0) throw new DatabaseError('io', 'disk I/O error')
      return prepare<R>(sql)
    },
  })
  const timers: (() => void)[] = []
  const sync = new CommitSync(db, {
    monotonic: () => 0,
    after: (_, fire) => ({ cancel() {}, is: timers.push(fire) }),
  })
  sync.next()
  timers.pop()!()
  expect(timers).toHaveLength(1)
  timers.pop()!()
  expect(timers).toHaveLength(0)
  sync.next()
  db.close()
  timers.pop()!()
  expect(timers).toHaveLength(0)
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
