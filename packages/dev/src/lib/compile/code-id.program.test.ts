import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { codeIdOf } from './code-id.ts'
import { Compiler } from './compile.ts'

const folders: string[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))))

async function folderOf(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'botwright-code-'))
  folders.push(root)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(root, file, '..'), { recursive: true })
    await writeFile(join(root, file), text)
  }
  return root
}

const files = {
  'commands/go.ts': "import { text } from '../text.ts'\nexport default () => text",
  'text.ts': "export const text = 'a'",
}

async function compiled(changed: Record<string, string> = {}): Promise<string> {
  const root = await folderOf({ ...files, ...changed })
  const { codeId } = await new Compiler({ root, outDir: join(root, 'out') }).compile({ roots: ['commands/go.ts'] })
  return codeId
}

test('the id is that of the code, with the files that it imports', async () => {
  const id = await compiled()
  expect(id).toMatch(/^[0-9a-f]{12}$/)
  expect(await compiled()).toBe(id)
  expect(await compiled({ 'unused.ts': 'export {}' })).toBe(id)
  expect(await compiled({ 'text.ts': "export const text = 'b'" })).not.toBe(id)
})

test('the id changes with the version of a dependency', async () => {
  const withVersion = async (version: string) =>
    codeIdOf(
      await folderOf({
        'package.json': JSON.stringify({ dependencies: { dates: '*' } }),
        'node_modules/dates/package.json': JSON.stringify({ name: 'dates', version }),
      }),
      ['code'],
    )
  const id = await withVersion('1.0.0')
  expect(await withVersion('1.0.0')).toBe(id)
  expect(await withVersion('1.0.1')).not.toBe(id)
})
