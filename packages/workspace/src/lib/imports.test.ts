import { expect, test } from 'vitest'
import { packageNameOf, readImports } from './imports.ts'

test('finds every form of import with its line, but not in comments and strings', () => {
  const text = [
    `import a from 'a'`,
    `import type { B } from 'b'`,
    `export * from 'c'`,
    `export type { D } from 'd'`,
    `const e = await import('e')`,
    `type F = import('f').F`,
    `// import 'no'`,
    'const text = `import "no" ${1} from "no"`',
    `import 'g'`,
  ].join('\n')
  const found = readImports(text).map(({ specifier, line }) => `${specifier}${line}`)
  expect(found.toSorted()).toEqual(['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g9'])
})

test('returns the package of an import', () => {
  expect(['zod', 'zod/v4', '@hono/node-server', '@hono/node-server/x'].map(packageNameOf)).toEqual([
    ...['zod', 'zod', '@hono/node-server', '@hono/node-server'],
  ])
})
