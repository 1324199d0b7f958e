import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { checkManifests } from './check-manifests.ts'

const shared = {
  version: '0.1.0',
  license: 'MIT',
  author: 'The authors',
  bugs: 'https://example.com/a/issues',
  engines: { node: '>=20' },
  repository: { url: 'git+https://example.com/a.git' },
}
const good = {
  name: '@botwright/rest',
  version: '0.1.0',
  description: 'A client',
  keywords: ['bot'],
  license: 'MIT',
  author: 'The authors',
  homepage: 'https://example.com/a/tree/main/packages/rest#readme',
  bugs: 'https://example.com/a/issues',
  repository: { type: 'git', url: 'git+https://example.com/a.git', directory: 'packages/rest' },
  type: 'module',
  engines: { node: '>=20' },
  exports: { '.': './dist/index.js' },
  files: ['dist'],
  publishConfig: { access: 'public' },
}

const factsOf = async (manifest: object, files: Record<string, string> = {}) => {
  await using folder = await sampleFolder({
    'package.json': JSON.stringify({ private: true, ...shared }),
    LICENSE: 'MIT …',
    'packages/rest/package.json': JSON.stringify(manifest, null, 2),
    'packages/rest/LICENSE': 'MIT …',
    'packages/rest/README.md': '# rest',
    'packages/inner/package.json': '{ "name": "@botwright/inner", "private": true }',
    ...files,
  })
  return (await checkManifests(folder.root)).map(({ file, line, fact }) => `${file}:${line ?? 0} ${fact}`)
}

test('accepts a complete package, and skips private ones', async () => {
  expect(await factsOf(good)).toEqual([])
})

test.each([
  ['a description', { description: '' }, 'packages/rest/package.json:4 has another "description"'],
  ['keywords', { keywords: undefined }, 'packages/rest/package.json:0 has no "keywords"'],
  ['the shared version', { version: '0.2.0' }, 'packages/rest/package.json:3 has another "version"'],
  ['its own homepage', { homepage: 'https://example.com/a' }, 'has another "homepage"'],
  ['the shared place for bugs', { bugs: undefined }, 'has no "bugs"'],
  ['its folder', { repository: { ...good.repository, directory: 'rest' } }, 'has another "repository"'],
])('requires %s', async (_what, change, fact) => {
  expect(await factsOf({ ...good, ...change })).toEqual([expect.stringContaining(fact)])
})

test("rejects a license that differs from the root's, since npm packs the file in the folder", async () => {
  expect(await factsOf(good, { 'packages/rest/LICENSE': 'other' })).toEqual([
    'packages/rest/LICENSE:0 is not the license of the root',
  ])
})
