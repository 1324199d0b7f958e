import { expect, test } from 'vitest'
import { checkDocFacts } from './doc-facts.ts'
import { sampleFolder } from './sample-folder.ts'

const block = (...lines: string[]) => ['```ts', ...lines, '```', ''].join('\n')
const readme = ['# Bot', '', block('// examples/a.ts', 'export const a = 1'), block('free()')].join('\n')

const facts = async (files: Record<string, string>) => {
  await using folder = await sampleFolder(files)
  return (await checkDocFacts(folder.root)).map(({ file, line, fact }) => `${file}:${line} ${fact}`)
}

test('a block that equals its file is fine, one without a path says nothing', async () => {
  expect(await facts({ 'README.md': readme, 'examples/a.ts': 'export const a = 1\n' })).toEqual([])
})

test('a block that differs, or names no file, is refused with its line', async () => {
  expect(await facts({ 'README.md': readme, 'examples/a.ts': 'export const a = 2\n' })).toEqual([
    'README.md:3 shows another text than examples/a.ts holds',
  ])
  expect(await facts({ 'README.md': readme })).toEqual(['README.md:3 shows examples/a.ts, which does not exist'])
})

test("the pages of a package's docs and its README are held to it too", async () => {
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
    'packages/x/README.md:1 shows another text than examples/a.ts holds',
    'packages/x/docs/a.md:1 shows another text than examples/a.ts holds',
    'packages/x/docs/deep/b.md:1 shows another text than examples/a.ts holds',
  ])
})

test('in docs every block names its file', async () => {
  expect(await facts({ 'packages/x/docs/a.md': `text\n\n${block('free()')}` })).toEqual([
    'packages/x/docs/a.md:3 shows code of no file',
  ])
})

test('a block may be a run of whole lines of its file, further in', async () => {
  const file = 'test(() => {\n  one()\n\n  if (two) {\n    three()\n  }\n})\n'
  const page = (...lines: string[]) => ({
    'packages/x/docs/a.md': block('// examples/a.test.ts', ...lines),
    'examples/a.test.ts': file,
  })
  expect(await facts(page('one()', '', 'if (two) {', '  three()', '}'))).toEqual([])
  expect(await facts(page('one()', 'if (two) {'))).toHaveLength(1)
  expect(await facts(page('one'))).toHaveLength(1)
})

test('a block inside of a list is read without its indentation', async () => {
  const listed = '- so:\n\n  ```ts\n  // examples/a.ts\n  export const a = 1\n  ```\n'
  expect(await facts({ 'packages/x/docs/a.md': listed, 'examples/a.ts': 'export const a = 1\n' })).toEqual([])
  expect(await facts({ 'packages/x/docs/a.md': listed, 'examples/a.ts': 'export const a = 2\n' })).toHaveLength(1)
})

test('a link inside of the repository leads somewhere', async () => {
  const page = '[a](b.md#part) [c](../src) [d](https://x.test/y) [e](#here) `[f](gone.md)`\n[g](gone.md)'
  expect(await facts({ 'packages/x/docs/a.md': page, 'packages/x/docs/b.md': '', 'packages/x/src/c.ts': '' })).toEqual([
    'packages/x/docs/a.md:2 links to gone.md, which does not exist',
  ])
})

test('pages of the site may lead to what only the site has', async () => {
  const page = '[All endpoints](/interface/)\n'
  expect(await facts({ 'packages/site/docs/limits.md': page, 'packages/x/docs/limits.md': page })).toEqual([
    'packages/x/docs/limits.md:1 links to /interface/, which does not exist',
  ])
})
