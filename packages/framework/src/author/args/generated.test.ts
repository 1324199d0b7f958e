import { expect, test } from 'vitest'
import { readGenerated, readWritten } from './generated.test.fixture.ts'

// The long form is packages/workspace/soak/args.mjs.
const seed = Math.floor(Math.random() * 2 ** 31)

test(`whatever is typed is read or refused with ERR_ARGS, nothing else (seed ${seed})`, async () => {
  const { read, refused } = await readGenerated(3000, seed)
  expect(read).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(100)
})

test(`values that are written as they are typed are read back as they were (seed ${seed})`, async () => {
  await readWritten(1500, seed, (read, written) => expect(read).toEqual(written))
})
