import { expect, test } from 'vitest'
import { crowdedFolders } from './crowded-folders.ts'

const filesIn = (folder: string, count: number, ending = '.ts') =>
  Array.from({ length: count }, (_, i) => `${folder}/file-${i}${ending}`)

test('reports a folder with more than 20 source files; tests, styles and subfolders do not count', () => {
  const files = [
    ...filesIn('packages/a/src/lib', 21),
    ...filesIn('packages/b/src/page', 20, '.tsx'),
    ...filesIn('packages/b/src/page', 20, '.css'),
    ...filesIn('packages/b/src/page', 20, '.test.ts'),
    ...filesIn('packages/b/src/page', 20, '.test.fixture.ts'),
    ...filesIn('packages/b/src/page', 20, '.test-d.ts'),
    ...filesIn('packages/b/src/page/part', 20),
    ...filesIn('packages/b/docs', 21),
    ...filesIn('create-bot/src/lib', 21),
  ]
  expect(crowdedFolders(files)).toMatchObject([
    { file: 'packages/a/src/lib', fact: 'has 21 source files; the limit is 20' },
    { file: 'create-bot/src/lib', fact: 'has 21 source files; the limit is 20' },
  ])
})
