import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stateFolder } from './state-files.ts'

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
