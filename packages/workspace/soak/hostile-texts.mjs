// Passes COUNT hostile texts of up to 100,000 characters to everything that reads external text. Needs the build.
//   COUNT=10000 SEED=1 node packages/workspace/soak/hostile-texts.mjs
// Exit code 0: no operation took more than 50 ms of processor time.
import { escape } from '@botwright/framework'
import { didYouMean, printable } from '@botwright/protocol/facts'
import { startService } from '@botwright/service'
import { argKinds, hostileTexts, readArg } from '../dist/lib/attacks/hostile-args.test.fixture.js'
import { number, seeded, SEED } from './settings.mjs'

const COUNT = number('COUNT', 10_000)
const MOST_MS = 50
const random = seeded(SEED)
const pick = (list) => list[Math.floor(random() * list.length)]
const texts = new Map([30, 300, 2000, 20_000, 100_000].map((length) => [length, hostileTexts(length)]))
const names = Array.from({ length: 10_000 }, (_, n) => `name-${n}`)

const token = 'token-of-the-attacked-bot'
const service = await startService({
  port: 0,
  controls: true,
  world: {
    people: [{ username: 'ann' }],
    bots: [{ username: 'helper', owner: 'ann', token }],
    servers: [{ name: 'Workshop', owner: 'ann', bots: ['helper'], channels: [{ name: 'general' }] }],
  },
})
const general = service.world.servers['Workshop'].channels['general']
const post = async (base, authorization, body) => {
  // Advance the clock, because rate limits are not the subject of this test.
  service.clock.advance(60_000)
  const answer = await fetch(`${service.url}${base}/channels/${general}/messages`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await answer.text()
  if (answer.status >= 500) throw new Error(`answered with ${answer.status}`)
}
const person = (body) => post('/people/v1', `Person ${service.world.people['ann'].token}`, body)
const bot = (body) => post('/v1', `Bot ${token}`, body)

const operations = {
  ...Object.fromEntries(Object.entries(argKinds).map(([name, kind]) => [`${name}()`, (text) => readArg(kind, text)])),
  escape: (text) => escape(text),
  'escape, cut': (text) => escape(text, { max: 2000 }),
  didYouMean: (text) => didYouMean(text, names),
  printable: (text) => printable(text),
  'message of a person': (text) => person({ content: text }),
  'link of a person': (text) => person({ content: `https://${text}` }),
  'embed of a bot': (text) =>
    bot({ embeds: [{ title: text, description: text, fields: [{ name: text, value: text }] }] }),
  'link of a bot': (text) => bot({ embeds: [{ title: 'x', url: `https://${text}` }] }),
}

console.log(`seed ${SEED}`)
/** All processor times of each operation, in milliseconds. */
const times = new Map(Object.keys(operations).map((name) => [name, []]))
const slow = []
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
for (const run of Object.values(operations)) await run('warm')
for (let i = 0; i < COUNT; i++) {
  const length = pick([...texts.keys()])
  const text = pick(texts.get(length))
  const name = pick(Object.keys(operations))
  // The minimum of three runs: garbage collection may disturb any of them.
  let least = Infinity
  for (let n = 0; n < 3 && least > MOST_MS / 10; n++) {
    const startMs = cpuMs()
    await operations[name](text)
    least = Math.min(least, cpuMs() - startMs)
  }
  times.get(name).push(least)
  if (least > MOST_MS)
    slow.push(`${name}: ${Math.round(least)} ms for ${length} characters, ${JSON.stringify(text.slice(0, 30))}…`)
}
for (const [name, all] of times) {
  all.sort((a, b) => a - b)
  const at = (part) => (all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0).toFixed(2)
  console.log(`${name}: ${all.length} texts, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`)
}
for (const line of slow.slice(0, 20)) console.log(`SLOW: ${line}`)
console.log(`${slow.length} of ${COUNT} took more than ${MOST_MS} ms`)
await service.close()
process.exitCode = slow.length > 0 ? 1 : 0
