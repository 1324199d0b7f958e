// Measures typing in Chromium during a flood: how long each key takes until it is painted, and the longest task of the page.
//   node packages/workspace/bench/typing.mjs                       after npm run build
//   PAGES=/tmp/old-page,packages/service/page RATE=500 SECONDS=10 CHANNELS=200 node packages/workspace/bench/typing.mjs
// PAGES are folders of built pages, measured one after the other. The events are in the open channel in the first row of each, and in
// other channels of the sidebar in the second. Needs Chromium (CHROME_PATH). Exit code 0: the last page is within the limits below.
import path from 'node:path'
import { number } from '../soak/settings.mjs'
import { call, p, root, round, servePage, text, watchKeys, watchTasks, withPage } from './page-rig.mjs'

const RATE = number('RATE', 500)
const SECONDS = number('SECONDS', 10)
const CHANNELS = number('CHANNELS', 200)
/** The channels that share the events of the second row. */
const BUSY = 10
const TYPED = 'a sentence that someone types while it rains messages '
/** The pause between two keys of a fast typist. */
const KEY_PAUSE_MS = 80
const PATIENCE_MS = 180_000
const folders = (process.env['PAGES'] ?? path.join(root, 'packages/service/page')).split(',')
const limits = { keyP50Ms: 25, keyP95Ms: 50, worstTaskMs: 100 }

const names = Array.from({ length: CHANNELS }, (_, n) => `room-${n + 1}`)
const world = {
  people: [{ username: 'ann' }, { username: 'bob', token: 'token-of-bob' }],
  servers: [{ name: 'Workshop', owner: 'ann', members: ['bob'], channels: names.map((name) => ({ name })) }],
}
const good = await withPage(world, async (service, browser) => {
  const { servers } = await call(service, 'GET', '/people/v1/me')
  const { channels } = await call(service, 'GET', `/people/v1/servers/${servers[0].id}`)
  const ids = channels.map(({ id }) => id)
  const rows = []
  for (const folder of folders) {
    const inOpen = await measure(service, browser, folder, ids.slice(0, 1))
    const inOthers = await measure(service, browser, folder, ids.slice(1, 1 + BUSY))
    rows.push({ folder, events: 'in the open channel', ...inOpen }, { folder, events: 'in others', ...inOthers })
  }
  console.table(rows)
  console.table([{ limits: 'at most', ...limits }])
  return rows.slice(-2).every((row) => Object.entries(limits).every(([name, most]) => row[name] <= most))
})
process.exit(good ? 0 : 1)

async function measure(service, browser, folder, channelIds) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  await servePage(page, service, folder)
  await page.goto(service.page)
  await page.getByRole('button', { name: 'ann', exact: true }).click()
  const box = page.getByRole('textbox', { name: /^Message / })
  await box.waitFor()
  await box.click()
  await page.evaluate(watchKeys)
  await page.evaluate(watchTasks)
  const count = (RATE * SECONDS) / channelIds.length
  const flood = channelIds.map((channel_id) =>
    call(service, 'POST', '/controls/v1/load', {
      channel_id,
      count,
      per_second: RATE / channelIds.length,
      content: text(3),
    }),
  )
  const endMs = performance.now() + SECONDS * 1000
  let pressed = 0
  while (performance.now() < endMs) {
    await page.keyboard.type(TYPED, { delay: KEY_PAUSE_MS })
    pressed += TYPED.length
  }
  await Promise.all(flood)
  await page.waitForFunction((most) => globalThis.keyTimes.length >= most, pressed)
  const keys = await page.evaluate(() => globalThis.keyTimes)
  const tasks = await page.evaluate(() => globalThis.taskTimes)
  const typed = await box.inputValue()
  if (typed.length !== pressed) throw new Error(`${pressed} keys became ${typed.length} characters`)
  await page.close()
  return {
    keys: pressed,
    keyP50Ms: round(p(keys, 0.5)),
    keyP95Ms: round(p(keys, 0.95)),
    keyWorstMs: round(Math.max(...keys)),
    worstTaskMs: Math.round(Math.max(0, ...tasks)),
    longTasks: tasks.length,
  }
}
