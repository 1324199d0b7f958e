import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { checkLockFiles } from './check-lock-files.ts'

const integrity = `sha512-${'A'.repeat(86)}==`

async function factsOf(entry: object, file = 'package-lock.json'): Promise<string[]> {
  const packages = { '': { name: 'house' }, 'packages/rest': { version: '0.1.0' }, 'node_modules/one': entry }
  await using folder = await sampleFolder({ [file]: JSON.stringify({ lockfileVersion: 3, packages }, null, 2) })
  return (await checkLockFiles(folder.root)).map(({ file: at, line, fact }) => `${at}:${line ?? 0} ${fact}`)
}

test.each([
  ['a package with its digest', { version: '1.0.0', integrity }],
  ['a workspace', { resolved: 'packages/rest', link: true }],
  ['what another package carries inside', { version: '1.0.0', inBundle: true }],
])('%s is fine', async (_, entry) => {
  expect(await factsOf(entry)).toEqual([])
})

test.each(['package-lock.json', 'packages/tools/package-lock.json', 'npm-shrinkwrap.json'])(
  'reports a package without a digest, with its line, in %s',
  async (file) => {
    expect(await factsOf({ version: '1.0.0' }, file)).toEqual([`${file}:10 node_modules/one@1.0.0 has no integrity`])
  },
)

test.each(['sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-short', ''])('rejects the digest "%s"', async (weak) => {
  expect(await factsOf({ version: '1.0.0', integrity: weak })).toEqual([
    `package-lock.json:10 node_modules/one@1.0.0 ${weak === '' ? 'has no integrity' : 'has an integrity that is not a SHA-512 digest'}`,
  ])
})

test.each([
  { os: ['darwin'], cpu: ['arm64'] },
  { os: ['linux'], cpu: ['arm64'] },
  { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  { os: ['win32'] },
  { os: ['!linux'] },
])('a package that is never installed where releases are built may lack its digest: %j', async (platform) => {
  expect(await factsOf({ version: '1.0.0', optional: true, ...platform })).toEqual([])
  expect(await factsOf({ version: '1.0.0', ...platform })).toHaveLength(1)
})

test.each([
  { os: ['linux'], cpu: ['x64'] },
  { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  { os: ['linux', 'darwin'] },
  { os: ['!win32'] },
  { cpu: ['x64'] },
  { libc: ['glibc'] },
])('an optional package that is installed where releases are built needs its digest: %j', async (platform) => {
  expect(await factsOf({ version: '1.0.0', optional: true, ...platform })).toHaveLength(1)
})
