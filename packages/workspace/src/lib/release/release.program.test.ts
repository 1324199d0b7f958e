import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { nextVersion } from './change-files.ts'
import { changelogSection, withSection } from './changelog.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const program = fileURLToPath(new URL('../../../bin/release.mjs', import.meta.url))
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** Two packages and a template, as a repository with one commit. */
async function sampleRepository(files: Record<string, string> = {}) {
  const one = (name: string, dependencies = {}) =>
    json({ name: `@botwright/${name}`, version: '0.1.0', files: ['index.js'], dependencies })
  const folder = await sampleFolder({
    'package.json': json({ name: 'house', private: true, version: '0.1.0', workspaces: ['packages/*'] }),
    'package-lock.json': json({
      name: 'house',
      version: '0.1.0',
      packages: {
        '': { version: '0.1.0' },
        'packages/rest': { version: '0.1.0', dependencies: { '@botwright/clock': '0.1.0', undici: '7.0.0' } },
        'node_modules/undici': { version: '7.0.0' },
      },
    }),
    '.gitignore': 'node_modules/\n',
    // By name, it comes before the package that it depends on.
    'packages/a-rest/package.json': one('a-rest', { '@botwright/clock': '0.1.0', undici: '7.0.0' }),
    'packages/a-rest/index.js': '',
    'packages/clock/package.json': one('clock'),
    'packages/clock/index.js': '',
    'packages/clock/.changes/minor.virtual-days.md': 'A virtual clock can be moved by days.\n',
    'packages/clock/.changes/patch.negative.md': 'A negative time is refused.\n',
    'templates/basic/package.json': json({ version: '0.0.0', dependencies: { '@botwright/clock': '0.1.0' } }),
    ...files,
  })
  git(folder.root, 'init', '--quiet')
  git(folder.root, 'add', '--all')
  git(folder.root, 'commit', '--quiet', '--message', 'Begin')
  return folder
}

const identity = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com']
const git = (root: string, ...args: string[]) =>
  execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' }).trim()

function release(root: string, ...args: string[]) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: _url, SIGSTORE_ID_TOKEN: _token, ...env } = process.env
  const who = { GIT_AUTHOR_NAME: 'Someone', GIT_AUTHOR_EMAIL: 'someone@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'Someone', GIT_COMMITTER_EMAIL: 'someone@example.com' }
  const options = { encoding: 'utf8' as const, env: { ...env, ...who, ...committer } }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--root', root, ...args], options)
  return { status, stdout, stderr }
}

const read = (root: string, file: string) => readFileSync(join(root, file), 'utf8')

test(
  'a dry run prints versions, changelogs and the packages in the order of publishing, and writes nothing',
  slow,
  async () => {
    await using folder = await sampleRepository()
    const { status, stdout, stderr } = release(folder.root, '--dry-run')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^0\.1\.0 → 0\.2\.0: 2 changes/)
    expect(stdout).toContain('  ### New\n\n  - A virtual clock can be moved by days.')
    expect(stdout).toMatch(
      /packed, in the order of publishing:\n {2}@botwright\/clock@0\.2\.0 .*\n {2}@botwright\/a-rest@0\.2\.0 /,
    )
    expect(git(folder.root, 'status', '--porcelain')).toBe('')
    expect(git(folder.root, 'tag')).toBe('')
  },
)

test('a prepared release is one commit with a tag: versions, changelogs, lock file, and no change files', async () => {
  await using folder = await sampleRepository()
  const { root } = folder
  expect(release(root, '--prepare')).toMatchObject({ status: 0 })
  expect(git(root, 'log', '-1', '--format=%s %D')).toMatch(/^Release 0\.2\.0 .*tag: v0\.2\.0/)
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(git(root, 'ls-files', 'packages/clock')).toBe(
    ['CHANGELOG.md', 'index.js', 'package.json'].map((name) => `packages/clock/${name}`).join('\n'),
  )
  expect(read(root, 'packages/clock/CHANGELOG.md')).toBe(`# @botwright/clock

## 0.2.0

### New

- A virtual clock can be moved by days.

### Fixed

- A negative time is refused.
`)
  expect(read(root, 'packages/a-rest/CHANGELOG.md')).toContain(
    'No changes in this package: all packages share one version.',
  )
  expect(JSON.parse(read(root, 'packages/a-rest/package.json'))).toMatchObject({
    version: '0.2.0',
    dependencies: { '@botwright/clock': '0.2.0', undici: '7.0.0' },
  })
  expect(JSON.parse(read(root, 'templates/basic/package.json'))).toEqual({
    version: '0.0.0',
    dependencies: { '@botwright/clock': '0.2.0' },
  })
  expect(JSON.parse(read(root, 'package-lock.json'))).toMatchObject({
    version: '0.2.0',
    packages: {
      'packages/rest': { version: '0.2.0', dependencies: { '@botwright/clock': '0.2.0', undici: '7.0.0' } },
      'node_modules/undici': { version: '7.0.0' },
    },
  })
})

