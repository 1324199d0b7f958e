import { expect, test } from 'vitest'
import { printable, printableBlock, printableLine } from './printable.ts'
import { shellWord } from './shell-word.ts'

const dangerous = [
  ...Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).filter((c) => c !== '\t' && c !== '\n'),
  ...Array.from({ length: 33 }, (_, i) => String.fromCharCode(0x7f + i)),
  ...'\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff',
]

test.each(dangerous.map((character) => [character.charCodeAt(0).toString(16).padStart(4, '0'), character]))(
  'escapes U+%s',
  (code, character) => {
    for (const escape of [printable, printableLine, printableBlock])
      expect(escape(`a${character}b`)).toBe(`a\\u${code}b`)
  },
)

test('keeps text, emoji, newlines and tabs', () => {
  const text = 'Zoë 日本 👩‍💻 می‌خواهم\n\tx'
  expect(printable(text)).toBe(text)
})

test('keeps colors in output and escapes them in values', () => {
  expect(printable('\u001b[1m\u001b[38;5;12mx\u001b[0m\u001b[2J')).toBe('\u001b[1m\u001b[38;5;12mx\u001b[0m\\u001b[2J')
  expect(printableLine('\u001b[31mx')).toBe('\\u001b[31mx')
  expect(printableBlock('\u001b[31mx')).toBe('\\u001b[31mx')
})

test('prevents a value from starting a new line', () => {
  expect(printableLine('a\r\nb\tc')).toBe('a\\u000d\\nb\\tc')
  expect(printableBlock('a\r\n✓ b\n')).toBe('a\n  ✓ b\n')
})

test('escaped JSON has the same value', () => {
  const value = { name: `${dangerous.join('')}\u{e0041}` }
  const line = printable(JSON.stringify(value))
  expect(line).toMatch(/^[\u0020-\u007e]*$/)
  expect(JSON.parse(line)).toEqual(value)
})

test.skipIf(process.platform === 'win32').each([
  ['test/ping.test.ts', 'test/ping.test.ts'],
  ['test/größe_2.test.ts', 'test/größe_2.test.ts'],
  ['test/two words.test.ts', "'test/two words.test.ts'"],
  ["test/ann's $(x).test.ts", "'test/ann'\\''s $(x).test.ts'"],
  ['test/a\u001b[2J.test.ts', "'test/a\\u001b[2J.test.ts'"],
])('%j is one word of a shell', (path, word) => {
  expect(shellWord(path)).toBe(word)
})
