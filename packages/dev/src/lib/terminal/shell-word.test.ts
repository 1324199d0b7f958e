import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test.skipIf(process.platform === 'win32').each([
  ['test/ping.test.ts', 'test/ping.test.ts'],
  ['test/größe_2.test.ts', 'test/größe_2.test.ts'],
  ['test/two words.test.ts', "'test/two words.test.ts'"],
  ["test/ann's $(x).test.ts", "'test/ann'\\''s $(x).test.ts'"],
  ['test/a\u001b[2J.test.ts', "'test/a\\u001b[2J.test.ts'"],
])('%j is one word of a shell', (path, word) => {
  expect(shellWord(path)).toBe(word)
})
