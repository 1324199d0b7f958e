import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { DatabaseError, openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from './journal.ts'
import type { ReportEntry } from './report.ts'

test('a locked database: the reason and the fix name the lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'journal.db')
  const reports: ReportEntry[] = []
  const journal = openJournal({
    ...{ file, baseUrl: 'http://x/v1', botId: 'b', clock: new VirtualClock() },
    report: (entry) => void reports.push(entry),
  })
  const other = openDatabase(file)
  other.exec('BEGIN EXCLUSIVE')
  expect(journal.setValue('key', 'value')).toBe(false)
  const { failure } = journal.stats()
  expect(failure).toEqual({
    reason: expect.stringContaining('locked') as string,
    fix: 'end the other program that has the database locked, such as a backup or sqlite3',
  })
  expect(reports[0]!.message).toContain(failure!.fix)
  other.exec('ROLLBACK')
  expect(journal.setValue('key', 'value')).toBe(true)
  expect(journal.stats().failure).toBeUndefined()
  other.close()
  journal.close()
})

test('a disk that cannot be read: the number of events that are set aside is that of the last time', () => {
  let isBroken = false
  const fragile: typeof openDatabase = (...given) => {
    const db = openDatabase(...given)
    const prepare = db.prepare.bind(db)
    return Object.assign(db, {
      prepare<R>(sql: string) {
        if (isBroken) throw new DatabaseError('io', 'disk I/O error')
        return prepare<R>(sql)
      },
    })
  }
  const clock = new VirtualClock()
  using journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock, openDatabase: fragile })
  journal.setAside({ id: 5, type: 'message', data: {}, created_at: '' }, 'broken')
  expect(journal.countSetAside()).toBe(1)
  isBroken = true
  expect(journal.countSetAside()).toBe(1)
  expect(() => journal.listSetAside()).toThrow('disk I/O error')
})
