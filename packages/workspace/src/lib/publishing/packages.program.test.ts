// @module-tag all/publishing
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceFiles } from '../source-files.ts'
import { packAll, type Packed } from './pack.ts'
import { releasedPackages, type Released } from './released.ts'
import { hasTools, loadTool } from './tools.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const released = await releasedPackages(root)
const names = released.map(({ name }) => name)
let folder: string
let packed: Packed[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botwright-packed-'))
  packed = await packAll(root, released, folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const packedOf = (name: string): Packed => {
  const found = packed.find((one) => one.name === name)
  if (!found) throw new Error(`${name} was not packed`)
  return found
}

test('publishes a package after its dependencies', () => {
  const needs = ({ file }: Released) => Object.keys(file.dependencies ?? {}).filter((name) => names.includes(name))
  for (const [at, one] of released.entries()) expect(names.slice(0, at)).toEqual(expect.arrayContaining(needs(one)))
  expect(names).toContain('@botwright/framework')
  expect(names).not.toContain('@botwright/workspace')
})

describe.each(names)('the tarball of %s', (name) => {
  test('contains its license and no files that only this repository needs', () => {
    const paths = packedOf(name).files.map(({ path }) => path)
    expect(paths).toContain('LICENSE')
    const own = paths.filter((path) => !path.startsWith('templates/'))
    expect(own.filter((path) => /\.test\.|fixture|\.map$|tsbuildinfo|^src\//.test(path))).toEqual([])
    // Files that are bundled into others are not included twice.
    if (name === '@botwright/framework')
      expect(paths.filter((path) => /^dist\/(?!joined\/).*\.js$/.test(path))).toEqual([])
  })
})

test('create-bot contains every template completely, and AGENTS.md', async () => {
  const files = (await sourceFiles(root)).filter((path) => path.startsWith('templates/'))
  const paths = packedOf('@botwright/create-bot').files.map(({ path }) => path)
  expect(paths.filter((path) => path.startsWith('templates/')).sort()).toEqual(['templates/AGENTS.md', ...files].sort())
})

test.each([
  ['@botwright/framework', 'dist/joined', ['undici', 'zod']],
  ['@botwright/service', 'page', ['gemoji', 'preact']],
])('the tarball of %s lists the libraries that are bundled into %s, with their licenses', async (name, at, some) => {
  expect(packedOf(name).files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([`${at}/sbom.cdx.json`, `${at}/LICENSES.txt`]),
  )
  const { folder: place, version } = released.find((one) => one.name === name)!
  const read = (file: string) => readFile(join(root, place, at, file), 'utf8')
  const { metadata, components } = JSON.parse(await read('sbom.cdx.json')) as Sbom
  expect(metadata.component).toMatchObject({ name, version })
  expect(components.map((one) => one.name)).toEqual(expect.arrayContaining(some))
  const licenses = await read('LICENSES.txt')
  for (const one of components) {
    expect(one.purl).toBe(`pkg:npm/${one.name.replace('@', '%40')}@${one.version}`)
    expect(one.licenses, one.name).toHaveLength(1)
    expect(licenses).toContain(`${one.name}\n\n`)
  }
})

interface Sbom {
  metadata: { component: { name: string; version: string } }
  components: { name: string; version: string; purl: string; licenses: unknown[] }[]
}

if (!hasTools())
  console.warn('SKIPPED: publint and attw are not installed; run `node packages/workspace/bin/tools.mjs`')

// Skipped without publint and attw, with the warning above; in CI, a skipped test fails.
describe.skipIf(!hasTools()).each(names)('%s', (name) => {
  test('passes publint in strict mode', async () => {
    const { publint } = await loadTool<Publint>('publint', 'src', 'index-node.js')
    const bytes = await readFile(packedOf(name).file)
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    expect((await publint({ strict: true, pack: { tarball } })).messages).toEqual([])
  })

  test('has types for all code that can be imported as a module', async () => {
    const attw = await loadTool<Attw>('@arethetypeswrong', 'core', 'dist', 'index.js')
    const bytes = await readFile(packedOf(name).file)
    const { types, problems = [] } = await attw.checkPackage(attw.createPackageFromTarballData(new Uint8Array(bytes)))
    expect(types).not.toBe(false)
    // Like the profile `esm-only`: packages without `require` and Node 10 resolution are not checked for them.
    expect(problems.filter((one) => !['node10', 'node16-cjs'].includes(one.resolutionKind ?? ''))).toEqual([])
  })
})

interface Publint {
  publint(options: { strict: true; pack: { tarball: ArrayBufferLike } }): Promise<{ messages: unknown[] }>
}

interface Attw {
  createPackageFromTarballData(bytes: Uint8Array): unknown
  checkPackage(one: unknown): Promise<{ types: unknown; problems?: { resolutionKind?: string }[] }>
}
