import { expect, test } from 'vitest'
import { checkSizes } from './check-sizes.ts'
import { sampleFolder } from '../sample-folder.ts'

const lines = (count: number) => 'x\n'.repeat(count)

/** Each entry of `sizes` is a number of files and their number of lines. */
function files(sizes: [count: number, lines: number][]): Record<string, string> {
  return Object.fromEntries(
    sizes.flatMap(([count, length]) => Array.from({ length: count }, (_, at) => [`${length}-${at}.ts`, lines(length)])),
  )
}

async function factsOf(sample: Record<string, string>) {
  await using folder = await sampleFolder(sample)
  return (await checkSizes(folder.root)).map(({ file, fact }) => `${file} ${fact}`)
}

test('allows 400 lines and rejects 401', async () => {
  expect(await factsOf({ 'a.ts': lines(400), 'b.md': lines(900) })).toEqual([])
  expect(await factsOf({ 'a.ts': lines(401) })).toEqual(['a.ts has 401 lines; the limit is 400'])
})

test('allows longer files that are marked as a table or grammar at the top', async () => {
  expect(
    await factsOf({ 'a.ts': `// size: table\n${lines(900)}`, 'b.ts': `/* size: grammar */\n${lines(900)}` }),
  ).toEqual([])
  expect(await factsOf({ 'a.ts': `${lines(20)}// size: table\n${lines(900)}` })).toHaveLength(1)
})

test('requires half of the files to have at most 100 lines, and 95 % at most 300', async () => {
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