test(
  'packs a tagged release in order, with the digest of each tarball, and leaves the tree unchanged',
  slow,
  async () => {
    await using folder = await sampleRepository()
    const { root } = folder
    await using outside = await sampleFolder({})
    const into = join(outside.root, 'packed')
    expect(release(root, '--prepare')).toMatchObject({ status: 0 })
    expect(release(root, '--pack', into)).toMatchObject({ status: 0, stderr: '' })
    const digest = (file: string) =>
      createHash('sha512')
        .update(readFileSync(join(into, file)))
        .digest('base64')
    const files = ['botwright-clock-0.2.0.tgz', 'botwright-a-rest-0.2.0.tgz']
    expect(JSON.parse(read(into, 'manifest.json'))).toEqual([
      { name: '@botwright/clock', version: '0.2.0', file: files[0], integrity: `sha512-${digest(files[0] ?? '')}` },
      { name: '@botwright/a-rest', version: '0.2.0', file: files[1], integrity: `sha512-${digest(files[1] ?? '')}` },
    ])
    expect(read(into, 'manifest.json')).not.toContain('\n')
    expect(git(root, 'status', '--porcelain')).toBe('')
  },
)

test('does not pack a release without a tag', slow, async () => {
  await using folder = await sampleRepository()
  const { root } = folder
  const refused = (tag: string) => ({
    status: 1,
    stderr: `${tag} is not tagged; run with --prepare first, then pack the tag\n`,
  })
  expect(release(root, '--pack', join(root, 'packed'))).toMatchObject(refused('v0.2.0'))
  expect(release(root, '--prepare')).toMatchObject({ status: 0 })
  git(root, 'tag', '--delete', 'v0.2.0')
  expect(release(root, '--pack', join(root, 'packed'))).toMatchObject(refused('v0.2.0'))
  expect(git(root, 'status', '--porcelain')).toBe('')
})

describe('refuses and writes nothing:', () => {
  test('an unclean tree, naming the files', slow, async () => {
    await using folder = await sampleRepository()
    writeFileSync(join(folder.root, 'packages/clock/index.js'), 'changed')
    writeFileSync(join(folder.root, 'notes.txt'), '')
    for (const flag of ['--dry-run', '--prepare']) {
      const { status, stdout, stderr } = release(folder.root, flag)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(/the tree is not clean.*\n.*packages\/clock\/index\.js\n.*notes\.txt\n$/)
    }
  })

  test('a file that is not a change file, with its path and the correct name format', slow, async () => {
    await using folder = await sampleRepository({ 'packages/clock/.changes/big.md': 'Something.\n' })
    expect(release(folder.root, '--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^packages\/clock\/\.changes\/big\.md {2}is not a change file — name it /,
      ) as string,
    })
  })

  test('a version that was released from another commit', slow, async () => {
    await using folder = await sampleRepository()
    git(folder.root, 'tag', 'v0.2.0')
    const { status, stderr } = release(folder.root, '--dry-run')
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^v0\.2\.0 already exists for another commit/) as string,
    })
  })

  test('packages of different versions', slow, async () => {
    await using folder = await sampleRepository({
      'packages/other/package.json': json({ name: '@botwright/other', version: '0.3.0' }),
    })
    expect(release(folder.root, '--dry-run').stderr).toMatch(/all packages must share one version/)
  })
})

test.each([
  ['0.1.0', ['patch'], '0.1.1'],
  ['0.1.9', ['patch', 'minor'], '0.2.0'],
  ['0.9.0', ['major'], '0.10.0'],
  ['1.4.2', ['minor', 'major'], '2.0.0'],
  ['1.4.2', [], '1.4.2'],
] as const)('after %s with %j comes %s', (current, kinds, next) => {
  expect(
    nextVersion(
      current,
      kinds.map((kind) => ({ kind })),
    ),
  ).toBe(next)
})

test('a changelog keeps its earlier content below the newest version, and the lines of one change together', () => {
  const change = { package: 'x', kind: 'patch', text: 'One thing:\n\n- with a list', file: '' } as const
  const first = withSection('', '@botwright/x', changelogSection('0.1.1', [change]))
  expect(first).toBe('# @botwright/x\n\n## 0.1.1\n\n### Fixed\n\n- One thing:\n\n  - with a list\n')
  const second = withSection(first, '@botwright/x', changelogSection('0.1.2', []))
  expect(second.indexOf('## 0.1.2')).toBeLessThan(second.indexOf('## 0.1.1'))
  expect(second).toContain('  - with a list')
})
