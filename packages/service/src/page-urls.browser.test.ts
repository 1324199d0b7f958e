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
    await expect.poll(() => page.title()).toBe('Your bots · Developer')
    await page.goBack()
    await log('random').waitFor()

    await page.goto(`${test.service.url}/s/${server().id}/settings/roles`)
    await page.getByRole('heading', { name: 'Roles' }).waitFor()
    await expect.poll(() => pathOf(page)).toBe(`/s/${server().id}/settings/roles`)
    expect(test.problems).toEqual([])
    await page.close()
  })

  it('a reload in a conversation keeps the open server', async () => {
    const { body } = await test.person('ann', 'POST', `/users/${test.service.world.people['bob']!.id}/dm`)
    const page = await test.openAs('ann', { path: at('random') })
    await page.getByRole('log', { name: 'Messages in random' }).waitFor()
    await page.getByRole('button', { name: /^bob/ }).first().click()
    await expect.poll(() => pathOf(page)).toBe(`/dm/${body['channel_id']}`)
    await page.reload()
    await page.getByRole('log', { name: 'Messages in bob' }).waitFor()
    await page.getByRole('button', { name: /^random/ }).waitFor()
    expect(await pathOf(page)).toBe(`/dm/${body['channel_id']}`)
    await page.close()
  })

  it('Back twice shows what the second step names, even if the first one loads longer', async () => {
    const page = await test.openAs('ann', { path: at('random') })
    const log = (name: string) => page.getByRole('log', { name: `Messages in ${name}` })
    await log('random').waitFor()
    await page.getByRole('button', { name: 'Game night', exact: true }).click()
    await log('dice').waitFor()
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Developer' }).click()
    await page.getByRole('heading', { name: 'Your bots' }).waitFor()
    const loads = `/servers/${test.service.world.servers['Game night']!.id}`
    const held: (() => Promise<void>)[] = []
    await page.evaluate('history.go(-2)')
    await log('random').waitFor()
    await page.route(`**${loads}`, (route) => void held.push(() => route.continue()))
    await page.evaluate('history.forward()')
    await expect.poll(() => held.length).toBe(1)
    await page.evaluate('history.forward()')
    await page.getByRole('heading', { name: 'Your bots' }).waitFor()
    const loaded = page.waitForResponse((response) => response.url().endsWith(loads))
    await held[0]!()
    await (await loaded).finished()
    // The page takes in the response before it draws twice.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    expect(await pathOf(page)).toBe('/developer')
    expect(await page.getByRole('heading', { name: 'Your bots' }).isVisible()).toBe(true)
    await page.unrouteAll()
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

  const unknown = '019a0000-0000-7000-8000-000000000000'
  const missing = (): [title: string, link: string, action: string, next: string][] => [
    ['Channel not found', at('staff'), 'Open #general', at('general')],
    ['Channel not found', `/s/${server().id}/c/${unknown}`, 'Open #general', at('general')],
    ['Server not found', `/s/${unknown}`, 'Open #general', at('general')],
    ['Server not found', '/s/%zz/c/%zz', 'Open #general', at('general')],
    ['Server not found', `/s/${unknown}/settings/roles`, 'Open #general', at('general')],
    ['Conversation not found', `/dm/${unknown}`, 'Open #general', at('general')],
    ['Message not found', `${at('random')}/m/nothing`, 'Open #random', at('random')],
    ['Page not found', `/s/${server().id}/settings/nothing`, 'Open #random', at('random')],
    ['Page not found', `${at('general')}/x/1`, 'Open #random', at('random')],
    ['Page not found', '/developer/review', 'Open #random', at('random')],
    ['Bot not found', `/developer/bots/${unknown}`, 'Your bots', '/developer'],
    ['Message not found', `${at('general')}/m/${unknown}`, 'Open #general', at('general')],
    ['Page not found', '/no/such/page', 'Open #general', at('general')],
  ]
  it('reports a link that leads nowhere, keeps its URL, and offers a way on', async () => {
    const page = await test.openAs(undefined)
    await page.goto(test.service.url + missing()[0]![1])
    await page.getByRole('button', { name: 'carol', exact: true }).click()
    // A page that is left before the sign-in has ended asks again.
    await page.getByRole('heading', { name: missing()[0]![0], level: 1 }).waitFor()
    for (const [title, link, action, next] of missing()) {
      await page.goto(test.service.url + link)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await expect.poll(() => pathOf(page)).toBe(link)
      await expect.poll(() => page.title()).toBe('Not found')
      await page.getByRole('button', { name: action }).click()
      await expect.poll(() => pathOf(page)).toBe(next)
    }
    await page.goBack()
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
    await expect.poll(() => page.title()).toBe('Not found')
    expect(await axeFindings(page)).toEqual([])
    await page.close()
  })
})
