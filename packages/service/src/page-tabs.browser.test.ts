import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, say, startBrowser } from './lib/test-tools/browser.test.fixture.ts'

const names = ['ann', 'bob', 'carol', 'dan', 'eve', 'finn']
const botToken = 'token-of-pollster'

describeInBrowser('many tabs of one browser', () => {
  let test: Awaited<ReturnType<typeof startBrowser>>
  let browser: BrowserContext
  beforeAll(async () => {
    test = await startBrowser({
      people: names.map((username) => ({ username })),
      bots: [{ username: 'pollster', owner: 'ann', token: botToken }],
      servers: [
        { name: 'Workshop', owner: 'ann', members: names, bots: ['pollster'], channels: [{ name: 'general' }] },
      ],
    })
    browser = (await test.openAs(undefined)).context()
  })
  afterAll(async () => {
    await test?.close()
  })

  const general = () => `/channels/${test.service.world.servers['Workshop']!.channels['general']!}`
  async function openTab(name: string): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => test.problems.push(error.message))
    await page.goto(test.service.page)
    await page.getByRole('button', { name, exact: true }).click()
    await box(page).waitFor()
    return page
  }
  /** The message of a bot, with a button. */
  async function postButton(label: string): Promise<string> {
    const button = { type: 'button', style: 'primary', label, custom_id: label }
    const components = [{ type: 'row', components: [button] }]
    const { body } = await test.bot(botToken, 'POST', `${general()}/messages`, { content: label, components })
    return body['id']!
  }
  /** Answers the newest click; only the person who clicked sees it. */
  async function answerPrivately(content: string): Promise<void> {
    const { body } = await test.bot(botToken, 'GET', '/events?after=1')
    const clicks = (body as unknown as { events: { type: string; data: { id: string; token: string } }[] }).events
    const { id, token } = clicks.findLast(({ type }) => type === 'interaction')!.data
    const path = `/interactions/${id}/${token}/callback`
    expect((await test.bot(botToken, 'POST', path, { type: 'ephemeral', content })).status).toBe(200)
  }
  const click = (name: string, messageId: string, custom_id: string) =>
    test.person(name, 'POST', `${general()}/messages/${messageId}/clicks`, { custom_id })

  it(
    'serves more tabs than a browser opens connections, of one and of several people',
    { tags: 'all/browser' },
    async () => {
      const tabs: Page[] = []
      for (const name of [...names, 'ann']) tabs.push(await openTab(name))
      const last = tabs.at(-1)!
      await say(last, 'from the last tab')
      for (const page of tabs) await page.getByRole('log').getByText('from the last tab').waitFor()
      // All tabs of the person who clicked receive the answer, and those of other people do not.
      await click('ann', await postButton('Vote'), 'Vote')
      await answerPrivately('for ann only')
      await test.person('ann', 'POST', `${general()}/messages`, { content: 'after the answer' })
      for (const [index, page] of tabs.entries()) {
        await page.getByRole('log').getByText('after the answer').waitFor()
        const isAnn = index === 0 || index >= names.length
        expect(await page.getByRole('log').getByText('for ann only').count()).toBe(isAnn ? 1 : 0)
      }
      expect(test.problems).toEqual([])
      await Promise.all(tabs.map((page) => page.close()))
    },
  )

  it('keeps the categories folded that each tab has folded', { tags: 'all/browser' }, async () => {
    const server = `/servers/${test.service.world.servers['Workshop']!.id}`
    for (const name of ['Talk', 'Work']) {
      const { body } = await test.person('ann', 'POST', `${server}/categories`, { name })
      const { id } = body['category'] as unknown as { id: string }
      await test.person('ann', 'POST', `${server}/channels`, { name: `${name} channel`, category_id: id })
    }
    const tabs = [await openTab('ann'), await openTab('ann')]
    const title = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    for (const [index, page] of tabs.entries()) await title(page, ['Talk', 'Work'][index]!).click()
    const [first] = tabs as [Page, Page]
    await first.reload()
    await box(first).waitFor()
    const areOpen = (['Talk', 'Work'] as const).map((name) => title(first, name).getAttribute('aria-expanded'))
    expect(await Promise.all(areOpen)).toEqual(['false', 'false'])
    await title(first, 'Talk').click()
    expect(await title(first, 'Talk').getAttribute('aria-expanded')).toBe('true')
    await Promise.all(tabs.map((page) => page.close()))
  })

  it('loses no event when the tab that was opened first closes', { tags: 'all/browser' }, async () => {
    const first = await openTab('ann')
    const [second, bob] = [await openTab('ann'), await openTab('bob')]
    for (const name of ['ann', 'bob']) {
      await click(name, await postButton(`Close ${name}`), `Close ${name}`)
      await Promise.all([name === 'ann' ? first.close() : undefined, answerPrivately(`answer for ${name}`)])
    }
    await second.getByRole('log').getByText('answer for ann').waitFor()
    await bob.getByRole('log').getByText('answer for bob').waitFor()
    await test.person('bob', 'POST', `${general()}/messages`, { content: 'after the answers' })
    await second.getByRole('log').getByText('after the answers').waitFor()
    expect(await second.getByRole('log').getByText('answer for bob').count()).toBe(0)
    await second.reload()
    await test.person('bob', 'POST', `${general()}/messages`, { content: 'after the reload' })
    await second.getByRole('log').getByText('after the reload').waitFor()
    expect(test.problems).toEqual([])
    await Promise.all([second.close(), bob.close()])
  })

  it('goes on after the worker that the tabs share has ended', async () => {
    const tabs = [await openTab('ann'), await openTab('bob')]
    const devtools = await browser.browser()!.newBrowserCDPSession()
    const worker = async () => {
      const { targetInfos } = await devtools.send('Target.getTargets')
      return targetInfos.find(({ type, url }) => type === 'shared_worker' && url.startsWith(test.service.url))?.targetId
    }
    const ended = (await worker())!
    await devtools.send('Target.closeTarget', { targetId: ended })
    await expect.poll(worker).not.toBeOneOf([ended, undefined])
    await test.person('carol', 'POST', `${general()}/messages`, { content: 'after the worker' })
    for (const page of tabs) await page.getByRole('log').getByText('after the worker').waitFor()
    await click('ann', await postButton('Worker'), 'Worker')
    await answerPrivately('answer by the new worker')
    await tabs[0]!.getByRole('log').getByText('answer by the new worker').waitFor()
    expect(test.problems).toEqual([])
    await Promise.all([devtools.detach(), ...tabs.map((page) => page.close())])
  })

  it(
    'shows a person offline once their last tab has closed, while other people stay',
    { tags: 'all/browser' },
    async () => {
      const [carol, dan, again] = [await openTab('carol'), await openTab('dan'), await openTab('dan')]
      const member = (name: string) => carol.getByRole('complementary', { name: 'Members' }).getByText(name)
      await expect.poll(() => presenceOf('dan')).toBe('online')
      await dan.close()
      await again.close()
      await expect
        .poll(async () => {
          await fetch(`${test.service.url}/controls/v1/clock`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ advance_seconds: 11 }),
          })
          return presenceOf('dan')
        })
        .toBe('offline')
      expect(await presenceOf('carol')).toBe('online')
      await member('dan').waitFor()
      await carol.close()
    },
  )

  async function presenceOf(name: string): Promise<string> {
    const { body } = await test.person('ann', 'GET', `/servers/${test.service.world.servers['Workshop']!.id}`)
    const { members } = body as unknown as { members: { username: string; presence: { status: string } }[] }
    return members.find(({ username }) => username === name)!.presence.status
  }
})
