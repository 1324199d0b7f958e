// Measures the events per second and the latency of one bot on 1, 2 and 4 instances of a cluster, compared with a bot without a cluster.
//   EVENTS=12000 CHANNELS=200 WORK_MS=2 RATE=500 SECONDS=10 MACHINES=1,2,4 node packages/workspace/soak/cluster/throughput.mjs
// First all events at once (a rate), then RATE a second (p50 and p99 from the service's commit to the handler). Needs redis-server and the build.
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder, startBot, writeBot } from '../rig.mjs'
import { number } from '../settings.mjs'
import { startRedis } from './rig.mjs'

const EVENTS = number('EVENTS', 12_000)
const CHANNELS = number('CHANNELS', 200)
const WORK_MS = number('WORK_MS', 2)
const RATE = number('RATE', 500)
const SECONDS = number('SECONDS', 10)
const FSYNC = process.env.FSYNC ?? 'everysec'
const SIZES = (process.env.MACHINES ?? '0,1,2,4').split(',').map(Number)

const rows = []
for (const size of SIZES) rows.push(await measure(size))
console.table(Object.fromEntries(rows.map(({ what, ...row }) => [what, row])))

/** `size` 0: without a cluster. */
async function measure(size) {
  const folder = newFolder('throughput')
  const redis = size > 0 ? await startRedis(folder, { fsync: FSYNC }) : undefined
  const feed = await openFeed()
  const root = writeBot(folder, {
    'events/message.js': `process.on('message', () => {})
let handled = []
const report = () => { const times = handled; handled = []; fetch(${JSON.stringify(feed.url)} + '/handled', { method: 'POST', body: JSON.stringify(times) }) }
export default async (ctx) => {
  const lateMs = Date.now() - Number(ctx.event.content)
  ${WORK_MS > 0 ? `await new Promise((resolve) => setTimeout(resolve, ${WORK_MS}))` : ''}
  if (handled.push([lateMs, Date.now()]) === 1) setTimeout(report, 20)
}
`,
  })
  const machines = Array.from({ length: Math.max(size, 1) }, (_, place) =>
    startBot({
      root,
      args: [...(redis ? ['--cluster', redis.url] : []), '--state', join(folder, `state-${place}`)],
      env: { BOT_TOKEN: 'token-of-the-bench-bot', BOT_BASE_URL: `${feed.url}/v1`, LOG_LEVEL: 'info' },
      onLine: (line) => process.env.SHOW && console.error(place, line),
    }),
  )
  await Promise.all(machines.map(({ ready }) => ready))
  await sleep(1000)
  const cpu = (child) => Number(cpuOf(child.pid))
  const before = machines.map(({ child }) => cpu(child))
  const beganMs = Date.now()
  const all = feed.burst(EVENTS)
  const lastMs = await all
  const rate = Math.round(EVENTS / ((lastMs - beganMs) / 1000))
  const cpuUs = Math.round((machines.reduce((sum, { child }, i) => sum + cpu(child) - before[i], 0) * 1e6) / EVENTS)
  await sleep(500)
  const times = (await feed.steady(RATE, SECONDS)).sort((a, b) => a - b)
  for (const { child } of machines) child.kill('SIGTERM')
  await Promise.all(machines.map(({ ended }) => ended))
  await redis?.stop()
  feed.close()
  rmSync(folder, { recursive: true, force: true })
  const at = (part) => times[Math.min(Math.floor(times.length * part), times.length - 1)]
  return { what: size === 0 ? 'single' : `${size} of a cluster`, rate, cpuUs, p50: at(0.5), p99: at(0.99) }
}

/** Seconds of processor time of a process with its threads. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A feed with minimal cost: prepared events, 100 a page, as fast as the bot requests them. */
async function openFeed() {
  let id = 1
  let events = []
  let waiting
  let times = []
  let expected
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x')
    const answer = (body) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (pathname === '/handled') {
      let text = ''
      request.on('data', (part) => (text += part))
      request.on('end', () => {
        times.push(...JSON.parse(text))
        answer({})
        if (expected && times.length >= expected.count) expected.done()
      })
    } else if (pathname === '/v1/me')
      answer({ id: '00000000-0000-4000-8000-000000000001', username: 'bench', bot: true })
    else if (pathname === '/v1/commands') answer({ commands: [] })
    else if (pathname === '/v1/events') {
      const after = Number(searchParams.get('after'))
      if (after === 0) return answer({ events: [], last: id })
      const page = () => {
        const from = events.findIndex((event) => event.id > after)
        const some = from < 0 ? [] : events.slice(from, from + 100)
        return { events: some, last: some.at(-1)?.id ?? Math.max(after, 1) }
      }
      const now = page()
      if (now.events.length > 0) return answer(now)
      const timer = setTimeout(() => answer(page()), Number(searchParams.get('wait')) * 1000)
      waiting = () => {
        clearTimeout(timer)
        if (!response.writableEnded) answer(page())
      }
    } else {
      response.statusCode = 404
      answer({ error: 'unknown' })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const make = () => ({
    id: ++id,
    type: 'message',
    created_at: new Date().toISOString(),
    data: {
      ...{
        id: `m${id}`,
        channel_id: `c${id % CHANNELS}`,
        server_id: 's',
        author_id: 'ann',
        content: String(Date.now()),
      },
      ...{ author: { id: 'ann', username: 'ann', bot: false }, attachments: [], mentions: [] },
    },
  })
  const allHandled = (count) =>
    new Promise((done) => {
      times = []
      expected = { count, done }
    })
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => (server.closeAllConnections(), server.close()),
    /** Sends all at once and returns the time when the last was handled. */
    async burst(count) {
      const all = allHandled(count)
      events = Array.from({ length: count }, make)
      waiting?.()
      await all
      return Math.max(...times.map(([, atMs]) => atMs))
    },
    /** Sends at an even rate and returns the delay of each event. */
    async steady(rate, seconds) {
      const all = allHandled(rate * seconds)
      const beganMs = performance.now()
      for (let made = 0; made < rate * seconds;) {
        const due = Math.min(Math.floor(((performance.now() - beganMs) * rate) / 1000), rate * seconds)
        if (due > made) {
          events = events.slice(-2000)
          for (; made < due; made++) events.push(make())
          waiting?.()
        }
        await sleep(1)
      }
      await all
      return times.map(([lateMs]) => lateMs)
    },
  }
}
