import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { checkWorkflows } from './check-workflows.ts'

const HASH = '3d3c42e5aac5ba805825da76410c181273ba90b1'
const good = `on: push
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@${HASH} # v7.0.1
        with:
          persist-credentials: false
      - run: npm ci --ignore-scripts && npm test
  publish:
    permissions:
      id-token: write
    steps:
      - run: npm publish ./one.tgz
`

async function violationsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await sampleFolder(files)
  return (await checkWorkflows(folder.root)).map(({ file, line, fact }) => `${file}:${line ?? 0} ${fact}`)
}
const workflow = (text: string) => violationsOf({ '.github/workflows/a.yml': text })
const changed = (from: string, to: string) => {
  expect(good).toContain(from)
  return workflow(good.replace(from, to))
}
const at = (line: number, fact: string) => [`.github/workflows/a.yml:${line} ${fact}`]

test('accepts a workflow that follows every rule, also in templates', async () => {
  expect(
    await violationsOf({
      '.github/workflows/a.yml': good,
      'templates/basic/.github/workflows/b.yaml': good,
      '.github/release-notes.yml': 'nothing: to see',
    }),
  ).toEqual([])
})

test.each(['npm test', 'npm run test', 'bash .ci/run', 'npx vitest run'])(
  '%s in the job that packs is refused',
  async (run) => {
    const pack = `  pack:\n    needs: test\n    steps:\n      - run: npm ci --ignore-scripts && npm run build\n`
    const needing = (needs: string) => good.replace('  publish:\n', `${pack}  publish:\n    needs: ${needs}\n`)
    expect(await workflow(needing('pack'))).toEqual([])
    for (const needs of ['pack', '[pack]'])
      expect(await workflow(needing(needs).replace('npm run build', run))).toEqual(
        at(
          15,
          `the job "pack" packs for a job with id-token: write and runs "${/npm .*|\.ci.*|vitest/.exec(run)![0]}"`,
        ),
      )
  },
)

test.each([
  ['a tag', 'actions/checkout@v7 # v7.0.1'],
  ['a branch', 'actions/checkout@main'],
  ['a short hash', `actions/checkout@${HASH.slice(0, 12)} # v7.0.1`],
  ['no version', 'actions/checkout'],
  ['an image', 'docker://alpine:3'],
])('an action pinned by %s is refused', async (_, uses) => {
  const [name] = uses.split(' ')
  expect(await changed(`actions/checkout@${HASH} # v7.0.1`, uses)).toEqual(
    at(8, `"${name}" is not pinned by a full commit hash`),
  )
})

test.each([' # latest', '', ' # v7'])('rejects a hash with the comment "%s", which has no version', async (comment) => {
  expect(await changed(' # v7.0.1', comment)).toEqual(
    at(8, `"actions/checkout@${HASH}" has no comment with its version`),
  )
})

test('requires a reusable workflow to be pinned like an action', async () => {
  const facts = await workflow(`${good}  other:\n    uses: someone/else/.github/workflows/x.yml@v1\n`)
  expect(facts).toEqual(at(18, '"someone/else/.github/workflows/x.yml@v1" is not pinned by a full commit hash'))
})

test.each(['npm ci', 'npm install --global npm@11', 'npm i', 'npm  ci --omit=dev; echo --ignore-scripts'])(
  'rejects `%s`, which runs scripts of dependencies',
  async (command) => {
    expect(await changed('npm ci --ignore-scripts && npm test', command)).toEqual(
      at(11, `"${command.split(';')[0]}" runs the install scripts of dependencies`),
    )
  },
)

test('requires CI programs and images to install without scripts too', async () => {
  expect(
    await violationsOf({
      '.ci/run': '# npm ci is below\nset -e\nnpm ci\n',
      Dockerfile: 'FROM node:24\nRUN npm ci --omit=dev\n',
      'templates/basic/Dockerfile': 'RUN npm ci --ignore-scripts --omit=dev\n',
    }),
  ).toEqual([
    '.ci/run:3 "npm ci" runs the install scripts of dependencies',
    'Dockerfile:2 "npm ci --omit=dev" runs the install scripts of dependencies',
  ])
})

test.each([
  'npm ci --ignore-scripts',
  'npm test',
  'npm run release',
  'npx something',
  'npm exec something',
  'bash .ci/run',
  './build',
  'node packages/workspace/bin/release.mjs',
])('a job that may publish does not run `%s`', async (command) => {
  expect(await changed('npm publish ./one.tgz', command)).toEqual(
    at(16, `the job "publish" has id-token: write and runs "${command}"`),
  )
})

test('rejects a checkout of the repository in a job that may publish', async () => {
  const facts = await changed(
    'run: npm publish ./one.tgz\n',
    `uses: actions/checkout@${HASH} # v7.0.1\n        with: { persist-credentials: false }\n`,
  )
  expect(facts).toEqual(at(16, 'the job "publish" has id-token: write and checks out the repository'))
})

test('rejects a checkout that keeps its token for later code', async () => {
  expect(await changed('persist-credentials: false', 'fetch-depth: 1')).toEqual(
    at(8, 'the checkout keeps its token in .git/config'),
  )
})

test.each([
  ['', "declares no permissions, so its jobs get the repository's defaults"],
  ['permissions: write-all\n', 'grants "write-all" to every job'],
  ['permissions:\n  contents: read\n  id-token: write\n', 'grants "id-token: write" to every job'],
])('rejects the permissions "%s"', async (permissions, fact) => {
  const facts = await changed('permissions:\n  contents: read\n', permissions)
  expect(facts.map((line) => line.replace(/^\S+ /, ''))).toContain(fact)
})

test.each(['pull_request_target', '[push, workflow_run]', '{ pull_request_target: { branches: [main] } }'])(
  'rejects a workflow on %s, which gives foreign code our permissions',
  async (on) => {
    expect(await changed('on: push', `on: ${on}`)).toEqual(
      at(1, `runs on "${/pull_request_target|workflow_run/.exec(on)?.[0]}", which gives foreign code our permissions`),
    )
  },
)

test('reports a file that is not YAML', async () => {
  const [first] = await workflow('jobs: [')
  expect(first).toMatch(/^\.github\/workflows\/a\.yml:1 is not valid YAML: /)
})
