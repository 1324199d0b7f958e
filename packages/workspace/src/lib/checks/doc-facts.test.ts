import { expect, test } from 'vitest'
import { checkDocFacts } from './doc-facts.ts'
import { sampleFolder } from '../sample-folder.ts'

const block = (...lines: string[]) => ['```ts', ...lines, '```', ''].join('\n')
const readme = ['# Bot', '', block('// examples/a.ts', 'export const a = 1'), block('free()')].join('\n')

const facts = async (files: Record<string, string>) => {
  await using folder = await sampleFolder(files)
  return (await checkDocFacts(folder.root)).map(({ file, line, fact }) => `${file}:${line} ${fact}`)
}

test('accepts a block that equals its file, and a block without a path in a README', async () => {
  expect(await facts({ 'README.md': readme, 'examples/a.ts': 'export const a = 1\n' })).toEqual([])
})

test('rejects a block that differs from its file or names a missing file, with its line', async () => {
  expect(await facts({ 'README.md': readme, 'examples/a.ts': 'export const a = 2\n' })).toEqual([
    'README.md:3 differs from examples/a.ts',
  ])
  expect(await facts({ 'README.md': readme })).toEqual(['README.md:3 shows examples/a.ts, which does not exist'])
})

test("checks the pages of a package's docs and its README too", async () => {
  const page = block('// examples/a.ts', 'export const a = 3')
  expect(
    await facts({
      'packages/x/docs/a.md': page,
      'packages/x/docs/deep/b.md': page,
      'packages/x/README.md': page,
      'packages/x/notes.md': page,
      'examples/a.ts': 'export const a = 1\n',
    }),
  ).toEqual([
    'packages/x/README.md:1 differs from examples/a.ts',
    'packages/x/docs/a.md:1 differs from examples/a.ts',
    'packages/x/docs/deep/b.md:1 differs from examples/a.ts',
  ])
})

test('requires every block in docs to name its file', async () => {
  expect(await facts({ 'packages/x/docs/a.md': `text\n\n${block('free()')}` })).toEqual([
    'packages/x/docs/a.md:3 shows code without a file',
  ])
})

test('accepts a block of consecutive whole lines of its file, without their indentation', async () => {
  const file = 'test(() => {\n  one()\n\n  if (two) {\n    three()\n  }\n})\n'
  const page = (...lines: string[]) => ({
    'packages/x/docs/a.md': block('// examples/a.test.ts', ...lines),
    'examples/a.test.ts': file,
  })
  expect(await facts(page('one()', '', 'if (two) {', '  three()', '}'))).toEqual([])
  expect(await facts(page('one()', 'if (two) {'))).toHaveLength(1)
  expect(await facts(page('one'))).toHaveLength(1)
})

test('reads a block in a list without its indentation', async () => {
  const listed = '- so:\n\n  ```ts\n  // examples/a.ts\n  export const a = 1\n  ```\n'
  expect(await facts({ 'packages/x/docs/a.md': listed, 'examples/a.ts': 'export const a = 1\n' })).toEqual([])
  expect(await facts({ 'packages/x/docs/a.md': listed, 'examples/a.ts': 'export const a = 2\n' })).toHaveLength(1)
})

test('rejects a link to a missing file of the repository', async () => {
  const page = '[a](b.md#part) [c](../src) [d](https://x.test/y) [e](#here) `[f](gone.md)`\n[g](gone.md)'
  expect(await facts({ 'packages/x/docs/a.md': page, 'packages/x/docs/b.md': '', 'packages/x/src/c.ts': '' })).toEqual([
    'packages/x/docs/a.md:2 links to gone.md, which does not exist',
  ])
})

test('accepts links between pages that only the site has', async () => {
  const page = '[All endpoints](/interface/)\n'
  expect(await facts({ 'packages/site/docs/limits.md': page, 'packages/x/docs/limits.md': page })).toEqual([
    'packages/x/docs/limits.md:1 links to /interface/, which does not exist',
  ])
})
