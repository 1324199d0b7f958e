import { expect, test } from 'vitest'
import { readGenerated, readWritten } from './generated.test.fixture.ts'

// The long form is packages/workspace/soak/args.mjs.
const seed = Number(process.env['SEED'] ?? 1)

test(`reads any text, or rejects it with ERR_ARGS (seed ${seed})`, async () => {
  const { read, refused } = await readGenerated(3000, seed)
  expect(read).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(100)
})

test(`reads typed values back unchanged (seed ${seed})`, async () => {
  await readWritten(1500, seed, (read, written) => expect(read).toEqual(written))
})
