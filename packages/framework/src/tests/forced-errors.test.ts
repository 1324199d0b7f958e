import { expect, test } from 'vitest'
import { forceErrors } from './forced-errors.test.fixture.ts'

// The long form: packages/workspace/soak/secrets.mjs
test('no secret stands in any line or file, in whatever way a handler fails', async () => {
  const { hits, lines } = await forceErrors(60)
  expect(hits).toEqual([])
  // They were told, each of them.
  expect(lines).toBeGreaterThan(100)
})
