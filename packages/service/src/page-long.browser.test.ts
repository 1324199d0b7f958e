// @module-tag all/browser
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser, windows } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const mostNodes = 3000
const posted = 400

/** The top row in view and its distance from the top of the log. */
const topRow = (page: Page) =>
  page.evaluate<{ id: string; top: number }>(`(() => {
    const log = document.querySelector('.log').getBoundingClientRect()
    const rows = [...document.querySelectorAll('.message')].map((row) => [row.dataset.id, row.getBoundingClientRect()])
    const [id, box] = rows.find(([, each]) => each.top >= log.top)
    return { id, top: box.top - log.top }
  })()`)
const topOf = (page: Page, id: string) =>
  page.evaluate<number>(`document.querySelector('.message[data-id="${id}"]')?.getBoundingClientRect().top
    - document.querySelector('.log').getBoundingClientRect().top`)
/** Until the rows that came into view are measured: ten frames later, everything is where it was. */
const atRest = (page: Page) =>
  page.evaluate(`(async () => {
    const places = () => [...document.querySelectorAll('.message')].map((row) => row.getBoundingClientRect().top).join()
    let same = 0
    for (let before = places(); same < 10; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = places()
      same = now === before ? same + 1 : 0
      before = now
    }
  })()`)
const fromEnd = (page: Page) =>
  page.evaluate<number>(
    `((log) => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector('.log'))`,
  )

