import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser, itEach } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const width = 390
const finger = 44

describeInBrowser('the page on a phone', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
    const labels = ['a', 'b', 'c', 'd', 'e'].map((each) => `${each} ${'long '.repeat(20)}`.slice(0, 80).trim())
    const components = [
      {
        type: 'row',
        components: labels.map((label, index) => ({ type: 'button', style: 'primary', label, custom_id: `${index}` })),
      },
    ]
    const body = { content: 'Choose one', components }
    const { status } = await test.bot('token-of-pollster', 'POST', `${test.channel('general')}/messages`, body)
    expect(status).toBe(200)
  })
  afterAll(async () => {
    await test?.close()
  })

  itEach(['light', 'dark'] as const)('reaches every button, in %s', async (colorScheme) => {
    const page = await test.openAs('ann', { viewport: { width, height: 844 }, hasTouch: true, colorScheme })
    const log = page.getByRole('log')
    const buttons = log.getByRole('button', { name: /long long/ })
    await expect.poll(() => buttons.count()).toBe(5)
    for (const button of await buttons.all()) {
      await button.scrollIntoViewIfNeeded()
      const box = (await button.boundingBox())!
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      expect(box.height).toBeGreaterThanOrEqual(finger)
    }
    for (const part of ['.bar', '.composer']) {
      for (const button of await page.locator(`${part} button:visible`).all()) {
        const box = (await button.boundingBox())!
        expect([box.width >= finger, box.height >= finger], (await button.getAttribute('aria-label')) ?? part).toEqual([
          true,
          true,
        ])
      }
    }
    expect((await page.getByRole('heading', { name: 'general', exact: true }).boundingBox())!.width).toBeGreaterThan(50)
    expect(await axeFindings(page)).toEqual([])

    await page.getByRole('button', { name: 'Channel menu' }).click()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Pinned messages' }).click()
    await page.getByRole('dialog', { name: 'Pinned messages' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Channel menu' }).click()
    await page.getByRole('menuitem', { name: 'Members' }).click()
    await page.getByRole('complementary', { name: 'Members' }).waitFor()

    await page.goto(`${test.service.url}/s/${test.service.world.servers['Workshop']!.id}/settings`)
    const tabs = page.locator('.frame-tabs')
    await tabs.waitFor()
    const hidden = await page.evaluate<number>(
      '((tabs) => tabs.scrollWidth - tabs.clientWidth)(document.querySelector(".frame-tabs"))',
    )
    expect(hidden).toBeGreaterThan(0)
    await tabs.getByRole('button').last().click()
    const endOfLast = async () => {
      const last = await tabs.getByRole('button').last().boundingBox()
      return last!.x + last!.width
    }
    await expect.poll(endOfLast).toBeLessThanOrEqual(width)
    expect(await axeFindings(page)).toEqual([])
    expect(test.problems).toEqual([])
    await page.close()
  })

  it(
    'opens the actions of a message after a long press, in reach of a thumb; Back closes a drawer',
    { tags: 'all/browser' },
    async () => {
      const page = await test.openAs('ann', { viewport: { width, height: 844 }, hasTouch: true, isMobile: true })
      const message = page.getByRole('log').locator('.message', { hasText: 'Choose one' })
      const text = message.getByText('Choose one')
      await text.tap()
      const opacities = '[...document.querySelectorAll(".actions")].map((each) => getComputedStyle(each).opacity)'
      for (const opacity of await page.evaluate<string[]>(opacities)) expect(opacity).toBe('0')

      const at = (await text.boundingBox())!
      const touch = await page.context().newCDPSession(page)
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: at.x + 5, y: at.y + 5 }] })
      const menu = page.getByRole('menu', { name: 'Actions' })
      await menu.waitFor()
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
      expect(await axeFindings(page)).toEqual([])
      const box = (await menu.boundingBox())!
      expect(box.y + box.height).toBeGreaterThan(800)
      for (const item of await menu.getByRole('menuitem').all())
        expect((await item.boundingBox())!.height).toBeGreaterThanOrEqual(finger)
      await menu.getByRole('menuitem', { name: 'Reply' }).tap()
      await page.getByText('Replying to').waitFor()

      const url = page.url()
      const app = page.locator('.app')
      await page.getByRole('button', { name: 'Channels' }).tap()
      await expect.poll(() => app.getAttribute('class')).toContain('shows-channels')
      await page.goBack()
      await expect.poll(() => app.getAttribute('class')).not.toContain('shows-channels')
      expect(page.url()).toBe(url)
      await page.getByRole('button', { name: 'Channels' }).tap()
      await page.getByRole('button', { name: 'random' }).tap()
      await page.getByRole('log', { name: 'Messages in random' }).waitFor()
      await page.goBack()
      await page.getByRole('log', { name: 'Messages in general' }).waitFor()
      expect(test.problems).toEqual([])
      await page.close()
    },
  )
})
