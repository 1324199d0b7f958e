import { expect, test } from 'vitest'
import { allowsMajor } from './same-major.ts'

test.each([
  ['1.2.0', '1.9.3', true],
  ['^1.2.0', '1.0.0', true],
  ['~2.1', '1.9.3', false],
  ['2.0.0', '1.9.3', false],
  ['0.1.0', '0.1.7', true],
  ['^0.1.0', '0.2.0', false],
  ['0.x', '0.2.0', true],
  ['>=1', '3.0.0', true],
  ['>=1 <3', '3.0.0', false],
  ['>=1 <3', '2.4.0', true],
  ['1.0 - 2.9', '2.1.0', true],
  ['1.0 - 2.9', '3.0.0', false],
  ['^1.0.0 || ^2.0.0', '2.4.0', true],
  ['^1.0.0 || ^2.0.0', '3.0.0', false],
  ['1.x', '1.4.0', true],
  ['*', '9.0.0', true],
  ['workspace:*', '0.1.0', true],
  ['^1.0.0-beta.2', '1.0.0-beta.3', true],
])('a plugin for %s and the framework %s: %s', (range, version, expected) => {
  expect(allowsMajor(range, version)).toBe(expected)
})
