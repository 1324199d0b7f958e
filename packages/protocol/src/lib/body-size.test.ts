import { expect, test } from 'vitest'
import { isAtMost } from './body-size.ts'

test.each([
  ['a length up to the limit', { 'content-length': '10' }, true],
  ['a longer one', { 'content-length': '11' }, false],
  ['no length', {}, false],
  ['an empty length', { 'content-length': '' }, false],
  ['a length that is no number', { 'content-length': '-1' }, false],
  ['the length of a compressed body', { 'content-length': '10', 'content-encoding': 'gzip' }, false],
])('headers show the size of a body: %s', (_, headers: Record<string, string>, isShown) => {
  expect(isAtMost(new Headers(headers), 10)).toBe(isShown)
})
