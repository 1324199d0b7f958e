import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('removes the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ])
})

test('a key that is set again is the newest, and removes no other entry', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3)
  expect([...map.keys()]).toEqual(['b', 'a'])
  map.set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})

test('reading an entry does not make it newer, and any key can be removed, undefined included', () => {
  const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1)
  map.get(undefined)
  expect([...map.set('a', 2).keys()]).toEqual(['a'])
})
