// @module-tag all/browser
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser, enter } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

describeInBrowser('a conversation becomes a test', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })

  it.each(['light', 'dark'] as const)('shows, copies and downloads a test, in %s', async (colorScheme) => {
    const page = await test.openAs('ann', {
      colorScheme,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const box = page.getByRole('textbox', { name: /^Message / })
    await box.fill('/order')
    await box.press('Enter')
    const log = page.getByRole('log')
    await log.getByRole('button', { name: 'Tea' }).last().click()
    await page.getByText('Only you can see this').last().waitFor()

    await page.getByRole('button', { name: 'Save as test' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as test' })
    const code = dialog.getByLabel('The test')
    await code.waitFor()
    const text = (await code.textContent())!
    expect(text).toContain("import { startTestBot } from '@botwright/testing'")
    expect(text).toContain("ann.says('/order')")
    expect(text).toContain("ann.clicks('Tea')")
    expect(text).toContain('ephemeral: true')
    // The bot runs in a world of its own.
    expect(text).toContain("name: 'Game night'")
    expect(text).toContain("bots: [{ username: 'pollster', owner: 'ann' }]")
    expect(await axeFindings(page, 'dialog')).toEqual([])
    const shots = process.env['SCREENSHOTS']
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (shots === undefined) continue
      mkdirSync(shots, { recursive: true })
      await page.screenshot({ path: join(shots, `save-test-${colorScheme}-${width}.png`) })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Test copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('order.test.ts')
    await page.keyboard.press('Escape')

    await page.close()
    expect(test.problems).toEqual([])
  })

  it('is without those who join a server while a direct message is open', async () => {
    const page = await test.openAs('ann')
    await page
      .getByRole('complementary', { name: 'Members' })
      .getByRole('button', { name: /^pollster/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Message' }).click()
    const box = page.getByRole('textbox', { name: 'Message pollster' })
    await box.fill('hello, bot')
    await box.press('Enter')
    await page.getByRole('log').getByText('hello, bot').waitFor()
    const session = await fetch(`${test.service.url}/people/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'zoe' }),
    })
    const { token } = (await session.json()) as { token: string }
    const join = `${test.service.url}/people/v1/servers/${test.service.world.servers['Workshop']!.id}/members/me`
    expect((await fetch(join, { method: 'PUT', headers: { authorization: `Person ${token}` } })).status).toBe(200)
    await page.getByRole('button', { name: 'Save as test' }).click()
    const text = await page.getByLabel('The test').textContent()
    expect(text).toContain("ann.says('hello, bot')")
    expect(text).not.toContain('zoe')
    await page.close()
  })

  it('shows nothing of the bot that was chosen before, nor does the inspector', async () => {
    const made = await test.person('ann', 'POST', '/bots', { username: 'helper' })
    const { id } = made.body['bot'] as unknown as { id: string }
    const page = await test.openAs('ann')
    await enter(page, '/order for the test')
    await page.getByRole('log').getByText('What may it be?').last().waitFor()
    await page.getByRole('button', { name: 'Save as test' }).click()
    await page.getByLabel('The test').getByText('/order for the test').waitFor()
    const held: (() => Promise<void>)[] = []
    await page.route(`**/bots/${id}/journal`, (route) => void held.push(() => route.continue()))
    await page.getByRole('combobox', { name: 'Bot', exact: true }).selectOption('helper')
    await expect.poll(() => held.length).toBe(1)
    expect(await page.getByLabel('The test').count()).toBe(0)
    await held[0]!()
    await page.getByText('The bot received no events here in that time.').waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /^Inspector/ }).click()
    const limits = page.getByRole('list', { name: 'Limits' })
    await limits.waitFor()
    await page.getByRole('combobox', { name: 'Bot', exact: true }).selectOption('helper')
    await expect.poll(() => held.length).toBe(2)
    expect(await limits.count()).toBe(0)
    await held[1]!()
    await limits.waitFor()
    await page.close()
    await test.person('ann', 'DELETE', `/bots/${id}`)
    expect(test.problems).toEqual([])
  })

  it('starts at a message from its menu; explains that a bot is required', async () => {
    const page = await test.openAs('ann')
    const log = page.getByRole('log')
    const box = page.getByRole('textbox', { name: /^Message / })
    await box.fill('begin here, @bob')
    await box.press('Enter')
    await log.getByText('begin here').hover()
    await page.locator('li', { hasText: 'begin here' }).getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Save as test from here' }).click()
    const text = await page.getByLabel('The test').textContent()
    expect(text).toContain("test('begin here, @bob'")
    expect(text).toContain("const bob = chat.person('bob')")
    expect(text).not.toContain('/order')
    await page.close()
    const other = await test.openAs('carol')
    await other.getByRole('button', { name: 'Save as test' }).click()
    await other.getByText('You have no bots here').waitFor()
    await other.close()
  })
})
