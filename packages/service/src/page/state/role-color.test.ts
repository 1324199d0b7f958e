import { expect, test } from 'vitest'
import { contrast, readable } from './role-color.ts'

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

test.each(['#000000', '#ffffff', '#111133', '#ffff00', '#0000ff', '#c2410c', '#808080'])(
  'the role color %s is readable in both schemes',
  (color) => {
    for (const surface of ['#ffffff', '#f7f7f9'])
      expect(contrast(readable(color, 'light'), surface)).toBeGreaterThan(4.5)
    for (const surface of ['#17181c', '#1f2026'])
      expect(contrast(readable(color, 'dark'), surface)).toBeGreaterThan(4.5)
  },
)

test('a readable color stays as it is', () => {
  expect([readable('#9a3412', 'light'), readable('#fdba74', 'dark')]).toEqual(['#9a3412', '#fdba74'])
})