describeInBrowser('a long channel', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
    const load = {
      channel_id: test.service.world.servers['Workshop']!.channels['random']!,
      count: posted,
      per_second: 10_000,
      content: '**load**',
    }
    const headers = { 'content-type': 'application/json' }
    await fetch(`${test.service.url}/controls/v1/load`, { method: 'POST', headers, body: JSON.stringify(load) })
  })
  afterAll(async () => {
    await test?.close()
  })

  it.each(windows)(
    'has only the messages in view in the document ($width px, $colorScheme)',
    async ({ width, colorScheme }) => {
      const page = await test.openAs('ann', { viewport: { width, height: 800 }, colorScheme })
      if (width < 860) await page.getByRole('button', { name: 'Servers and channels' }).click()
      await page.getByRole('button', { name: /^random/ }).click()
      const log = page.getByRole('log')
      await log.getByText(`load ${posted}`, { exact: true }).waitFor()
      await expect.poll(() => fromEnd(page)).toBeLessThan(2)

      // Older messages arrive above: the row in view must not move.
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      await page.route(/[?&]before=/, (route) => released.then(() => route.continue()))
      await page.evaluate('document.querySelector(".log").scrollTop = 200')
      await page.getByText('Loading messages…').waitFor()
      await atRest(page)
      const held = await topRow(page)
      release()
      await expect.poll(() => page.evaluate('document.querySelector(".log").scrollTop')).toBeGreaterThan(500)
      await atRest(page)
      expect(Math.abs((await topOf(page, held.id)) - held.top)).toBeLessThan(4)

      await log.hover()
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -3000)
          return log.getByText('This is the start of the conversation.').count()
        })
        .toBe(1)
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(mostNodes)

      await page.getByRole('button', { name: 'Jump to latest' }).click()
      await log.getByText(`load ${posted}`, { exact: true }).waitFor()
      await expect.poll(() => fromEnd(page)).toBeLessThan(2)
      expect(await axeFindings(page)).toEqual([])
      expect(test.problems).toEqual([])
      await page.close()
    },
  )

  it('stays at the newest message while many messages of several lines arrive', async () => {
    const page = await test.openAs('carol')
    const channel_id = test.service.world.servers['Workshop']!.channels['general']!
    const content = Array(6).fill('a line of a long message').join('\n')
    const body = JSON.stringify({ channel_id, count: 500, per_second: 500, content })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${test.service.url}/controls/v1/load`, { method: 'POST', headers, body })
    await page.getByRole('log').getByText(/ 500$/).waitFor()
    await expect.poll(() => fromEnd(page)).toBeLessThan(2)
    // Scrolling up leaves the end.
    await page.getByRole('log').hover()
    await page.mouse.wheel(0, -600)
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
    await page.close()
  })

  it('reaches the first and the last message by keyboard', async () => {
    const page = await test.openAs('bob')
    await page.getByRole('button', { name: /^random/ }).click()
    const log = page.getByRole('log')
    await log.getByText(`load ${posted}`, { exact: true }).waitFor()
    await log.focus()
    await page.keyboard.press('End')
    const focused = () => page.evaluate<string>('document.activeElement.closest(".message")?.textContent ?? ""')
    await expect.poll(focused).toContain(`load ${posted}`)
    await page.keyboard.press('ArrowUp')
    await expect.poll(focused).toContain(`load ${posted - 1}`)
    await page.keyboard.press('Home')
    // The first message of the newest 50.
    await expect.poll(focused).toContain(`load ${posted - 49}`)
    await page.close()
  })

  it('jumps far back without a gap, although messages arrive meanwhile', async () => {
    const { id: serverId, channels } = test.service.world.servers['Workshop']!
    const path = `/channels/${channels['news']!}/messages`
    const count = 900
    const body = JSON.stringify({ channel_id: channels['news'], count, per_second: 10_000, content: 'news' })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${test.service.url}/controls/v1/load`, { method: 'POST', headers, body })
    const page = async (query: string) =>
      (await test.person('ann', 'GET', `${path}?limit=100${query}`)).body as unknown as {
        messages: { id: string; content: string; created_at: string }[]
      }
    await expect.poll(async () => (await page('')).messages.at(-1)?.content).toBe(`news ${count}`)
    let { messages } = await page('')
    while (!messages.some(({ content }) => content === 'news 250')) {
      ;({ messages } = await page(`&before=${messages[0]!.created_at}`))
    }
    const target = messages.find(({ content }) => content === 'news 250')!

    const ann = await test.openAs('ann', { path: `/s/${serverId}/c/${channels['news']!}`, apart: true })
    const log = ann.getByRole('log')
    await log.getByText(`news ${count}`, { exact: true }).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let loads = 0
    await ann.route(/[?&]before=/, async (route) => {
      // The page that contains the message: the first ones have loaded 650 messages.
      if (++loads === 7) await released
      await route.continue()
    })
    await test.person('ann', 'POST', path, { content: 'see above', reply_to: target.id })
    await log.locator('.quote', { hasText: 'news 250' }).click()
    await expect.poll(() => loads).toBe(7)
    await test.person('bob', 'POST', path, { content: 'meanwhile' })
    await log.getByText('meanwhile', { exact: true }).waitFor()
    release()
    const focused = () => ann.evaluate<string>('document.activeElement.closest(".message")?.textContent ?? ""')
    await expect.poll(focused).toContain('news 250')
    // The next row may not be in the document at once.
    const next = async () => {
      if ((await focused()).includes('news 250')) await ann.keyboard.press('ArrowDown')
      return focused()
    }
    await expect.poll(next).toContain('news 251')
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('leaves no gap if older messages arrive after the connection was lost', async () => {
    const { id: serverId, channels } = test.service.world.servers['Workshop']!
    const path = `/s/${serverId}/c/${channels['random']!}`
    const ann = await test.openAs('ann', { path, apart: true, viewport: { width: 1280, height: 800 } })
    const log = ann.getByRole('log')
    await log.getByText(`load ${posted}`, { exact: true }).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await ann.route(/[?&]before=/, (route) => released.then(() => route.continue()))
    await ann.evaluate('document.querySelector(".log").scrollTop = 200')
    await ann.getByText('Loading messages…').waitFor()
    await ann.evaluate("dispatchEvent(new Event('pagehide'))")
    for (let i = 1; i <= 60; i++) {
      await test.person('bob', 'POST', `/channels/${channels['random']!}/messages`, { content: `missed ${i}` })
    }
    await ann.evaluate("dispatchEvent(new Event('pageshow'))")
    await log.getByText('missed 11', { exact: true }).waitFor()
    release()
    await ann.getByText('Loading messages…').waitFor({ state: 'detached' })
    await log.hover()
    await expect
      .poll(async () => {
        await ann.mouse.wheel(0, -100)
        return log.getByText('missed 10', { exact: true }).count()
      })
      .toBe(1)
    expect(test.problems).toEqual([])
    await ann.close()
  })
})
