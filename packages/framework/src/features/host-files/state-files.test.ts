import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { VirtualClock } from '@botwright/clock'
import { expect, onTestFinished, test } from 'vitest'
import { openBotJournal, stateFolder } from './state-files.ts'

test('reports a file where the state folder should be, with the fix', () => {
  const root = mkdtempSync(join(tmpdir(), 'botwright-state-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const file = join(root, 'a-file')
  writeFileSync(file, '')
  const source = { manifest: { entries: [] }, root, modules: {} }
  const fact = ', the folder of the journal and the state, cannot be written.'
  expect(() => stateFolder(source, file)).toThrow(
    `${file}${fact} it is a file: remove it, or pass another folder with --state`,
  )
  expect(() => stateFolder(source, join(file, 'below'))).toThrow(
    `${join(file, 'below')}${fact} a part of that path is a file: remove it, or pass another folder with --state`,
  )
})

test('a journal that another program has locked: the error has the fix', () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'journal.db')
  const options = { file, baseUrl: 'http://x/v1', botId: 'b', clock: new VirtualClock(), report: () => {} }
  using locked = openDatabase(file)
  locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  expect(() => openBotJournal(options)).toThrow(
    `${file}: the journal cannot be opened: another program has locked it: close that program`,
  )
})
