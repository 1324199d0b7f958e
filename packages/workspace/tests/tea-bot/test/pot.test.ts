import { expect, test } from 'vitest'
import { fromVersion1 } from '../state/pot.ts'

test('a pot of version 1 is full', () => {
  expect(fromVersion1('mint')).toEqual({ tea: 'mint', cups: 6 })
})
