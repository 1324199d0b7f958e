import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, box, describeInBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

describeInBrowser('what screen readers, fingers and a selection reach', () => {
  let test: ChatTest
  let id: string
  beforeAll(async () => {
    test = await startChatTest()
    const posted = await test.person('bob', 'POST', `${test.channel('general')}/messages`, {
      content: 'a remark of bob',
    })
    id = posted.body['id']!
    await test.person('ann', 'PUT', `${test.channel('general')}/messages/${id}/pin`)
  })
  afterAll(async () => {
    await test?.close()
  })
  const row = (page: Page) => page.getByRole('log').locator('.message', { hasText: 'a remark of bob' })

  it('has the menu of a message without a mouse, and announces a reply', async () => {
    const ann = await test.openAs('ann', { reducedMotion: 'reduce' })
    await row(ann).waitFor()
    expect(await row(ann).getByRole('button', { name: 'More' }).count()).toBe(1)
    expect(await axeFindings(ann)).toEqual([])
    const status = ann.locator('.composer [role=status]')
    expect(await status.count()).toBe(1)
    expect(await status.textContent()).toBe('')
    await row(ann).getByRole('button', { name: 'More' }).dispatchEvent('click')
    await ann.getByRole('menuitem', { name: 'Reply' }).click()
    await expect.poll(() => status.textContent()).toBe('Replying to bob')
    expect(await status.count()).toBe(1)
    expect(await ann.locator('.composer[aria-busy]').count()).toBe(0)
    await ann.close()
  })

  it('shows a pinned message on a click, but not after a selection of its text', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    await row(ann).waitFor()
    await ann.getByRole('button', { name: /^Pinned/ }).click()
    const pin = ann.locator('.pin', { hasText: 'a remark of bob' })
    const text = (await pin.getByText('a remark of bob').boundingBox())!
    await ann.mouse.move(text.x + 2, text.y + text.height / 2)
    await ann.mouse.down()
    await ann.mouse.move(text.x + 60, text.y + text.height / 2)
    await ann.mouse.up()
    expect(await ann.evaluate<string>('getSelection().toString()')).not.toBe('')
    expect(await pin.count()).toBe(1)
    await ann.close()
  })

  it('leaves no space for a toolbar in a wide window without a mouse', { tags: 'all/browser' }, async () => {
    const options = { viewport: { width: 1366, height: 1024 }, hasTouch: true, isMobile: true }
    const ann = await test.openAs('ann', options)
    await box(ann).waitFor()
    const beside = () =>
      ann.evaluate<string>('getComputedStyle(document.querySelector(".log .message")).getPropertyValue("--beside")')
    expect((await beside()).trim()).toBe('0px')
    await ann.close()
  })

  it('takes a text that is dragged into the message input', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const text = row(ann).getByText('a remark of bob')
    await text.waitFor()
    const from = (await text.boundingBox())!
    const to = (await box(ann).boundingBox())!
    await text.click({ clickCount: 3 })
    await ann.mouse.move(from.x + 8, from.y + from.height / 2)
    await ann.mouse.down()
    await ann.mouse.move(to.x + 20, to.y + to.height / 2, { steps: 5 })
    await ann.mouse.up()
    await expect.poll(() => box(ann).inputValue()).toContain('a remark of bob')
    await box(ann).fill('')
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('reports in words that a page without TLS cannot copy', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { apart: true })
    await ann.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    const toast = ann.locator('.toast')
    await row(ann).getByRole('button', { name: 'More' }).dispatchEvent('click')
    await ann.getByRole('menuitem', { name: 'Copy text' }).click()
    await expect.poll(() => toast.textContent()).toBe('Text could not be copied: the browser refuses')
    await ann.getByRole('button', { name: 'Dismiss' }).click()
    await ann.getByRole('button', { name: 'Workshop: server menu' }).click()
    await ann.getByRole('menuitem', { name: 'Copy server ID' }).click()
    await expect.poll(() => toast.textContent()).toBe('Server ID could not be copied: the browser refuses')
    await ann.close()
  })

  it('reports why the channel of a link cannot be opened', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { apart: true })
    const content = `see <#${test.service.world.servers['Workshop']!.channels['random']!}>`
    await test.person('bob', 'POST', `${test.channel('general')}/messages`, { content })
    await ann.route(`**${test.channel('random')}/messages*`, (route) => route.abort())
    await ann.getByRole('log').getByRole('button', { name: '#random' }).click()
    await ann.locator('.toast').getByText('The chat service is not responding.').waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })
})
