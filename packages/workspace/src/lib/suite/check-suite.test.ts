import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { formatViolation } from '../checks/violation.ts'
import { checkSuite } from './check-suite.ts'
import type { Tier } from './tiers.ts'

const tier = { name: 'all/' + 'seeds', description: 'more seeds' } as Tier

const found = async (files: Record<string, string>) => {
  await using folder = await sampleFolder({ 'packages/a/src/tagged.test.ts': `{ tags: '${tier.name}' }`, ...files })
  return (await checkSuite(folder.root, [tier])).map(formatViolation)
}

test('a unit test may not wait in real time, nor import a fixture that does', async () => {
  const wait = 'await new Promise((resolve) => setTimeout' + '(resolve, 10))'
  expect(
    await found({
      'packages/a/src/one.test.ts': `\n${wait}`,
      'packages/a/src/two.test.ts': "import './three.fixture.ts'",
      'packages/a/src/three.fixture.ts': wait,
      'packages/a/src/four.live.test.ts': `import './three.fixture.ts'\n${wait}`,
    }),
  ).toEqual([
    'packages/a/src/one.test.ts:2  a unit test waits in real time — use a virtual clock, or name the file *.live.test.ts',
    expect.stringMatching(
      /^packages\/a\/src\/three\.fixture\.ts:1 .* in a fixture of packages\/a\/src\/two\.test\.ts — /,
    ),
  ])
})

test('tests leave time limits to the configuration', async () => {
  const limited = [
    'await vi.wait' + 'For(() => expect(a).toBe(1))',
    'await expect.' + 'poll(a, { time' + 'out: 100 }).toBe(1)',
    "test('a', { time" + 'out: 5_000 }, () => {})',
    "test(\n  'a',\n  { time" + 'out: 5_000 },\n  () => {},\n)',
  ]
  for (const text of limited)
    expect(await found({ 'packages/a/src/a.live.test.ts': text }), text).toEqual([
      expect.stringMatching(/^packages\/a\/src\/a\.live\.test\.ts:\d {2}a test has a time limit of its own/),
    ])
  expect(
    await found({ 'packages/a/src/a.live.test.ts': 'await expect.' + 'poll(a, { interval: 20 }).toBe(1)' }),
  ).toEqual([])
})

test('only tests that are named so start a blocking process', async () => {
  const start = 'execFileSync' + "('true')"
  const files = Object.fromEntries(
    ['a.test.ts', 'b.live.test.ts', 'c.program.test.ts', 'd.browser.test.ts'].map((name) => [
      `packages/a/src/${name}`,
      start,
    ]),
  )
  expect(await found(files)).toEqual([
    'packages/a/src/a.test.ts:1  a test without processes starts one — name the file *.program.test.ts',
    'packages/a/src/b.live.test.ts:1  a test without processes starts one — name the file *.program.test.ts',
  ])
})

test('a tag names a tier of the table, and each tier has a test', async () => {
  expect(
    await found({
      'packages/a/src/a.test.ts': "test('x', { tags: 'all/" + "nothing' }, () => {})",
      'packages/a/src/b.program.test.ts': '// @module' + '-tag all/none',
    }),
  ).toEqual([
    'packages/a/src/a.test.ts:1  no tier is "all/nothing" — add it to suite/tiers.ts',
    'packages/a/src/b.program.test.ts:1  no tier is "all/none" — add it to suite/tiers.ts',
  ])
  expect(await found({ 'packages/a/src/tagged.test.ts': '' })).toEqual([
    'packages/workspace/src/lib/suite/tiers.ts  no test is in "all/seeds" — remove it',
  ])
})
