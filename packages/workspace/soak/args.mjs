// Reads COUNT generated texts as arguments of commands, and COUNT sets of values written in the form that people type. Needs the build.
//   COUNT=100000 SEED=1 node packages/workspace/soak/args.mjs
// Exit code 0: every text was read or rejected with ERR_ARGS, and every value came back unchanged.
import assert from 'node:assert/strict'
import { number, SEED } from './settings.mjs'

const COUNT = number('COUNT', 100_000)

const generators = new URL('../../framework/dist/author/args/generated.test.fixture.js', import.meta.url)
const { readGenerated, readWritten } = await import(generators.href)

console.log(`seed ${SEED}`)
const begunMs = performance.now()
const result = await readGenerated(COUNT, SEED)
console.log(`${result.read} texts read, ${result.refused} rejected, ${Math.round(performance.now() - begunMs)} ms`)
await readWritten(COUNT, SEED, (read, written) => assert.deepStrictEqual({ ...read }, { ...written }))
console.log(`${COUNT} sets of values came back, ${Math.round(performance.now() - begunMs)} ms`)
