// Measures the chat page in Chromium with software rendering: 5,000 loaded messages, typing, changing the channel, 500 events a second.
//   node packages/workspace/bench/page.mjs                       after npm run build
//   PAGES=/tmp/old-page,packages/service/page COUNT=5000 RATE=500 SECONDS=10 node packages/workspace/bench/page.mjs
// PAGES are folders of built pages, measured one after the other with the same service. Needs Chromium (CHROME_PATH).
// Exit code 0: the last page is within the limits below.
import path from 'node:path'
import { number } from '../soak/settings.mjs'
import { call, p, root, round, servePage, text, watchKeys, watchTasks, withPage } from './page-rig.mjs'

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

const folders = (process.env['PAGES'] ?? path.join(root, 'packages/service/page')).split(',')
const world = {
  people: [
    { username: 'ann', token: 'token-of-ann' },
    { username: 'bob', token: 'token-of-bob' },
  ],
  bots: [{ username: 'poster', owner: 'ann', token: 'token-of-the-page-bench' }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob'],
      bots: ['poster'],
      channels: [{ name: 'long' }, { name: 'short' }, { name: 'busy' }],
    },
  ],
}
const good = await withPage(world, async (service, browser) => {
  const newest = await fill(service)
  const rows = []
  for (const folder of folders) rows.push({ folder, ...(await measure(service, browser, folder, newest)) })
  console.table(rows)
  console.table([{ limits: 'at most', ...limits }])
  return Object.entries(limits).every(([name, most]) => rows.at(-1)[name] <= most)
})
process.exit(good ? 0 : 1)

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

async function measure(service, browser, folder, ids) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  await servePage(page, service, folder)
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

async function switchTo({ name, shown }) {
  const row = [...document.querySelectorAll('.sidebar .channel')].find((each) => each.textContent.includes(name))
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const begun = performance.now()
  row.click()
  while (![...document.querySelectorAll('.message')].at(-1)?.textContent.includes(shown)) await frame()
  await frame()
  return performance.now() - begun
}
