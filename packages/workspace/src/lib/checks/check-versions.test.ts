import { expect, test } from 'vitest'
import { checkVersions } from './check-versions.ts'
import { sampleFolder } from '../sample-folder.ts'

const file = (dependencies: Record<string, string>) => JSON.stringify({ bin: { a: './a.mjs' }, dependencies }, null, 2)

test('accepts exact versions, and any versions in templates', async () => {
  await using folder = await sampleFolder({
    'package.json': file({ a: '1.2.3', b: '0.1.0-rc.1', c: 'npm:@x/d@2.0.0' }),
    'templates/basic/package.json': file({ a: '^1.0.0' }),
  })
  expect(await checkVersions(folder.root)).toEqual([])
})

test.each(['^1.2.3', '~1.2.3', '*', 'latest', '1.x', 'file:../a', 'npm:b@2', ''])('rejects "%s"', async (version) => {
  await using folder = await sampleFolder({ 'packages/x/package.json': file({ b: '1.0.0', a: version }) })
  expect(await checkVersions(folder.root)).toMatchObject([
    { file: 'packages/x/package.json', line: 7, fact: `a is "${version}"` },
  ])
})
