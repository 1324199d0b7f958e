// Sends SENDS messages through the real budget in virtual time, then SENDS more from a bot whose process is killed KILLS times, and checks
// the sends against four models of the service's limit (§8: 30 a minute). Needs the build.
//   SENDS=10000 KILLS=100 SEED=1 node packages/workspace/soak/sends.mjs
// Exit code 0: no model would have responded with 429.
import { number, SEED } from './settings.mjs'

const SENDS = number('SENDS', 10_000)
const KILLS = number('KILLS', 100)
const built = new URL('../../rest/dist/lib/limited-sends.test.fixture.js', import.meta.url)
const { limitedSends } = await import(built.href)

console.log(`seed ${SEED}`)
for (const kills of [0, KILLS]) {
  const { refused, ...rest } = await limitedSends({ sends: SENDS, kills, seed: SEED })
  console.log(JSON.stringify(rest))
  for (const [model, count] of Object.entries(refused)) console.log(`  ${count} responses of 429 by ${model}`)
  if (Object.values(refused).some((count) => count > 0)) process.exitCode = 1
}
