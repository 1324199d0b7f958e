import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, type PackageManager } from './package-manager.ts'
import { findPackage, mountNames, splitName } from './plugin-origin.ts'

/** A package manager that prints this, as if about a package on a registry. */
const printing = (stdout: string, reason = ''): PackageManager => ({
  ...{ name: 'npm', lockFile: undefined },
  ...commandsOf('npm', { root: '/bot', isNewYarn: false }),
  run: () => Promise.resolve({ ok: reason === '', stdout, reason }),
})
const manifest = { version: '1.2.0', botwright: 'plugin.ts' }
const find = (stdout: unknown, reason?: string) =>
  findPackage('@acme/kudos@^1', '/no/such/bot', printing(JSON.stringify(stdout), reason))

test.each([
  ['one version', manifest],
  ['several versions that fit', [{ ...manifest, version: '1.0.0' }, manifest]],
  ['the form of Yarn 1', { type: 'inspect', data: manifest }],
])('reads the manifest from a registry: %s', async (_name, printed) => {
  expect(await find(printed)).toMatchObject({ name: '@acme/kudos', spec: '@acme/kudos@^1', version: '1.2.0' })
})

test.each([
  [null, '@acme/kudos@^1: its package.json cannot be read'],
  ['text', '@acme/kudos@^1: its package.json cannot be read'],
  [{ version: '1.2.0' }, '@acme/kudos is not a plugin'],
  [{ ...manifest, botwright: 7 }, 'package.json of @acme/kudos@^1: "botwright" must be the path of plugin.ts'],
])('rejects %j of a registry', async (printed, text) => {
  await expect(find(printed)).rejects.toThrow(text)
})

test('reports an unreachable registry with the reason', async () => {
  await expect(find({}, 'npm error network ECONNREFUSED')).rejects.toThrow(
    'npm cannot read @acme/kudos@^1 from the registry; nothing was changed: npm error network ECONNREFUSED',
  )
})

test('rejects a folder whose package.json has no fields', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-null-'))
  try {
    await writeFile(join(folder, 'package.json'), 'null')
    await expect(findPackage(folder, '/no/such/bot', printing(''))).rejects.toThrow('"name" must be the name of')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each(['-g', '--registry=http://x', 'a b', 'a;b', '@acme', 'https://example.com/x.git', 'npm:a', 'a@$(x)'])(
  'does not ask a registry for %s',
  async (typed) => {
    await expect(findPackage(typed, '/bot', printing(JSON.stringify(manifest)))).rejects.toThrow(
      'is not the name of a package',
    )
  },
)

test.each([
  [['@acme/kudos'], '@acme/kudos', undefined],
  [['@acme/bots/kudos'], '@acme/bots', 'kudos'],
  [['bots/kudos'], 'bots', 'kudos'],
  [['@acme/bots', 'kudos'], '@acme/bots', 'kudos'],
  [['./bots/kudos'], './bots/kudos', undefined],
  [['packages.local/bots.tgz', 'kudos'], 'packages.local/bots.tgz', 'kudos'],
])('%j names a package and perhaps one of its plugins', (words, typed, part) => {
  expect(splitName(words)).toEqual({ typed, part })
})

test.each([
  ['@acme/kudos', '.', 'kudos', 'kudos'],
  ['@acme/bot-well-done', '.', 'well-done', 'wellDone'],
  ['botwright-plugin-kudos', '.', 'kudos', 'kudos'],
  ['@acme/bots', './reaction-roles', 'reaction-roles', 'reactionRoles'],
  ['@acme/2048', '.', 'plugin-2048', 'plugin2048'],
  ['@acme/delete', '.', 'delete', 'deletePlugin'],
  ['@acme/public', '.', 'public', 'publicPlugin'],
  ['@acme/arguments', '.', 'arguments', 'argumentsPlugin'],
  ['@acme/define-config', '.', 'define-config', 'defineConfigPlugin'],
  [`@acme/${'long-'.repeat(10)}`, '.', 'long-long-long-long-long-long-lo', 'longLongLongLongLongLongLo'],
])('%s %s is mounted as %s', (name, entry, mounted, local) => {
  expect(mountNames(name, entry)).toEqual({ name: mounted, local })
})
