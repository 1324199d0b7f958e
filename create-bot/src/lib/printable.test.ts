import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { printable } from './printable.ts'
import { plainScreen } from './screen.ts'

const hostile = 'npm\u001b]52;c;ZXZpbA==\u0007 \u009b2J \u202ex\r!\u2028\u200b'
const escaped = 'npm\\u001b]52;c;ZXZpbA==\\u0007 \\u009b2J \\u202ex\\u000d!\\u2028\\u200b'

test('escapes control characters and keeps styles', () => {
  expect(printable(hostile)).toBe(escaped)
  expect(printable('\u001b[1mbold\u001b[22m\n👩‍💻\t')).toBe('\u001b[1mbold\u001b[22m\n👩‍💻\t')
})

test('escapes every line of the plain screen', () => {
  let output = ''
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      output += chunk.toString()
      done()
    },
  })
  const screen = plainScreen(stream, stream)
  screen.begin('x').done(hostile)
  screen.begin('x').failed(hostile)
  for (const write of [screen.done, screen.note, screen.fail, screen.cancelled]) write(hostile)
  screen.steps([[hostile, hostile]])
  expect(output.split(escaped)).toHaveLength(9)
  expect(output).not.toMatch(/[\u0007\r\u009b\u202e\u2028]/)
})
