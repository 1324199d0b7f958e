// Sends COUNT generated events, many of them malformed, through a feed to a bot whose handlers throw. Needs the build.
//   COUNT=1000000 SEED=1 node packages/workspace/soak/events.mjs
// Exit code 0: nothing crashed, every readable event was delivered once, and unknown types were kept and counted.
import { number, SEED } from './settings.mjs'

const COUNT = number('COUNT', 1_000_000)
const built = new URL('../../framework/dist/tests/generated-events.test.fixture.js', import.meta.url)
const { runGenerated } = await import(built.href)

console.log(`seed ${SEED}`)
const begunMs = performance.now()
const { failures, reports, ...rest } = await runGenerated(COUNT, SEED)
console.log(
  JSON.stringify({ ...rest, reports: Object.fromEntries(reports), ms: Math.round(performance.now() - begunMs) }),
)
for (const failure of failures.slice(0, 10)) console.error(failure)
const good = failures.length === 0 && rest.stats.finished === rest.stats.received && rest.unknown === rest.sawUnknown
process.exitCode = good ? 0 : 1
