import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { checkOlderMajors } from './check-older-majors.ts'

const row = (name: string, kept: number, newest: number, node: string) =>
  `| \`${name}\` | ${kept} | ${newest} | Node ${node} |`

/** Facts about a repository with vitest 4, these rows, and these names in Dependabot's list. */
async function factsOf(rows: string[], ignored: string[]): Promise<string[]> {
  const list = ignored.map((name) => ({ 'dependency-name': name, 'update-types': ['version-update:semver-major'] }))
  await using folder = await sampleFolder({
    'package.json': JSON.stringify({ engines: { node: '>=20.19' }, devDependencies: { vitest: '4.1.12' } }),
    'packages/workspace/decisions/0005-packages.md': rows.join('\n'),
    '.github/dependabot.yml': JSON.stringify({ updates: [{ ignore: list }] }),
  })
  return (await checkOlderMajors(folder.root)).map(({ fact }) => fact)
}

test('accepts a library that needs a newer Node and is left out by Dependabot', async () => {
  expect(await factsOf([row('vitest', 4, 5, '22.12')], ['vitest'])).toEqual([])
})

test.each<[string, string[], string[], string]>([
  ['another major', [row('vitest', 3, 5, '22.12')], ['vitest'], 'vitest is not a dependency with the major 3'],
  ['a library that is new', [row('vitest', 4, 4, '22.12')], ['vitest'], 'vitest is the newest'],
  ['a Node that is old enough', [row('vitest', 4, 5, '20.9')], ['vitest'], 'vitest 5 runs on Node 20.19'],
  ['a row that Dependabot lacks', [row('vitest', 4, 5, '22.12')], [], 'vitest has updates in Dependabot'],
  ['a library without a row', [], ['undici'], 'ignores new majors of undici without a reason'],
])('rejects %s', async (_, rows, ignored, fact) => {
  expect(await factsOf(rows, ignored)).toEqual([fact])
})
