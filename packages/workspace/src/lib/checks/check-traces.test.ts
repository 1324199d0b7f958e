import { expect, test } from 'vitest'
import { checkTraces } from './check-traces.ts'
import { sampleFolder } from '../sample-folder.ts'

// Built from parts, so that this file does not break the rule itself.
const path = (...parts: string[]) => ['', ...parts].join('/')
const address = ['https:', '', 'registry.npmjs.org', 'zod'].join('/')

test.each([
  ['a workspace path', `see ${path('work', 'notes.md')}`],
  ['a job folder', path('tmp', 'bash_jobs.0', 'x')],
  ['a home folder', `file://${path('home', 'ann', 'bot')}`],
  ['a registry', `"${address}"`],
])('rejects %s, with its line', async (_what, text) => {
  await using folder = await sampleFolder({ 'docs/a.md': `one\ntwo ${text}\n` })
  expect(await checkTraces(folder.root)).toMatchObject([{ file: 'docs/a.md', line: 2 }])
})

test('rejects a download address in the lock file', async () => {
  const lock = JSON.stringify({ packages: { zod: { resolved: 'https://packages.example/zod.tgz' } } }, null, 1)
  await using folder = await sampleFolder({ 'package-lock.json': lock })
  expect(await checkTraces(folder.root)).toMatchObject([{ line: 4, fact: 'a download address in the lock file' }])
})

test('accepts links inside the lock file, images and ordinary addresses', async () => {
  // The folder is a path of a machine only at the root.
  const folderName = 'work'
  await using folder = await sampleFolder({
    'package-lock.json': '{ "resolved": "packages/clock" }',
    'a.png': `\0${address}`,
    'README.md': `https://example.com/${folderName}/page, packages/${folderName}/x and how the ${folderName}ers ${folderName}/rest`,
  })
  expect(await checkTraces(folder.root)).toEqual([])
})
