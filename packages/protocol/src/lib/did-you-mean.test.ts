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

test('ignores names of more than 32 characters', () => {
  const name = 'a'.repeat(32)
  expect(didYouMean(`${name.slice(1)}b`, [name])).toBe(name)
  expect(didYouMean(`${name}a`, [name])).toBeUndefined()
  expect(didYouMean(name, [`${name}a`])).toBeUndefined()
})

/** The textbook algorithm, without early exits. */
function steps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1))
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
      const [nearest] = names.map((name) => [steps(wanted, name), name] as const).sort(([a], [b]) => a - b)
      expect(didYouMean(wanted, names), `${wanted} of ${names.join()}`).toBe(
        nearest![0] <= most ? nearest![1] : undefined,
      )
    }
  }
})
