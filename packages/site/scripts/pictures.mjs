// Takes the screenshots of the documentation, light and dark, into docs/public/pictures: the page of the local service, each step of the
// ten-minute tutorial, and the terminal. Run it when the page or the terminal looks different. It requires Chromium.
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { terminalPage } from './terminal-page.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const out = join(root, 'packages/site/docs/public/pictures')
await mkdir(out, { recursive: true })
// The bot has the name of its folder.
const around = await mkdtemp(join(root, 'packages/site/dist/pictures-'))
const folder = join(around, 'my-bot')
await cp(join(root, 'templates/basic'), folder, { recursive: true })

const dev = spawn(process.execPath, [join(root, 'packages/framework/bin/framework.cjs'), 'dev', '--port', '0'], {
  cwd: folder,
  env: { ...process.env, FORCE_COLOR: '1' },
})
let output = ''
dev.stdout.on('data', (data) => (output += data))
dev.stderr.on('data', (data) => (output += data))
const until = async (pattern) => {
  for (let tries = 0; tries < 300; tries++) {
    const found = pattern.exec(output.replaceAll(/\u001b\[[\d;]*m/g, ''))
    if (found) return found
    await sleep(100)
  }
  throw new Error(`framework dev did not print ${pattern}:\n${output}`)
}

const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

/** Saves a screenshot as WebP, which Playwright does not support. */
async function take(page, name) {
  await page.mouse.move(2, 400)
  const session = await page.context().newCDPSession(page)
  await sleep(200)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await writeFile(join(out, `${name}.webp`), Buffer.from(data, 'base64'))
}

try {
  const [, address] = await until(/Chat\s+(http:\S+)/)
  const open = async (name, colorScheme) => {
    const page = await browser.newPage({ viewport: { width: 1120, height: 640 }, colorScheme })
    await page.goto(address)
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('textbox', { name: /^Message / }).waitFor()
    return page
  }
  const says = async (page, text) => {
    const box = page.getByRole('textbox', { name: /^Message / })
    await box.fill(text)
    await box.press('Enter')
    await sleep(700)
  }
  const ann = await open('ann', 'light')
  const annInTheDark = await open('ann', 'dark')
  /** The same moment of the tutorial, light and dark, in a lower window: the newest messages. */
  const step = async (name) => {
    for (const [page, look] of [
      [ann, 'light'],
      [annInTheDark, 'dark'],
    ]) {
      await page.setViewportSize({ width: 960, height: 400 })
      await sleep(300)
      const jump = page.getByRole('button', { name: 'Jump to latest' })
      if (await jump.isVisible()) await jump.click()
      await sleep(500)
      await take(page, `${name}-${look}`)
      await page.setViewportSize({ width: 1120, height: 640 })
    }
  }
  /** Adds files of the tutorial to the running bot, as its reader does; the last one is a command. */
  const add = async (...paths) => {
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await cp(join(root, 'packages/workspace/tests/tea-bot', path), join(folder, path))
    }
    await until(new RegExp(`↻ .*${paths.at(-1)}`))
    await sleep(500)
  }
  const bob = await open('bob', 'dark')
  await says(ann, '/ping')
  await step('step-ping')
  await add('commands/steep.ts')
  await says(ann, '/steep green')
  await says(ann, '/steep coffee')
  await step('step-command')

  // A mistake in the code: the old code keeps answering.
  const file = join(folder, 'commands/steep.ts')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('mint: 7 }', 'mint: 7'))
  await until(/steep\.ts:\d+/)
  await sleep(700)
  await says(ann, '/steep mint')
  for (const look of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 860, height: 720 }, colorScheme: look })
    await page.setContent(terminalPage(output))
    await take(page, `terminal-${look}`)
  }
  await writeFile(file, text)

  await add('state/cups.ts', 'buttons/cup.ts', 'commands/tea.ts')
  await says(ann, '/tea mint')
  await bob.getByRole('button', { name: 'Me!' }).last().click()
  await sleep(900)
  await step('step-button')
  await says(bob, '/tea green')
  for (const person of [bob, ann]) {
    await person.getByRole('button', { name: 'Me!' }).last().click()
    await sleep(900)
  }
  await add('commands/cups.ts')
  await says(ann, '/cups')
  await sleep(500)
  await step('step-cups')
  await take(ann, 'page-light')
  await take(annInTheDark, 'page-dark')
} finally {
  await browser.close()
  dev.kill('SIGTERM')
  await new Promise((resolve) => dev.once('exit', resolve))
  await rm(around, { recursive: true, force: true })
}
