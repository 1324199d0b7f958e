import { expect, test } from 'vitest'
import { checkCycles } from './check-cycles.ts'
import { manifest, sampleFolder } from './sample-folder.ts'

async function cyclesOf(files: Record<string, string>) {
  await using folder = await sampleFolder(files)
  // Await here: the folder is removed at the end of this block.
  return await checkCycles(folder.root)
}

test('accepts a diamond of imports', async () => {
  const files = {
    'a.ts': `import './b.ts'\nimport './c.ts'`,
    'b.ts': `import './d.ts'`,
    'c.ts': `import './d.ts'`,
    'd.ts': `// import './a.ts'\nexport const text = "import './a.ts'"`,
  }
  expect(await cyclesOf(files)).toEqual([])
})

test('reports a cycle once, with its path and line', async () => {
  const files = { 'lib/a.ts': `\nimport './b.ts'`, 'lib/b.ts': `import '../c.ts'`, 'c.ts': `import './lib/a.ts'` }
  expect(await cyclesOf(files)).toEqual([
    {
      file: 'c.ts',
      line: 1,
      fact: 'import cycle: c.ts → lib/a.ts → lib/b.ts → c.ts',
      fix: 'move the shared part to a third file',
    },
  ])
})

test('counts type-only imports and a file that imports itself', async () => {
  const files = {
    'a.ts': `import type { B } from './b.ts'`,
    'b.ts': `export type * from './a.ts'`,
    'self.ts': `import './self.ts'`,
  }
  expect((await cyclesOf(files)).map(({ fact }) => fact)).toEqual([
    'import cycle: a.ts → b.ts → a.ts',
    'import cycle: self.ts → self.ts',
  ])
})

test('finds a cycle across packages by their names', async () => {
  const files = {
    'packages/x/package.json': manifest('x'),
    'packages/x/src/index.ts': `import '@botwright/y'`,
    'packages/y/package.json': manifest('y'),
    'packages/y/src/index.ts': `import '@botwright/x'`,
  }
  expect(await cyclesOf(files)).toHaveLength(1)
})
