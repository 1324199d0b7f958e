import { expect, test } from 'vitest'
import { checkFloors } from './check-floors.ts'
import { manifest, sampleFolder } from '../sample-folder.ts'

const house = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '4.1.12' } }),
  'packages/protocol/package.json': manifest('protocol', ['zod']),
  'packages/protocol/src/index.ts': `import { z } from 'zod'\nimport { readFile } from 'node:fs/promises'\n`,
  'packages/service/package.json': manifest('service'),
  'packages/rest/package.json': manifest('rest', ['@botwright/protocol']),
  'packages/framework/package.json': manifest('framework', ['@botwright/rest'], ['@botwright/service', 'fast-check']),
}

async function factsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await sampleFolder({ ...house, ...files })
  return (await checkFloors(folder.root)).map(({ file, line, fact }) => `${file}:${line ?? 0} ${fact}`)
}

test('accepts imports of declared packages on lower floors', async () => {
  const facts = await factsOf({
    'packages/rest/src/index.ts': `import { x } from '@botwright/protocol'\nimport './lib/client.ts'\n`,
    'packages/rest/src/index.test.ts': `import { test } from 'vitest'\n`,
    'packages/framework/src/bot.test.ts': `import '@botwright/service'\nimport 'fast-check'\n`,
    'templates/basic/package.json': '{}',
    'templates/basic/ping.ts': `import 'anything'\n`,
  })
  expect(facts).toEqual([])
})

test.each([
  ['a higher floor', 'packages/rest/src/a.ts', `\nimport type { X } from '@botwright/framework'`, ':2 floor 1'],
  ['the same floor', 'packages/rest/src/a.ts', `export * from '@botwright/service'`, ':1 floor 1'],
  ['an upward import at run time', 'packages/rest/src/a.ts', `await import('@botwright/framework')`, ':1 floor 1'],
  ['the service outside tests', 'packages/framework/src/a.ts', `import '@botwright/service'`, ':1 floor 2'],
  ['a private file by name', 'packages/rest/src/a.ts', `import '@botwright/protocol/src/lib/x.ts'`, 'does not export'],
  [
    'a private file by path',
    'packages/rest/src/a.ts',
    `import '../../protocol/src/index.ts'`,
    'reaches into packages/protocol',
  ],
  ['an undeclared package', 'packages/rest/src/a.ts', `import 'undici'`, 'imports undici without declaring it'],
  ['a test tool outside tests', 'packages/rest/src/a.ts', `import 'vitest'`, 'imports vitest without declaring it'],
  ['a devDependency at run time', 'packages/framework/src/a.ts', `import 'fast-check'`, 'has it in devDependencies'],
  ['its own name', 'packages/rest/src/a.ts', `import '@botwright/rest'`, 'its own package by name'],
  ['an absolute path', 'packages/rest/src/a.ts', `import '/etc/x.ts'`, 'imports /etc/x.ts'],
  [
    'a missing package',
    'packages/framework/src/a.ts',
    `import '@botwright/events'`,
    'not a package of this repository',
  ],
])('rejects %s', async (_what, file, text, expected) => {
  const facts = await factsOf({ [file]: text })
  expect(facts).toEqual([expect.stringContaining(expected)])
  expect(facts[0]).toContain(file)
})

test('accepts a devDependency that the build bundles into the package', async () => {
  const joined = { name: '@botwright/framework', devDependencies: { pino: '10.4.0' }, joined: ['pino', 'croner'] }
  const file = 'packages/framework/src/a.ts'
  const files = { 'packages/framework/package.json': JSON.stringify(joined), [file]: `import 'pino'` }
  expect(await factsOf(files)).toEqual([])
  // Listed as bundled, but not installed for the build.
  expect(await factsOf({ ...files, [file]: `import 'croner'` })).toEqual([
    expect.stringContaining('imports croner without declaring it'),
  ])
})

test('accepts code that the steps of the build share, but not in sources', async () => {
  const text = `import '../../../.config/a.mjs'`
  expect(await factsOf({ 'packages/rest/scripts/a.mjs': text })).toEqual([])
  expect(await factsOf({ 'packages/rest/src/a.ts': text })).toEqual([expect.stringContaining('reaches into the root')])
})

test('reports a package without a floor', async () => {
  expect(await factsOf({ 'packages/extra/package.json': manifest('extra') })).toEqual([
    'packages/extra/package.json:0 this package has no floor',
  ])
})
