// @module-tag all/browser
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser, windows } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const pathOf = (page: Page) => page.evaluate<string>('location.pathname + location.search')

describeInBrowser('the URLs of the page', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })

  const server = () => test.service.world.servers['Workshop']!
  const at = (name: string) => `/s/${server().id}/c/${server().channels[name]}`

  it('names the channel, the settings, the developer screen and the inspector; Back, Forward and reload work', async () => {
    const page = await test.openAs('ann')
    const log = (name: string) => page.getByRole('log', { name: `Messages in ${name}` })
    await log('general').waitFor()
    await expect.poll(() => pathOf(page)).toBe(at('general'))
    await page.getByRole('button', { name: /^random/ }).click()
    await log('random').waitFor()
    await expect.poll(() => pathOf(page)).toBe(at('random'))
    await page.goBack()
    await log('general').waitFor()
    await page.goForward()
    await log('random').waitFor()

    await page.getByRole('button', { name: /^Inspector/ }).click()
    await expect.poll(() => pathOf(page)).toBe(`${at('random')}?inspector`)
    await page.reload()
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor()
    await log('random').waitFor()
    await page.getByRole('button', { name: /^Inspector/ }).click()

    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Developer' }).click()
    await expect.poll(() => pathOf(page)).toBe('/developer')
    await page.reload()
    await page.getByRole('heading', { name: 'Your bots' }).waitFor()
    await page.goBack()
    await log('random').waitFor()

    await page.goto(`${test.service.url}/s/${server().id}/settings/roles`)
    await page.getByRole('heading', { name: 'Roles' }).waitFor()
    await expect.poll(() => pathOf(page)).toBe(`/s/${server().id}/settings/roles`)
    expect(test.problems).toEqual([])
    await page.close()
  })

  it.each(windows)(
    'opens a link to an old message after signing in ($width px, $colorScheme)',
    async ({ width, colorScheme }) => {
      const path = `${test.channel('random')}/messages`
      const { body: old } = await test.person('bob', 'POST', path, { content: `an old message ${width}` })
      for (let n = 0; n < 60; n++) await test.person('bob', 'POST', path, { content: `later ${n}` })
      const page = await test.openAs(undefined, { viewport: { width, height: 800 }, colorScheme })
      const link = `${at('random')}/m/${old['id']}`
      await page.goto(test.service.url + link)
      await page.getByRole('button', { name: 'ann', exact: true }).click()
      await page.locator('.message:focus', { hasText: `an old message ${width}` }).waitFor()
      await expect.poll(() => pathOf(page)).toBe(link)
      expect(await axeFindings(page)).toEqual([])
      await page.reload()
      await page.locator('.message:focus', { hasText: `an old message ${width}` }).waitFor()
      await page.getByRole('button', { name: 'Jump to latest' }).click()
      await expect.poll(() => pathOf(page)).toBe(at('random'))
      expect(test.problems).toEqual([])
      await page.close()
    },
  )

  it('opens links with ids in upper case', async () => {
    const { body: message } = await test.person('bob', 'POST', `${test.channel('random')}/messages`, {
      content: 'loud',
    })
    const upper = (path: string) => path.replace(/[0-9a-f-]{36}/g, (id) => id.toUpperCase())
    const page = await test.openAs(undefined)
    const link = `${at('random')}/m/${message['id']}`
    await page.goto(test.service.url + upper(link))
    await page.getByRole('button', { name: 'ann', exact: true }).click()
    await page.locator('.message:focus', { hasText: 'loud' }).waitFor()
    await expect.poll(() => pathOf(page)).toBe(link)
    await page.goto(test.service.url + upper(`/developer/bots/${test.service.world.bots['pollster']!.id}`))
    await page.getByRole('heading', { name: 'pollster' }).first().waitFor()
    await page.goto(test.service.url + upper(`/s/${server().id}/settings/roles`))
    await page.getByRole('heading', { name: 'Roles' }).waitFor()
    expect(test.problems).toEqual([])
    await page.close()
  })

  it.each([
    ['one that the person cannot see', () => at('staff')],
    ['none, because it is malformed', () => '/s/%zz/c/%zz'],
  ])('opens the usual channel if the link names %s', async (_, link) => {
    const page = await test.openAs(undefined)
    await page.goto(test.service.url + link())
    await page.getByRole('button', { name: 'carol', exact: true }).click()
    await page.getByRole('log', { name: 'Messages in general' }).waitFor()
    await expect.poll(() => pathOf(page)).toBe(at('general'))
    await page.close()
  })
})
