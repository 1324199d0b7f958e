// The rig of the measurements of the chat page: a service of their own, a Chromium with software rendering, and functions that run in the page.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs a measurement with a service of this world and a browser, and ends both afterwards. */
export async function withPage(world, work) {
  const outside = mkdtempSync(path.join(tmpdir(), 'botwright-page-'))
  const children = []
  const browser = await chromium.launch({
    executablePath: process.env['CHROME_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    return await work(await startService(world, outside, children), browser)
  } finally {
    await browser.close()
    for (const child of children) child.kill()
    rmSync(outside, { recursive: true, force: true })
  }
}

async function startService(world, outside, children) {
  const file = path.join(outside, 'world.json')
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

export async function call(service, method, address, body, authorization = 'Person token-of-bob') {
  const response = await fetch(service.url + address, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** Lets a page load the files of this folder; the service sends those of the folder that it was built with. */
export async function servePage(page, service, folder) {
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json' }
  const { port } = new URL(service.url)
  await page.route(new RegExp(`:${port}/(?:$|assets/)`), (route) => {
    const name = path.basename(new URL(route.request().url()).pathname) || 'index.html'
    const contentType = types[name.split('.').at(-1)]
    return route.fulfill({ body: readFileSync(path.join(folder, name)), contentType })
  })
}

/** A text of one to four lines, with the markup that people use. */
export function text(n) {
  const more = Array.from({ length: n % 4 }, (_, line) => `line ${line} of a longer text, ${'word '.repeat(n % 17)}`)
  return [`message ${n} with **bold**, \`code\` and [a link](https://example.com/${n})`, ...more].join('\n')
}

export function p(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]
}
export function round(value) {
  return Math.round(value * 10) / 10
}

// The functions below run in the page.

/** Records the time from each key press until after the frame that paints it. */
export function watchKeys() {
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

export function watchTasks() {
  globalThis.taskTimes = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.taskTimes.push(duration)
  }).observe({ type: 'longtask' })
}
