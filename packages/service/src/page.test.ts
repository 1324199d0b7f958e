import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultWorld } from './lib/world.ts'
import { type Service, startService } from './lib/start-service.ts'

const chrome = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
)
const missing = 'page.test.ts: NO BROWSER FOUND, the web page is NOT tested; set CHROME_PATH or install chromium'
if (chrome === undefined && process.env['CI'] !== undefined) throw new Error(missing)
if (chrome === undefined) console.error(`\n!!! ${missing}\n`)

const token = 'token-of-pollster'
let service: Service
let browser: Browser
const stopped = new AbortController()

async function asBot(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const answer = await fetch(service.base_url + path, {
    method,
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { last: number; events: { type: string; data: Record<string, string> }[] }
}

const row = (...labels: string[]) => ({
  type: 'row',
  components: labels.map((label) => ({ type: 'button', style: 'primary', label, custom_id: label })),
})

/** A bot that offers tea and coffee; it never answers to a click on coffee. */
async function runBot(): Promise<void> {
  await asBot('PUT', '/commands', { commands: [{ name: 'order', description: 'Takes your order' }] })
  let { last } = await asBot('GET', '/events?after=0')
  while (!stopped.signal.aborted) {
    const page = await asBot('GET', `/events?after=${last}&wait=25`, undefined, stopped.signal)
    last = page.last
    for (const { type, data } of page.events) {
      if (type === 'message' && data['command'] === 'order') {
        await asBot('POST', `/channels/${data['channel_id']}/messages`, {
          embeds: [{ title: 'What may it be?', description: '**Hot** only', color: '#16794a' }],
          components: [row('Tea', 'Coffee')],
          reply_to: data['id'],
        })
      }
      if (type !== 'interaction' || data['custom_id'] !== 'Tea') continue
      const callback = `/interactions/${data['id']}/${data['token']}/callback`
      await asBot('POST', callback, { type: 'update', content: `Tea for ${data['username']}!`, components: null })
      await asBot('POST', callback, { type: 'ephemeral', content: 'Mind, it is hot.' })
    }
  }
}

async function openAs(name: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(8_000)
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
  await page.goto(service.page)
  await page.getByRole('button', { name, exact: true }).click()
  return page
}
/** What the pages complained about: exceptions, refused scripts, styles or requests. */
const problems: string[] = []

describe.skipIf(chrome === undefined)('the web page', () => {
  let bot: Promise<void>
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../scripts/build-page.mjs', import.meta.url))])
    service = await startService({ port: 0, world: defaultWorld('pollster', token) })
    bot = runBot().catch((error: unknown) => {
      if (!stopped.signal.aborted) throw error
    })
    const { chromium } = await import('playwright-core')
    browser = await chromium.launch({
      executablePath: chrome!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
  })
  afterAll(async () => {
    stopped.abort()
    await browser?.close()
    await bot
    await service?.close()
  })

  it('signs in, completes a command, shows the answer, and a click on its button changes it [spec: 4/interactions.callback]', async () => {
    const ann = await openAs('ann')
    const bob = await openAs('bob')
    const box = ann.getByRole('textbox', { name: 'Message #general' })
    await box.pressSequentially('/or')
    await ann.getByRole('option', { name: /\/order\s*Takes your order/ }).waitFor()
    await box.press('Tab')
    await box.press('Enter')
    const tea = ann.getByRole('log').getByRole('button', { name: 'Tea' })
    await tea.waitFor()
    expect(await ann.getByRole('article', { name: 'What may it be?' }).locator('strong').textContent()).toBe('Hot')

    await tea.click()
    await ann.getByText('Tea for ann!').waitFor()
    await tea.waitFor({ state: 'detached' })
    await ann.getByText('Only you can see this').waitFor()
    await bob.getByText('Tea for ann!').waitFor()
    expect(await bob.getByText('Mind, it is hot.').count()).toBe(0)
    await ann.getByRole('button', { name: 'Dismiss' }).click()
    await ann.getByText('Mind, it is hot.').waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })

  it('says that the interaction failed when the bot does not answer in time [spec: 6/interaction]', async () => {
    const carol = await openAs('carol')
    const box = carol.getByRole('textbox', { name: 'Message #general' })
    await box.fill('/order')
    await box.press('Enter')
    await carol.getByRole('button', { name: 'Coffee' }).click()
    await carol.getByText('This interaction failed').waitFor()
    expect(problems).toEqual([])
  })

  it('edits, reacts to and deletes an own message, and others see it at once; markup in it stays text', async () => {
    const ann = await openAs('ann')
    const bob = await openAs('bob')
    const box = ann.getByRole('textbox', { name: 'Message #general' })
    await box.fill('<img src=x onerror=alert(1)> **hi** @bob [bad](javascript:alert(1))')
    await box.press('Enter')
    const seen = bob.getByRole('listitem').filter({ hasText: '<img src=x' }).last()
    await seen.getByRole('button', { name: '@bob' }).waitFor()
    expect(await seen.locator('img, a').count()).toBe(0)

    const own = ann.getByRole('listitem').filter({ hasText: '<img src=x' }).last()
    await own.hover()
    await own.getByRole('button', { name: 'Add reaction' }).click()
    await ann.getByRole('button', { name: 'React with 🎉' }).click()
    await seen.getByRole('button', { name: '🎉 1' }).click()
    await own.getByRole('button', { name: '🎉 2' }).waitFor()

    await box.focus()
    await box.press('ArrowUp')
    await ann.getByRole('textbox', { name: 'Edit message' }).fill('quite **calm**')
    await ann.getByRole('textbox', { name: 'Edit message' }).press('Enter')
    const calm = bob.getByRole('listitem').filter({ hasText: 'quite calm' }).last()
    await calm.getByText('edited', { exact: true }).waitFor()

    const changed = ann.getByRole('listitem').filter({ hasText: 'quite calm' }).last()
    await changed.hover()
    await changed.getByRole('button', { name: 'Delete' }).click()
    await ann.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await calm.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })
})
