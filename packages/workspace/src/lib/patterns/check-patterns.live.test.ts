import { expect, test } from 'vitest'
import { analyse, isUnbounded } from '@botwright/dev/patterns'
import { keyOf } from './check-patterns.ts'
import { patternsIn } from './collect-patterns.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

test('finds literals and RegExp(…), and reports patterns built at run time', () => {
  const found = patternsIn('a.ts', "const a = /x+$/gu\nconst b = new RegExp('y{2,}', 'i')\nconst c = RegExp(`^${a}`)")
  expect(found.map((one) => [one.line, keyOf(one), isUnbounded(one)])).toEqual([
    [1, '/x+$/gu', true],
    [2, '/y{2,}/i', true],
    [3, 'RegExp(`^${a}`)', false],
  ])
})

test('a sign of repetition is a character in a class', () => {
  const [bounded, unbounded] = patternsIn('a.ts', 'const a = [/"[^*+\\]]{1,40}"/g, /[*]+/]')
  expect([isUnbounded(bounded!), isUnbounded(unbounded!)]).toEqual([false, true])
})

test('names texts on which a pattern takes more than linear time', slow, async () => {
  const [bad, good] = await analyse([
    { source: '[^a-z]+$', flags: '' },
    { source: '^.*[a-z]', flags: 's' },
  ])
  expect(bad).toEqual({ degree: 2, text: expect.stringMatching(/^2nd degree polynomial, for instance on /) as string })
  expect(good).toBeUndefined()
})
