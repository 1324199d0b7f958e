import { expect, test } from 'vitest'
import { differing } from './differing.ts'

const list = (...texts: string[]) => JSON.stringify(texts)
const same = 'a text that both values have in common, and that is longer than one line may be'

test('short texts are whole', () => {
  expect(differing('41', '42', 10)).toEqual(['41', '42'])
})

test.each([
  ['in the middle', list(same, 'tea', same), list(same, 'coffee', same), 'tea', 'coffee'],
  ['at the end', list(same, same, 'tea'), list(same, same, 'coffee'), 'tea', 'coffee'],
  ['because one is longer', list(same), list(same, 'coffee'), 'may be"]', 'coffee'],
])('a difference %s is in sight', (_, before, after, one, other) => {
  const shown = differing(before, after, 60)
  expect(shown[0]).toContain(one)
  expect(shown[1]).toContain(other)
  expect(shown[0]).toMatch(/^…/)
  for (const text of shown) expect([...text].length).toBeLessThanOrEqual(62)
})

test('a difference at the beginning leaves out the end', () => {
  expect(differing(list('tea', same), list('coffee', same), 20)).toEqual([
    '["tea","a text that …',
    '["coffee","a text th…',
  ])
})

test('characters of two units stay whole', () => {
  expect(differing(`${'👍'.repeat(40)}a`, `${'👍'.repeat(40)}b`, 30)).toEqual([
    `…${'👍'.repeat(29)}a`,
    `…${'👍'.repeat(29)}b`,
  ])
})
