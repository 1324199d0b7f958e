import { captureIo } from '@botwright/framework/start'
import { expect, test } from 'vitest'
import { createTerminal, table, wantsColors } from './terminal.ts'

const terminal = { isTTY: true }
const pipe = {}

test.each([
  ['a terminal', terminal, {}, true],
  ['a pipe', pipe, {}, false],
  ['a pipe of a CI', pipe, { CI: 'true' }, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1', CI: 'true' }, true],
  ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
])('colors: %s', (_what, stream, env, expected) => {
  expect(wantsColors(stream, env)).toBe(expected)
})

test('colors do not count as width of a cell', () => {
  expect(
    table([
      ['\u001b[1mab\u001b[22m', 'x'],
      ['abcd', 'y'],
    ]),
  ).toEqual(['\u001b[1mab\u001b[22m    x', 'abcd  y'])
})

test('output in a pipe has no colors, in CI too, unless they are forced', () => {
  const printed = (env: Record<string, string>) => {
    const io = captureIo({ cwd: '/', env })
    const { colors, print } = createTerminal(io)
    print(colors.green('done'))
    return io.stdout.text
  }
  expect(printed({ CI: 'true' })).toBe('done\n')
  expect(printed({ NO_COLOR: '1', CI: 'true' })).toBe('done\n')
  expect(printed({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe('\u001b[32mdone\u001b[39m\n')
})
