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

const body = '\n'.repeat(79)

test('reports long functions of all kinds with their names, but not files of short ones', () => {
  const text = `function one() {${body}\n}\nconst two = () => {${body}\n}\nclass A { three() {${body}\n} }\n${`f(() => {${body}})\n`.repeat(3)}`
  const found = longFunctions('packages/rest/src/a.ts', text)
  expect(found.map(({ name, lines }) => [name, lines])).toEqual([
    ['one', 81],
    ['two', 81],
    ['three', 81],
  ])
  expect(tooLong(found)).toMatchObject([
    { file: 'packages/rest/src/a.ts', line: 1, fact: 'one has 81 lines; the limit is 80' },
    { line: 82, fact: 'two has 81 lines; the limit is 80' },
    { line: 163, fact: 'three has 81 lines; the limit is 80' },
  ])
})
