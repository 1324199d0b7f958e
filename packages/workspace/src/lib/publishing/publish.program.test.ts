import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { MANIFEST, packRelease } from './pack.ts'
import { publishPacked } from './publish.ts'
import { startRegistry } from './registry.test.fixture.ts'
import { releasedPackages } from './released.ts'
import { hasTools } from './tools.ts'

const run = promisify(execFile)

/** Two packages, packed for publishing; if a script of either ran, publishing would fail. */
async function packSample() {
  const one = (name: string, dependencies = {}) =>
    JSON.stringify({
      ...{ name: `@botwright/${name}`, version: '0.1.0', dependencies },
      scripts: { prepublishOnly: 'node -e "process.exit(9)"' },
    })
  const folder = await sampleFolder({
    'package.json': JSON.stringify({ name: 'house', private: true, workspaces: ['packages/*'] }),
    'packages/a-rest/package.json': one('a-rest', { '@botwright/clock': '0.1.0' }),
    'packages/clock/package.json': one('clock'),
  })
  const { root } = folder
  const packed = join(root, 'packed')
  const pack = async () => packRelease(root, await releasedPackages(root), packed)
  await pack()
  return { ...folder, packed, pack }
}

/** The same with a registry. */
async function startSample() {
  const sample = await packSample()
  const registry = await startRegistry(join(sample.root, 'registry'))
  const { env } = registry
  return {
    ...sample,
    publish: () => publishPacked(sample.packed, env),
    /** The digest of a published package, or '' if it is not published. */
    async digestOf(name: string): Promise<string> {
      const args = ['view', `@botwright/${name}@0.1.0`, 'dist.integrity']
      return (await run('npm', args, { env }).catch(() => ({ stdout: '' }))).stdout.trim()
    },
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await sample[Symbol.asyncDispose]()
    },
  }
}

if (!hasTools()) console.warn('SKIPPED: no registry is installed; run `node packages/workspace/bin/tools.mjs`')

// Skipped without a registry, with the warning above; in CI, a skipped test fails.
describe.skipIf(!hasTools())('the script of the release workflow', { tags: 'all/publishing' }, () => {
  test('publishes the packed tarballs in order, and only the missing ones when it runs again', async () => {
    await using sample = await startSample()
    expect(await sample.publish()).toBe('published @botwright/clock@0.1.0\npublished @botwright/a-rest@0.1.0')
    const [clock] = await sample.pack()
    expect(await sample.digestOf('clock')).toBe(clock?.integrity)
    expect(await sample.publish()).toBe(
      '@botwright/clock@0.1.0 is already published\n@botwright/a-rest@0.1.0 is already published',
    )
  })

  test('publishes nothing if a tarball differs from the packed one', async () => {
    await using sample = await startSample()
    await appendFile(join(sample.packed, 'botwright-a-rest-0.1.0.tgz'), 'x')
    await expect(sample.publish()).rejects.toThrow(
      /^botwright-a-rest-0\.1\.0\.tgz has the digest sha512-\S+, but sha512-\S+ was packed; nothing is published/,
    )
    expect(await sample.digestOf('clock')).toBe('')
  })

  test('rejects a published version with other contents', async () => {
    await using sample = await startSample()
    await sample.publish()
    const before = await sample.digestOf('clock')
    await writeFile(join(sample.root, 'packages/clock/index.js'), 'changed')
    await sample.pack()
    await expect(sample.publish()).rejects.toThrow(
      /^@botwright\/clock@0\.1\.0 is already published with the digest sha512-\S+, not sha512-\S+; release a new version$/,
    )
    expect(await sample.digestOf('clock')).toBe(before)
  })
})

// Ends before any call of npm, so no registry is needed.
describe('before anything is published', () => {
  let sample: Awaited<ReturnType<typeof packSample>>
  let original: string
  beforeAll(async () => {
    sample = await packSample()
    original = await readFile(join(sample.packed, MANIFEST), 'utf8')
  })
  afterAll(() => sample[Symbol.asyncDispose]())

  test.each([
    { name: '--registry=elsewhere' },
    { name: 'left-pad' },
    { version: '--tag' },
    { file: '../other.tgz' },
    { file: '-x.tgz' },
  ])('refuses the manifest entry %j', async (changed) => {
    const [clock, ...others] = JSON.parse(original) as object[]
    await writeFile(join(sample.packed, MANIFEST), JSON.stringify([{ ...clock, ...changed }, ...others]))
    await expect(publishPacked(sample.packed)).rejects.toThrow(
      /^manifest\.json: .* is not one of our packages; pack it again$/,
    )
  })

  test('refuses a manifest without packages', async () => {
    await writeFile(join(sample.packed, MANIFEST), '[]')
    await expect(publishPacked(sample.packed)).rejects.toThrow('manifest.json lists no package')
  })
})
