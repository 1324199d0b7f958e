import { expect, test } from 'vitest'
import { checkReadmes } from './check-readmes.ts'
import { manifest, sampleFolder } from '../sample-folder.ts'

const good = `# @botwright/rest

A client.

\`\`\`sh
npm i
\`\`\`

Floor 1: of this repository, this package may import only clock.
`

const withReadme = (readme: string) =>
  sampleFolder({
    'packages/clock/package.json': manifest('clock'),
    'packages/clock/README.md': good
      .replace('rest', 'clock')
      .replace(/Floor.*/, 'Floor 0: this package must not import other packages of this repository.'),
    'packages/rest/package.json': manifest('rest'),
    'packages/rest/README.md': readme,
  })

test('accepts a README with the name of the package, code and its floor', async () => {
  await using folder = await withReadme(good)
  expect(await checkReadmes(folder.root)).toEqual([])
})

test.each([
  ['another name', good.replace('rest', 'tea'), 'does not begin'],
  ['no code', good.replaceAll('```', ''), 'shows no code'],
  ['another floor', good.replace('only clock', 'only clock, service'), 'does not end'],
])('rejects %s', async (_, readme, fact) => {
  await using folder = await withReadme(readme)
  const found = await checkReadmes(folder.root)
  expect(found.map((one) => [one.file, one.fact.startsWith(fact)])).toEqual([['packages/rest/README.md', true]])
})

test('reports a package without a README', async () => {
  await using folder = await sampleFolder({ 'packages/rest/package.json': manifest('rest') })
  expect(await checkReadmes(folder.root)).toMatchObject([{ file: 'packages/rest/README.md', fact: 'is missing' }])
})

test('requires a row with the floor of every package in the table for contributors', async () => {
  await using folder = await sampleFolder({
    '.github/CONTRIBUTING.md': '| Floor | Package |\n| ----- | --- |\n| 0 | [`rest`](../packages/rest) |\n',
    'packages/clock/package.json': manifest('clock'),
    'packages/rest/package.json': manifest('rest'),
  })
  const found = (await checkReadmes(folder.root)).filter(({ file }) => file === '.github/CONTRIBUTING.md')
  expect(found.map(({ fact, fix }) => `${fact}: ${fix}`)).toEqual([
    'has no row for packages/clock: add a row with the floor "0" to the table of packages',
    'puts packages/rest on another floor: add a row with the floor "1" to the table of packages',
  ])
})
