// Measures the chat page in Chromium with software rendering: 5,000 loaded messages, typing, changing the channel, 500 events a second.
//   node packages/workspace/bench/page.mjs                       after npm run build
//   PAGES=/tmp/old-page,packages/service/page COUNT=5000 RATE=500 SECONDS=10 node packages/workspace/bench/page.mjs
// PAGES are folders of built pages, measured one after the other with the same service. Needs Chromium (CHROME_PATH).
// Exit code 0: the last page is within the limits below.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { number } from '../soak/settings.mjs'

const COUNT = number('COUNT', 5000)
const RATE = number('RATE', 500)
const SECONDS = number('SECONDS', 10)
const TYPED = 'seventeen letters'
/** The pause between two keys of a fast typist. */
const KEY_PAUSE_MS = 80
const SWITCHES = 6
const SCROLL_FRAMES = 120
const SCROLL_STEP_PX = 240
const PATIENCE_MS = 180_000
const limits = { nodes: 3000, scrollP95Ms: 32, keyMs: 50, switchMs: 300, longestTaskMs: 100 }

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = (process.env['PAGES'] ?? path.join(root, 'packages/service/page')).split(',')
const botToken = 'token-of-the-page-bench'

const outside = mkdtempSync(path.join(tmpdir(), 'botwright-page-'))
const children = []
const browser = await chromium.launch({
  executablePath: process.env['CHROME_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
let good = false
try {
  const service = await startService()
  const newest = await fill(service)
  const rows = []
  for (const folder of folders) rows.push({ folder, ...(await measure(service, folder, newest)) })
  console.table(rows)
  console.table([{ limits: 'at most', ...limits }])
  good = Object.entries(limits).every(([name, most]) => rows.at(-1)[name] <= most)
} finally {
  await browser.close()
  for (const child of children) child.kill()
  rmSync(outside, { recursive: true, force: true })
}
process.exit(good ? 0 : 1)

async function startService() {
  const file = path.join(outside, 'world.json')
  const channels = [{ name: 'long' }, { name: 'short' }, { name: 'busy' }]
  const server = { name: 'Workshop', owner: 'ann', members: ['bob'], bots: ['poster'], channels }
  const world = {
    people: [
      { username: 'ann', token: 'token-of-ann' },
      { username: 'bob', token: 'token-of-bob' },
    ],
    bots: [{ username: 'poster', owner: 'ann', token: botToken }],
    servers: [server],
  }
  writeFileSync(file, JSON.stringify(world))
  const argv = [
    path.join(root, 'packages/service/dist/main.js'),
    '--port',
    '0',
    '--memory',
    '--controls',
    '--world',
    file,
  ]
  const child = spawn(process.execPath, argv, { cwd: outside, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"ready"')) return JSON.parse(line)
  }
  throw new Error('the service ended before it was ready')
}

async function call(service, method, address, body, authorization = 'Person token-of-bob') {
  const response = await fetch(service.url + address, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** A text of one to four lines, with the markup that people use. */
function text(n) {
  const more = Array.from({ length: n % 4 }, (_, line) => `line ${line} of a longer text, ${'word '.repeat(n % 17)}`)
  return [`message ${n} with **bold**, \`code\` and [a link](https://example.com/${n})`, ...more].join('\n')
}

/** Posts the messages; the newest one replies to the oldest, so that one click loads all of them. */
async function fill(service) {
  const { servers } = await call(service, 'GET', '/people/v1/me')
  const { channels } = await call(service, 'GET', `/people/v1/servers/${servers[0].id}`)
  const ids = Object.fromEntries(channels.map(({ name, id }) => [name, id]))
  const post = (channel, body) => call(service, 'POST', `/people/v1/channels/${ids[channel]}/messages`, body)
  const first = await post('long', { content: 'the very first' })
  for (let n = 1; n < COUNT; n++) {
    const message = await post('long', { content: text(n) })
    const reaction = `/people/v1/channels/${ids.long}/messages/${message.id}/reactions/${encodeURIComponent('👍')}`
    if (n % 50 === 0) await call(service, 'PUT', reaction)
  }
  for (let n = 1; n <= 40; n++) await post('short', { content: text(n) })
  await post('long', { content: 'about that', reply_to: first.id })
  return ids
}

function p(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]
}
function round(value) {
  return Math.round(value * 10) / 10
}

async function measure(service, folder, ids) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const types = { js: 'text/javascript', css: 'text/css' }
  await page.route('**/assets/app.*', (route) => {
    const name = path.basename(new URL(route.request().url()).pathname)
    const contentType = types[name.split('.').at(-1)]
    return route.fulfill({ body: readFileSync(path.join(folder, name)), contentType })
  })
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  await page.goto(service.page)
  await page.getByRole('button', { name: 'ann', exact: true }).click()
  const box = page.getByRole('textbox', { name: /^Message / })
  await box.waitFor()
  const open = (name) =>
    page
      .locator('.sidebar')
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .click()
  await open('long')
  await page.getByText('about that').first().waitFor()

  const loadMs = await timed(async () => {
    await page.getByTitle('Jump to this message').last().click()
    await page.locator('.message.is-highlighted', { hasText: 'the very first' }).waitFor()
  })
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await page.locator('.message', { hasText: 'about that' }).last().waitFor()
  await client.send('HeapProfiler.collectGarbage')
  const { metrics } = await client.send('Performance.getMetrics')
  const metric = (name) => metrics.find((each) => each.name === name).value
  // Elements and texts of the document; the metric "Nodes" also counts detached nodes and those of other documents.
  const nodes = await page.evaluate(countNodes)

  const frames = await page.evaluate(scroll, { count: SCROLL_FRAMES, step: SCROLL_STEP_PX })
  await box.click()
  await page.evaluate(watchKeys)
  // Without a pause, each key would also wait for the frames of the keys before it.
  await page.keyboard.type(TYPED, { delay: KEY_PAUSE_MS })
  await page.waitForFunction((count) => globalThis.keyTimes.length === count, TYPED.length)
  const keys = await page.evaluate(() => globalThis.keyTimes)
  await box.fill('')

  const switches = []
  for (let n = 0; n < SWITCHES; n++) {
    const to = n % 2 === 0 ? 'short' : 'long'
    switches.push(await page.evaluate(switchTo, { name: to, shown: to === 'short' ? 'message 40' : 'about that' }))
  }

  await open('busy')
  await page.evaluate(watchTasks)
  // Pages before this one have posted to the channel, too.
  const mark = `page ${folders.indexOf(folder) + 1}:`
  const load = { channel_id: ids.busy, count: RATE * SECONDS, per_second: RATE, content: `${mark} ${text(3)}` }
  await call(service, 'POST', '/controls/v1/load', load)
  const last = page.locator('.message', { hasText: new RegExp(`${mark}[^]* ${RATE * SECONDS}$`) })
  const eventsMs = await timed(() => last.waitFor())
  const tasks = await page.evaluate(() => globalThis.taskTimes)
  await page.close()
  return {
    nodes,
    allNodes: metric('Nodes'),
    heapMB: round(metric('JSHeapUsedSize') / 1e6),
    loadMs: Math.round(loadMs),
    scrollP95Ms: round(p(frames, 0.95)),
    keyP50Ms: round(p(keys, 0.5)),
    keyMs: round(p(keys, 0.95)),
    switchMs: Math.round(Math.max(...switches)),
    longestTaskMs: Math.round(Math.max(0, ...tasks)),
    longTasks: tasks.length,
    eventsMs: Math.round(eventsMs),
  }
}

async function timed(work) {
  const begunMs = performance.now()
  await work()
  return performance.now() - begunMs
}

// The functions below run in the page.

function countNodes() {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
  let count = 0
  while (walker.nextNode()) count++
  return count
}

async function scroll({ count, step }) {
  const log = document.querySelector('.log')
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const times = []
  let before = await frame()
  for (let n = 0; n < count; n++) {
    log.scrollTop -= step
    const now = await frame()
    times.push(now - before)
    before = now
  }
  return times
}

/** Records the time from each key press until after the frame that paints it. */
function watchKeys() {
  globalThis.keyTimes = []
  addEventListener(
    'keydown',
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => globalThis.keyTimes.push(performance.now() - timeStamp)
        port2.postMessage(0)
      })
    },
    { capture: true },
  )
}

async function switchTo({ name, shown }) {
  const row = [...document.querySelectorAll('.sidebar .channel')].find((each) => each.textContent.includes(name))
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const begun = performance.now()
  row.click()
  while (![...document.querySelectorAll('.message')].at(-1)?.textContent.includes(shown)) await frame()
  await frame()
  return performance.now() - begun
}

function watchTasks() {
  globalThis.taskTimes = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.taskTimes.push(duration)
  }).observe({ type: 'longtask' })
}
