import { expect, test } from 'vitest'
import { forceErrors } from './forced-errors.test.fixture.ts'

// The long form: packages/workspace/soak/secrets.mjs
test('no line or file contains a secret, however a handler fails', async () => {
  const { hits, lines } = await forceErrors(60)
  expect(hits).toEqual([])
  // Every error was logged.
  expect(lines).toBeGreaterThan(100)
})
