import { expect, test } from 'vitest'
import { frameWindow } from './frame-window.ts'

test.each([
  ['a line that fits is whole', 'one two', 5, 'one two', 5],
  ['a column at the beginning leaves out the end', `X${'b'.repeat(50)}`, 1, `X${'b'.repeat(18)}…`, 1],
  [
    'a column far to the right is in the middle',
    `${'a'.repeat(50)}X${'b'.repeat(50)}`,
    51,
    `…${'a'.repeat(8)}X${'b'.repeat(9)}…`,
    10,
  ],
  ['a column at the end', `${'a'.repeat(50)}X`, 51, `…${'a'.repeat(8)}X`, 10],
])('%s', (_, line, column, text, at) => {
  expect(frameWindow(line, 20, column)).toEqual({ text, column: at })
  if (line.includes('X')) expect([...text][at - 1]).toBe('X')
})
