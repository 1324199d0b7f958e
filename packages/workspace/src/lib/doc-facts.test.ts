import { expect, test } from 'vitest'
import { checkDocFacts } from './doc-facts.ts'
import { sampleFolder } from './sample-folder.ts'

const readme = [
  '# Bot',
  '',
  '```ts',
  '// examples/a.ts',
  'export const a = 1',
  '```',
  '',
  '```ts',
  'free()',
  '```',
  '',
].join('\n')

test('a block that equals its file is fine, one without a path says nothing', async () => {
  await using folder = await sampleFolder({ 'README.md': readme, 'examples/a.ts': 'export const a = 1\n' })
  expect(await checkDocFacts(folder.root)).toEqual([])
})

test('a block that differs, or names no file, is refused with its line', async () => {
  await using other = await sampleFolder({ 'README.md': readme, 'examples/a.ts': 'export const a = 2\n' })
  expect(await checkDocFacts(other.root)).toMatchObject([
    { line: 3, fact: 'shows another text than examples/a.ts holds' },
  ])
  await using gone = await sampleFolder({ 'README.md': readme })
  expect(await checkDocFacts(gone.root)).toMatchObject([{ line: 3, fact: 'shows examples/a.ts, which does not exist' }])
})
