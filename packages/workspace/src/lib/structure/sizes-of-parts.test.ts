import { expect, test } from 'vitest'
import { longFunctions, tooLarge, tooLong } from './sizes-of-parts.ts'

test('a part may not grow, and its limit follows it down', () => {
  const most = { core: 100, 'features/health': 100 }
  const lines = new Map([
    ['core', 101],
    ['features/health', 80],
    ['features/new', 3],
  ])
  expect(tooLarge(lines, most).map(({ fact }) => fact)).toEqual([
    'core has 101 lines; the limit is 100',
    'features/health has only 80 lines',
    'is a feature without a limit',
  ])
  expect(tooLarge(new Map([['core', 95]]), most)).toEqual([])
})

const body = '\n'.repeat(99)

test('reports long functions of all kinds with their names, but not files of short ones', () => {
  const text = `function one() {${body}\n}\nconst two = () => {${body}\n}\nclass A { three() {${body}\n} }\n${`f(() => {${body}})\n`.repeat(3)}`
  const found = longFunctions('packages/rest/src/a.ts', text)
  expect(found.map(({ name, lines }) => [name, lines])).toEqual([
    ['one', 101],
    ['two', 101],
    ['three', 101],
  ])
  expect(tooLong(found, ['packages/rest/src/a.ts one', 'packages/rest/src/a.ts four'])).toMatchObject([
    { file: 'packages/rest/src/a.ts', line: 102, fact: 'two has 101 lines; the limit is 100' },
    { line: 203, fact: 'three has 101 lines; the limit is 100' },
    { file: 'packages/rest/src/a.ts', fact: 'has no function "four" of more than 100 lines' },
  ])
})
