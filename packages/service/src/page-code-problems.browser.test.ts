import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const link = 'vscode://file/home/ann/dice/commands/roll.ts:2'
const problem = {
  ...{ message: 'Unexpected ">"', at: 'commands/roll.ts:2', link, causes: [] },
  frame: {
    line: 2,
    column: 16,
    lines: ['export default command({', '  run: (ctx) =>> 6,', '})'].map((text, index) => ({
      number: index + 1,
      text,
    })),
  },
}

describeInBrowser('code that does not load', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })

  async function publish(serving: string, problems: readonly object[], token = 'token-of-pollster'): Promise<void> {
    const response = await fetch(`${test.service.url}/dev/v1/problems`, {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serving, problems }),
    })
    expect(response.status).toBe(200)
  }

  it('is shown to the owner of the bot with its line, also after a reload, until it loads', async () => {
    const page = await test.openAs('ann')
    const bob = await test.openAs('bob', { apart: true })
    await publish('previous', [problem])
    const headline = page.getByRole('heading', { name: 'The newest code of pollster does not load.' })
    await headline.waitFor()
    await page.reload()
    await headline.waitFor()
    const box = page.locator('.code-problems')
    expect(await box.locator('.is-guilty code').textContent()).toBe('  run: (ctx) =>> 6,\n')
    expect(await box.getByRole('link', { name: 'Open in editor' }).getAttribute('href')).toBe(link)
    await expect.poll(() => box.innerText()).toContain('The previous version is still running.')
    expect(await axeFindings(page, '.room')).toEqual([])
    await headline.click()
    await box.getByText('Unexpected ">"').waitFor({ state: 'hidden' })
    // The chat is below it also on a phone.
    await headline.click()
    await page.setViewportSize({ width: 390, height: 800 })
    expect((await box.boundingBox())!.height).toBeLessThan(400)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await bob.locator('.code-problems').count()).toBe(0)
    await publish('new', [])
    await headline.waitFor({ state: 'detached' })
    await Promise.all([page.close(), bob.close()])
    expect(test.problems).toEqual([])
  })

  it('is gone once its bot is deleted', async () => {
    const page = await test.openAs('ann')
    const { body } = await test.person('ann', 'POST', '/bots', { username: 'dice' })
    const { bot, token } = body as unknown as { bot: { id: string }; token: string }
    await publish('none', [problem], token)
    const box = page.locator('.code-problems')
    await box.waitFor()
    await test.person('ann', 'DELETE', `/bots/${bot.id}`)
    await box.waitFor({ state: 'detached' })
    await page.close()
  })
})
