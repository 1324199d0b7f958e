import { expect, test } from 'vitest'
import { crowdedFolders } from './crowded-folders.ts'

const filesIn = (folder: string, count: number, ending = '.ts') =>
  Array.from({ length: count }, (_, i) => `packages/${folder}/file-${i}${ending}`)

test('reports a folder with more than 20 source files; tests, styles and subfolders do not count', () => {
  const files = [
    ...filesIn('a/src/lib', 21),
    ...filesIn('b/src/page', 20, '.tsx'),
    ...filesIn('b/src/page', 20, '.css'),
    ...filesIn('b/src/page', 20, '.test.ts'),
    ...filesIn('b/src/page', 20, '.test.fixture.ts'),
    ...filesIn('b/src/page', 20, '.test-d.ts'),
    ...filesIn('b/src/page/part', 20),
    ...filesIn('b/docs', 21),
  ]
  expect(crowdedFolders(files)).toMatchObject([
    { file: 'packages/a/src/lib', fact: 'has 21 source files; the limit is 20' },
  ])
})
