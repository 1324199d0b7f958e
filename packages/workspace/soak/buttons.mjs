// Makes COUNT buttons with generated parameters and clicks them, and clicks COUNT made-up custom_ids. Needs the build.
//   COUNT=100000 SEED=1 node packages/workspace/soak/buttons.mjs
// Exit code 0: every click carried the parameters of its button, no custom_id was longer than 100 characters, and nothing threw.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { number, SEED } from './settings.mjs'

const generators = new URL('../../framework/dist/author/buttons/button-ids.test.fixture.js', import.meta.url)
const { garbage, madeButtons, readGarbage, roundTrip } = await import(generators.href)

const COUNT = number('COUNT', 100_000)

let longest = 0
let outdated = 0
const options = { numRuns: COUNT, seed: SEED }
try {
  fc.assert(
    fc.property(madeButtons, ({ shape, values }) => {
      const { id, carried } = roundTrip(shape, values)
      longest = Math.max(longest, Array.from(id).length)
      return longest <= 100 && isDeepStrictEqual({ ...carried }, values)
    }),
    options,
  )
  fc.assert(
    fc.property(garbage, (id) => {
      if (readGarbage(id) === undefined) outdated++
    }),
    options,
  )
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
console.log(JSON.stringify({ count: COUNT, seed: SEED, longest, outdated }))
