import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
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
