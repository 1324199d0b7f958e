import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { violationsOf } from './check-structure.ts'
import { longestChain, readImportGraph } from './import-graph.ts'

async function graphOf(files: Record<string, string>) {
  const sources: Record<string, string> = { '.gitignore': '' }
  for (const [path, text] of Object.entries(files)) sources[`packages/framework/src/${path}`] = text
  await using folder = await sampleFolder(sources)
  return await readImportGraph(folder.root, 'framework')
}

const anyDepth = (files: number) => ({ atOnce: files, withDynamic: files })
const floors = [['author'], ['bot', 'runtime']]

test('accepts imports of lower floors, and any import of a public entry', async () => {
  const graph = await graphOf({
    'index.ts': `export * from './bot/a.ts'\nexport * from './author/b.ts'`,
    'bot/a.ts': `import { b } from '../author/b.ts'`,
    'author/b.ts': 'export const b = 1',
    'author/b.test.ts': `import '../bot/a.ts'`,
  })
  expect(violationsOf(graph, { floors, depth: anyDepth(3) })).toEqual([])
})

test('reports imports of a higher floor and of the same floor, types and import() included', async () => {
  const graph = await graphOf({
    'author/a.ts': `import type { B } from '../bot/b.ts'`,
    'bot/b.ts': `\nconst later = () => import('../runtime/c.ts')`,
    'runtime/c.ts': '',
  })
  expect(violationsOf(graph, { floors, depth: { atOnce: 1, withDynamic: 2 } })).toMatchObject([
    { file: 'author/a.ts', line: 1, fact: 'imports bot/b.ts, which is not on a lower floor' },
    { file: 'bot/b.ts', line: 2, fact: 'imports runtime/c.ts, which is not on a lower floor' },
  ])
})

test('allows a listed start of a program, and reports an entry that is no longer used', async () => {
  const graph = await graphOf({ 'runtime/a.ts': `import('../bot/b.ts')`, 'bot/b.ts': '' })
  const depth = { atOnce: 1, withDynamic: 2 }
  expect(violationsOf(graph, { floors, depth, starts: ['runtime/a.ts → bot/b.ts'] })).toEqual([])
  expect(
    violationsOf(graph, { floors, depth, starts: ['runtime/a.ts → bot/b.ts', 'runtime/a.ts → bot/c.ts'] }),
  ).toMatchObject([{ file: 'runtime/a.ts', fact: 'no longer imports what "runtime/a.ts → bot/c.ts" allows' }])
})

test('reports folders that depend on each other through different files', async () => {
  const graph = await graphOf({
    'lib/one/a.ts': `import '../middle.ts'`,
    'lib/middle.ts': `import './two/b.ts'`,
    'lib/two/b.ts': `import '../one/leaf.ts'`,
    'lib/one/leaf.ts': '',
  })
  expect(violationsOf(graph, { depth: anyDepth(4) }).map(({ file, fact }) => `${file} ${fact}`)).toEqual([
    'lib/middle.ts imports lib/two/b.ts, but lib/two depends on lib/middle.ts',
    'lib/one/a.ts imports lib/middle.ts, but lib/middle.ts depends on lib/one',
    'lib/two/b.ts imports lib/one/leaf.ts, but lib/one depends on lib/two',
  ])
})

test('measures the longest chain, with and without import()', async () => {
  const graph = await graphOf({
    'a.ts': `import './b.ts'\nimport type { D } from './d.ts'`,
    'b.ts': `import { type C } from './c.ts'\nconst c = () => import('./c.ts')`,
    'c.ts': `import './d.ts'`,
    'd.ts': '',
  })
  expect(longestChain(graph, ['value'])).toHaveLength(2)
  expect(longestChain(graph, ['value', 'dynamic'])).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts'])
  expect(violationsOf(graph, { depth: { atOnce: 1, withDynamic: 5 } }).map(({ fix }) => fix)).toEqual([
    'shorten it',
    'lower the limit in check-structure.ts',
  ])
})

test('a folder without a floor is reported', async () => {
  const graph = await graphOf({ 'lib/a.ts': `import '../author/b.ts'`, 'author/b.ts': '' })
  expect(violationsOf(graph, { floors, depth: anyDepth(2) })).toMatchObject([
    { file: 'lib/a.ts', fact: 'is in a folder without a floor' },
  ])
})
