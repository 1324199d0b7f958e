// Sends SENDS messages from MACHINES processes through one message budget on Redis to the real local service, which uses its own clock.
//   SENDS=300 MACHINES=8 node packages/workspace/soak/cluster/sends.mjs
// Needs the build and redis-server. 300 messages take 9 minutes, since the interface's limit is 30 a minute (§8). Exit code 0: no response of 429, and all were sent.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { newFolder } from '../rig.mjs'
import { number } from '../settings.mjs'
import { startRedis } from './rig.mjs'

const SENDS = number('SENDS', 300)
const MACHINES = number('MACHINES', 8)
const built = (path) => import(new URL(`../../../${path}`, import.meta.url).href)

async function machine({ redisUrl, baseUrl, token, channelId, sends, name }) {
  const { RedisLink } = await built('cluster/dist/lib/redis/connect.js')
  const { RedisLimits } = await built('cluster/dist/lib/shared/redis-limits.js')
  const { keysOf } = await built('cluster/dist/lib/redis/keys.js')
  const { createCall } = await built('rest/dist/index.js')
  const { systemClock: clock } = await built('clock/dist/index.js')
  const log = { debug() {}, info() {}, warn: console.error, error: console.error }
  const link = await RedisLink.open({ url: redisUrl, log, clock, name })
  const keys = keysOf(baseUrl, 'bot')
  const limitStore = new RedisLimits({ link, keys, clock, requests: 30, seconds: 60, timeoutMs: 15_000 })
  const call = createCall({ baseUrl, token, limitStore })
  const priorities = ['answer', 'reply', 'broadcast']
  const texts = Array.from({ length: sends }, (_, i) => `message ${i} of ${name}`)
  const ends = await Promise.allSettled(
    texts.map((content, i) =>
      call('messages.create', { channel_id: channelId, content }, { priority: priorities[i % 3] }),
    ),
  )
  const { sent, rateLimited } = call.stats()
  const failed = ends.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message]))
  await call[Symbol.asyncDispose]()
  await link.close()
  process.send({ sent, rateLimited, failed })
}

async function main() {
  const folder = newFolder('sends')
  const redis = await startRedis(folder)
  const { startService } = await built('service/dist/index.js')
  const { defaultWorld } = await built('service/dist/default-world.js')
  const service = await startService({ port: 0, world: defaultWorld('counter') })
  try {
    const bot = Object.values(service.world.bots)[0]
    const channelId = service.world.servers.Workshop.channels.general
    const startMs = performance.now()
    const children = Array.from({ length: MACHINES }, async (_, place) => {
      const sends = Math.floor(SENDS / MACHINES) + (place < SENDS % MACHINES ? 1 : 0)
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'machine'], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      child.send({
        ...{ redisUrl: redis.url, baseUrl: service.base_url, token: bot.token },
        ...{ channelId, sends, name: `machine ${place}` },
      })
      const [report] = await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => [{ failed: ['ended'] }]),
      ])
      return report
    })
    const all = await Promise.all(children)
    const sum = (name) => all.reduce((total, report) => total + (report[name] ?? 0), 0)
    const failed = all.flatMap((report) => report.failed)
    const seconds = Math.round((performance.now() - startMs) / 1000)
    const result = {
      machines: MACHINES,
      sent: sum('sent'),
      answers_of_429: sum('rateLimited'),
      failed: failed.length,
      seconds,
    }
    console.log(JSON.stringify(result))
    for (const text of failed.slice(0, 5)) console.error(text)
    if (result.sent !== SENDS || result.answers_of_429 > 0 || failed.length > 0) process.exitCode = 1
  } finally {
    await service.close()
    // Its data is deleted with its folder.
    await redis.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[2] === 'machine')
  process.once('message', (asked) => void machine(asked).then(() => process.disconnect()))
else await main()
