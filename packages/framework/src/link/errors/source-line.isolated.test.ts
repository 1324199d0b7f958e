import { expect, test, vi } from 'vitest'
import { authorStack, sourceLine } from './source-line.ts'

vi.mock(import('node:module'), async (original) => ({
  ...(await original()),
  findSourceMap: () => {
    throw new Error('The module.findSourceMap method is not implemented')
  },
}))

test('an error keeps its stack where no source map can be looked up, as in Workers', () => {
  const error = new Error('no fuel')
  error.stack = 'Error: no fuel\n    at burn (/bot/commands/burn.js:2:9)'
  expect(authorStack(error.stack)).toBe(error.stack)
  expect(sourceLine(error, '/bot', 'commands/burn.js')).toBe('commands/burn.js:2')
})
