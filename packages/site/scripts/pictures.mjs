// Takes the pictures of the documentation: the page of the local service and the terminal, light and dark, into docs/public/pictures.
// Real output of the bot of the ten-minute start: run it when the page or the terminal looks different. Needs Chromium.
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { terminalPage } from './terminal-page.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const out = join(root, 'packages/site/docs/public/pictures')
await mkdir(out, { recursive: true })
// The bot is called as its folder is.
const around = await mkdtemp(join(root, 'packages/site/dist/pictures-'))
const folder = join(around, 'my-bot')
await cp(join(root, 'templates/basic'), folder, { recursive: true })
await cp(join(root, 'packages/workspace/tests/tea-bot'), folder, { recursive: true })

const dev = spawn(process.execPath, [join(root, 'packages/framework/bin/framework.cjs'), 'dev', '--port', '0'], {
  cwd: folder,
  env: { ...process.env, FORCE_COLOR: '1' },
})
let told = ''
dev.stdout.on('data', (data) => (told += data))
dev.stderr.on('data', (data) => (told += data))
const until = async (pattern) => {
  for (let tries = 0; tries < 300; tries++) {
    const found = pattern.exec(told.replaceAll(/\u001b\[[\d;]*m/g, ''))
    if (found) return found
    await sleep(100)
  }
  throw new Error(`framework dev did not tell ${pattern}:\n${told}`)
}

const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

/** A picture as WebP, which Playwright itself does not write. */
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
  const bob = await open('bob', 'dark')
  await says(ann, 'It is four o’clock!')
  await says(ann, '/tea mint')
  await bob.getByRole('button', { name: 'Me!' }).last().click()
  await sleep(900)
  await says(bob, '/steep mint')
  await bob.getByRole('button', { name: 'Me!' }).last().click()
  await sleep(900)
  await says(ann, '/cups')
  await sleep(500)
  await take(ann, 'page-light')
  await take(bob, 'page-dark')

  // A save, and a mistake.
  const file = join(folder, 'commands/steep.ts')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('mint: 7', 'mint: 8'))
  await until(/↻ commands\/steep\.ts/)
  await writeFile(file, text.replace('mint: 7 }', 'mint: 8'))
  await until(/steep\.ts:\d+/)
  await sleep(700)
  for (const look of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 860, height: 720 }, colorScheme: look })
    await page.setContent(terminalPage(told))
    await take(page, `terminal-${look}`)
  }
} finally {
  await browser.close()
  dev.kill('SIGTERM')
  await new Promise((resolve) => dev.once('exit', resolve))
  await rm(around, { recursive: true, force: true })
}
