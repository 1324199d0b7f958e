import { expect, test } from 'vitest'
import { dropOrder } from './drop-order.ts'

const order = (list: string) => dropOrder([...list], (one) => one === one.toUpperCase()).join('')

test('failures of the older half stay longer than the rest of it, and the newer half stays the longest', () => {
  expect(order('aBcdEfgh')).toBe('acdBEfgh')
  expect(order('ABCDEFGhi')).toBe('ABCDEFGhi')
  expect([order('a'), order('Ab'), order('')]).toEqual(['a', 'Ab', ''])
})
