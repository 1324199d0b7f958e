import { expect, test } from 'vitest'
import { checkSizes } from './check-sizes.ts'
import { sampleFolder } from './sample-folder.ts'

const lines = (count: number) => 'x\n'.repeat(count)

/** `sizes` lists how many files have how many lines. */
function files(sizes: [count: number, lines: number][]): Record<string, string> {
  return Object.fromEntries(
    sizes.flatMap(([count, length]) => Array.from({ length: count }, (_, at) => [`${length}-${at}.ts`, lines(length)])),
  )
}

async function factsOf(sample: Record<string, string>) {
  await using folder = await sampleFolder(sample)
  return (await checkSizes(folder.root)).map(({ file, fact }) => `${file} ${fact}`)
}

test('400 lines are allowed, 401 are not', async () => {
  expect(await factsOf({ 'a.ts': lines(400), 'b.md': lines(900) })).toEqual([])
  expect(await factsOf({ 'a.ts': lines(401) })).toEqual(['a.ts has 401 lines; the ceiling is 400'])
})

test('a table or grammar that says so on top may be longer', async () => {
  expect(
    await factsOf({ 'a.ts': `// size: table\n${lines(900)}`, 'b.ts': `/* size: grammar */\n${lines(900)}` }),
  ).toEqual([])
  expect(await factsOf({ 'a.ts': `${lines(20)}// size: table\n${lines(900)}` })).toHaveLength(1)
})

test('half of the files stay within 100 lines, 95 of 100 within 300', async () => {
  expect(
    await factsOf(
      files([
        [10, 100],
        [9, 300],
        [1, 301],
      ]),
    ),
  ).toEqual([])
  expect(
    await factsOf(
      files([
        [9, 100],
        [11, 101],
      ]),
    ),
  ).toEqual(['101-0.ts 11 of 20 files have more than 100 lines; 10 may'])
  expect(
    await factsOf(
      files([
        [18, 50],
        [2, 301],
      ]),
    ),
  ).toEqual(['301-0.ts 2 of 20 files have more than 300 lines; 1 may'])
})
