import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Compiler } from './compile.ts'

// After a change, an import means what it means to a new program.

let root: string
let compiler: Compiler
const roots = ['commands/a.ts']

beforeEach(async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'botwright-resolutions-')))
  root = join(base, 'bot')
  compiler = new Compiler({ root, outDir: join(root, '.botwright/dev') })
  await write({ 'package.json': '{"type":"module"}' })
})
afterEach(() => rm(dirname(root), { recursive: true, force: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
}

async function word(changes: { saved?: string[]; added?: string[]; removed?: string[] } = {}): Promise<unknown> {
  const { modules } = await compiler.compile({ roots, changes })
  return ((await import(pathToFileURL(modules['commands/a.ts']!).href)) as { default: unknown }).default
}

const words = {
  'lib/one/w.ts': "export default 'one'",
  'lib/two/w.ts': "export default 'two'",
}
const paths = (folder: string) => `{"compilerOptions":{"paths":{"~/*":["${folder}/*"]}}}`

test.each([
  ['a path', { 'tsconfig.json': '{"extends":"./base.json"}' }, 'base.json', '.'],
  ['a chain', { 'tsconfig.json': '{"extends":"./b"}', 'b.json': '{"extends":"./base.json"}' }, 'base.json', '.'],
  ['an array', { 'tsconfig.json': '{"extends":["./base.json","./b.json"]}', 'b.json': '{}' }, 'base.json', '.'],
  ['a file above the bot', { 'tsconfig.json': '{"extends":"../base.json"}' }, '../base.json', './bot'],
  ['a hidden folder', { 'tsconfig.json': '{"extends":"./.config/base.json"}' }, '.config/base.json', '..'],
  ['nothing: the settings of the folder itself', { 'lib/unused.ts': '' }, 'tsconfig.json', '.'],
  ['nothing: the settings of an editor', { 'lib/unused.ts': '' }, 'jsconfig.json', '.'],
])('a save of the settings applies if tsconfig.json extends %s', async (_, files, changed, to) => {
  await write({
    ...words,
    ...files,
    [changed]: paths(`${to}/lib/one`),
    'commands/a.ts': "export { default } from '~/w'",
  })
  expect(await word()).toBe('one')
  await write({ [changed]: paths(`${to}/lib/two`) })
  expect(await word({ saved: [changed] })).toBe('two')
  if (changed.startsWith('.')) expect(compiler.elsewhere.files).toContain(join(root, changed))
})

test('a save of package.json applies to "imports", and to a module of another kind', async () => {
  await write({
    ...words,
    'package.json': '{"type":"module","imports":{"#w":"./lib/one/w.ts"}}',
    'commands/a.ts': "export { default } from '#w'",
  })
  expect(await word()).toBe('one')
  await write({ 'package.json': '{"type":"module","imports":{"#w":"./lib/two/w.ts"}}' })
  expect(await word({ saved: ['package.json'] })).toBe('two')
})

test('a new file that shadows another is imported, and the other one again after it is deleted', async () => {
  await write({ 'lib/w/index.ts': "export default 'folder'", 'commands/a.ts': "export { default } from '../lib/w'" })
  expect(await word()).toBe('folder')
  await write({ 'lib/w.ts': "export default 'file'" })
  expect(await word({ added: ['lib/w.ts'] })).toBe('file')
  await rm(join(root, 'lib/w.ts'))
  expect(await word({ removed: ['lib/w.ts'] })).toBe('folder')
})

test('a file that comes first in "paths" or that a pattern of import() matches is imported when it appears', async () => {
  await write({
    ...words,
    'tsconfig.json': '{"compilerOptions":{"paths":{"~/*":["./lib/one/*","./lib/two/*"]}}}',
    'lib/two/v.ts': "export default 'two'",
    'commands/a.ts':
      "import v from '~/v'\nconst names = ['w', 'x']\nconst load = async (name: string) => (await import(`../lib/one/${name}.ts`)).default\nconst all = names.map((name) => load(name).catch(() => 'none'))\nexport default [v, ...await Promise.all(all)].join(' ')",
  })
  expect(await word()).toBe('two one none')
  await write({ 'lib/one/v.ts': "export default 'new'", 'lib/one/x.ts': "export default 'x'" })
  expect(await word({ added: ['lib/one/v.ts', 'lib/one/x.ts'] })).toBe('new one x')
})

test('a new file above the bot is noticed: its folder is watched, without those below', async () => {
  await write({
    '../shared/w/index.ts': "export default 'folder'",
    'commands/a.ts': "export { default } from '../../shared/w'",
  })
  expect(await word()).toBe('folder')
  expect(compiler.elsewhere).toEqual({
    files: expect.arrayContaining([join(root, '../shared/w/index.ts')]) as unknown,
    folders: [join(root, '../shared'), join(root, '../shared/w')],
  })
  await write({ '../shared/w.ts': "export default 'file'" })
  expect(await word({ added: ['../shared/w.ts'] })).toBe('file')
})
