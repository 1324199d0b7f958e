import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

test('suggests the most similar name, ignoring case and punctuation', () => {
  expect(didYouMean('requird', ['optional', 'required'])).toBe('required')
  expect(didYouMean('Time_Limit', ['time', 'timeLimit', 'time-limits'])).toBe('timeLimit')
  expect(didYouMean('pign', ['pin', 'ping', 'pong'])).toBe('pin')
})

test('suggests nothing if more than a third of the letters are wrong', () => {
  expect(didYouMean('abcdefghi', ['abcdefxyz'])).toBe('abcdefxyz')
  expect(didYouMean('abcdefghi', ['abcdewxyz'])).toBeUndefined()
  expect(didYouMean('Иван', ['Анна', 'io'])).toBeUndefined()
})

test('suggests nothing that has no letter in common, such as a name in another script', () => {
  expect(didYouMean('me', ['привет', '日本語', 'äöü', 'x'])).toBeUndefined()
  expect(didYouMean('ab', ['xy', 'abc'])).toBe('abc')
  expect(didYouMean('x', ['y'])).toBeUndefined()
})

test('counts a swap of two letters as one edit', () => {
  expect(didYouMean('tood', ['boom', 'todo'])).toBe('todo')
  expect(didYouMean('hlep', ['heap', 'help'])).toBe('help')
  expect(didYouMean('abcd', ['badc'])).toBe('badc')
})

test.each([
  ['@acme/kudos', ['@acme/kudos']],
  ['kudos', ['kudo', 'Kudos', 'kudos']],
  ['cafe\u0301', ['caf\u00E9']],
  ['caf\u00E9', ['cafes', 'cafe\u0301']],
])('suggests nothing for %s among %j, which contain it', (name, names) => {
  expect(didYouMean(name, names)).toBeUndefined()
})

test('suggests a name with another case or an accent', () => {
  expect(didYouMean('kudos', ['Kudos'])).toBe('Kudos')
  expect(didYouMean('cafe', ['caf\u00E9'])).toBe('caf\u00E9')
  expect(didYouMean('cafee', ['caf\u00E9', 'cafe\u0301s'])).toBe('caf\u00E9')
})

test('ignores names of more than 32 characters', () => {
  const name = 'a'.repeat(32)
  expect(didYouMean(`${name.slice(1)}b`, [name])).toBe(name)
  expect(didYouMean(`${name}a`, [name])).toBeUndefined()
  expect(didYouMean(name, [`${name}a`])).toBeUndefined()
})

/** The textbook algorithm, without early exits. */
function steps(from: string, to: string): number {
  let earlier: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swap = isSwap ? earlier[j - 2]! + 1 : Infinity
      next.push(Math.min(row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1, swap))
    }
    earlier = row
    row = next
  }
  return row[to.length]!
}

test('finds the same name as a full comparison with every name', () => {
  // All words of up to four letters over a two-letter alphabet, and some longer ones.
  const words = ['a', 'b']
  for (const word of words) if (word.length < 4) words.push(`${word}a`, `${word}b`)
  words.push(
    'aabbaabb',
    'abababab',
    'bbbbbbbb',
    'aaaaaaab',
    'ab'.repeat(16),
    'ba'.repeat(16),
    `${'ab'.repeat(13)}bbaabb`,
  )
  for (const wanted of words) {
    const most = Math.max(2, Math.floor(wanted.length / 3))
    for (let at = 0; at < words.length; at += 3) {
      const names = words.slice(at, at + 5)
      const [nearest = [0, '']] = names
        .map((name) => [steps(wanted, name), name] as const)
        .filter(([count, name]) => count < Math.max(wanted.length, name.length))
        .sort(([a], [b]) => a - b)
      expect(didYouMean(wanted, names), `${wanted} of ${names.join()}`).toBe(
        nearest[0] > 0 && nearest[0] <= most ? nearest[1] : undefined,
      )
    }
  }
})
