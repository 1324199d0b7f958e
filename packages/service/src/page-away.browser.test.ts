// @module-tag all/browser
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

/** Longer than a channel that fits into the window, and than the first page of messages. */
const posted = 150

describeInBrowser('a person who is elsewhere', () => {
  let test: ChatTest
  let first: string
  beforeAll(async () => {
    test = await startChatTest()
    first = await post('bob', 'random', 'the first remark')
    const load = { channel_id: workshop().channels['random'], count: posted, per_second: 10_000, content: 'load' }
    const headers = { 'content-type': 'application/json' }
    await fetch(`${test.service.url}/controls/v1/load`, { method: 'POST', headers, body: JSON.stringify(load) })
  })
  afterAll(async () => {
    await test?.close()
  })
  const workshop = () => test.service.world.servers['Workshop']!
  const post = async (who: string, name: string, content: string, reply_to?: string): Promise<string> =>
    (await test.person(who, 'POST', `${test.channel(name)}/messages`, { content, reply_to })).body['id']!
  const at = (name: string) => `/s/${workshop().id}/c/${workshop().channels[name]!}`
  const channel = (page: Page, name: string) => page.locator(`[data-channel="${workshop().channels[name]!}"]`)
  const toNewest = (page: Page) => page.getByRole('button', { name: 'Jump to latest' })
  /** Until the page has taken in the last response and drawn twice. */
  const drawn = (page: Page) =>
    page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')

  it('stays at the end of the channel that is opened while an old message of another one loads', async () => {
    const page = await test.openAs('ann', { path: at('random'), apart: true })
    await post('bob', 'random', 'see the first one', first)
    const held: (() => void)[] = []
    let loads = 0
    await page.route(/[?&]before=/, async (route) => {
      loads++
      if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await page.locator('.quote', { hasText: 'the first remark' }).click()
    await expect.poll(() => held.length).toBe(1)
    await channel(page, 'general').click()
    await page.getByRole('log', { name: 'Messages in general' }).waitFor()
    const loaded = page.waitForResponse(() => loads === 2)
    held[0]!()
    await (await loaded).finished()
    await drawn(page)
    expect(await toNewest(page).count()).toBe(0)
    await channel(page, 'random').click()
    await page.getByRole('log').getByText('see the first one', { exact: true }).waitFor()
    expect(await toNewest(page).count()).toBe(0)
    expect(test.problems).toEqual([])
    await page.close()
  })

  it('comes back to the end of a channel that was left right after a jump', async () => {
    const page = await test.openAs('ann', { path: at('random'), apart: true })
    await post('bob', 'random', 'see the first one again', first)
    const log = page.getByRole('log')
    await page.locator('.message', { hasText: 'see the first one again' }).locator('.quote').click()
    await page.locator('.message:not(:has(.quote))', { hasText: 'the first remark' }).waitFor()
    await channel(page, 'general').click()
    await page.getByRole('log', { name: 'Messages in general' }).waitFor()
    await channel(page, 'random').click()
    await log.getByText('see the first one again', { exact: true }).waitFor()
    await drawn(page)
    expect(await toNewest(page).count()).toBe(0)
    await page.close()
  })

  it('finds the messages unread that came while a screen was open, and read once they are shown', async () => {
    const page = await test.openAs('ann', { path: at('general'), apart: true })
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Developer' }).click()
    await page
      .getByRole('button', { name: /^pollster/ })
      .last()
      .click()
    await page.getByRole('button', { name: 'New token…' }).waitFor()
    await post('bob', 'general', 'while you were away')
    await post('bob', 'random', 'the end of the wait')
    // The page has received the events before this one.
    await test.bot('token-of-pollster', 'PUT', '/me/status', { status: 'online', activity: 'waiting too' })
    await page.getByText('waiting too').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('log').getByText('while you were away').waitFor()
    await page.locator('.new-divider').waitFor()
    await page.locator('.channel.is-unread', { hasText: 'random' }).waitFor()
    await expect.poll(() => channel(page, 'general').getAttribute('class')).not.toContain('is-unread')
    await page.close()
  })

  it('has no unread messages where only own ones are new', async () => {
    const page = await test.openAs('ann', { path: at('general'), apart: true })
    await post('ann', 'staff', 'from another computer')
    await post('bob', 'random', 'of someone else')
    await channel(page, 'random').and(page.locator('.is-unread')).waitFor()
    await page.reload()
    await box(page).waitFor()
    await channel(page, 'random').and(page.locator('.is-unread')).waitFor()
    await expect.poll(() => channel(page, 'staff').getAttribute('class')).not.toContain('is-unread')
    await page.close()
  })

  it('leaves nothing to read for the next person of the window', async () => {
    const page = await test.openAs('bob', { path: at('staff'), apart: true })
    await post('ann', 'staff', 'only for staff')
    await page.getByRole('log').getByText('only for staff').waitFor()
    await expect.poll(() => page.locator('[aria-live=polite] > p').textContent()).toBe('ann: only for staff')
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Add another person' }).click()
    await page.getByRole('button', { name: 'carol', exact: true }).click()
    await page.getByRole('button', { name: /^carol .*your menu$/ }).waitFor()
    await box(page).waitFor()
    expect(await page.content()).not.toContain('only for staff')
    await page.close()
  })

  it('finds the sign-in screen after leaving a window whose first person was never connected', async () => {
    const page = await test.openAs('ann', { apart: true })
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Add another person' }).click()
    await page.getByRole('button', { name: 'bob', exact: true }).click()
    await page.getByRole('button', { name: /^bob .*your menu$/ }).waitFor()
    // The first stream never opens.
    await page.addInitScript(`{
      delete globalThis.SharedWorker
      const Real = EventSource
      let count = 0
      globalThis.EventSource = function (url) {
        return count++ > 0 ? new Real(url) : Object.assign(new EventTarget(), { close() {} })
      }
    }`)
    await page.reload()
    await page.getByRole('button', { name: /^bob .*your menu$/ }).click()
    await page.getByRole('menuitem', { name: /Switch to ann/ }).click()
    await page.getByRole('button', { name: /^ann .*your menu$/ }).waitFor()
    await channel(page, 'random').click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(at('random'))
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Choose a name' }).waitFor()
    expect(test.problems).toEqual([])
    await page.close()
  })
})
