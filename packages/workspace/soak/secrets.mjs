// Makes a bot fail COUNT times in every possible way, with its token, its webhook secret, a channel webhook's URL and the token of each
// click in the error. Searches all output for them: the log at level trace, the program's output, the files of the bot's folder.
//   COUNT=10000 node packages/workspace/soak/secrets.mjs
// Needs the build. Exit code 0: none was found.
import { number } from './settings.mjs'

const COUNT = number('COUNT', 10_000)
const built = new URL('../../framework/dist/tests/forced-errors.test.fixture.js', import.meta.url)
const { forceErrors } = await import(built.href)

const { hits, ...rest } = await forceErrors(COUNT)
console.log(JSON.stringify({ ...rest, hits: hits.length }))
for (const hit of hits.slice(0, 20)) console.log(`  ${hit}`)
process.exitCode = hits.length > 0 ? 1 : 0
