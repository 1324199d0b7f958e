import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findTestFile, writeTestFile } from './test-file.ts'

async function startFolder() {
  const base = await mkdtemp(join(tmpdir(), 'botwright-test-file-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const root = join(base, 'bot')
  await mkdir(root)
  return { base, root }
}

test('a test is written into a new folder, with its way to the folder of the bot', async () => {
  const { root } = await startFolder()
  expect((await findTestFile(root, 'a.test.ts', false)).folder).toBe('.')
  const found = await findTestFile(root, 'test/more/a.test.ts', false)
  expect(found.folder).toBe('../..')
  await writeTestFile(found, 'first')
  expect(await readFile(join(root, 'test/more/a.test.ts'), 'utf8')).toBe('first')
})

test('only --force replaces an existing file', async () => {
  const { root } = await startFolder()
  const early = await findTestFile(root, 'a.test.ts', false)
  await writeFile(join(root, 'a.test.ts'), 'own')
  const refusal = 'a.test.ts: already exists; pass another name, or --force to replace it'
  await expect(findTestFile(root, 'a.test.ts', false)).rejects.toThrow(refusal)
  await expect(writeTestFile(early, 'new')).rejects.toThrow(refusal)
  expect(await readFile(early.path, 'utf8')).toBe('own')
  await writeTestFile(await findTestFile(root, 'a.test.ts', true), 'new')
  expect(await readFile(early.path, 'utf8')).toBe('new')
})

test('another name, a path or a link out of the folder, and a name that Windows refuses are errors', async () => {
  const { base, root } = await startFolder()
  await mkdir(join(base, 'elsewhere'))
  await symlink(join(base, 'elsewhere'), join(root, 'linked'))
  await symlink(join(base, 'missing.test.ts'), join(root, 'dangling.test.ts'))
  const refusals = { 'a.ts': 'must end in .test.ts', 'con.test.ts': 'Windows' }
  for (const [file, text] of Object.entries(refusals))
    await expect(findTestFile(root, file, true)).rejects.toThrow(text)
  for (const file of ['../a.test.ts', 'linked/a.test.ts', 'dangling.test.ts'])
    await expect(findTestFile(root, file, true)).rejects.toThrow(`${file}: is outside of the bot's folder`)
})
