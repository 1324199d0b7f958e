import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, enter, say, startBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, chatWorld, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

type InBrowser = { location: { assign(url: string): void } }

const openChannel = (page: Page, name: RegExp) => page.getByRole('navigation').getByRole('button', { name }).click()

describeInBrowser('several people on the page', () => {
  let test: ChatTest
  let ann: Page
  let bob: Page
  let carol: Page
  beforeAll(async () => {
    test = await startChatTest()
    ;[ann, bob, carol] = await Promise.all([
      test.openAs('ann'),
      test.openAs('bob'),
      test.openAs('carol', { apart: true }),
    ])
  })
  afterAll(async () => {
    await test?.close()
  })

  it('shows private channels only to people with access', async () => {
    await openChannel(bob, /^staff private/)
    await say(bob, 'between us')
    expect(await carol.getByRole('button', { name: /^staff/ }).count()).toBe(0)
    await carol.keyboard.press('Control+k')
    await carol.getByRole('combobox').fill('staff')
    await carol.getByText('No results for “staff”').waitFor()
    await carol.keyboard.press('Escape')
    await openChannel(bob, /^general/)
    expect(test.problems).toEqual([])
  })

  it('marks unread channels, counts mentions, and shows a divider before new messages', async () => {
    await openChannel(ann, /^random/)
    await say(bob, 'good news')
    const general = ann.getByRole('button', { name: /^general/ })
    await ann.getByRole('button', { name: /^general unread/ }).waitFor()
    await say(bob, '@ann are you there?')
    await general.getByLabel('1 unread').waitFor()
    await expect.poll(() => ann.title()).toBe('(1) #random')
    // The private channel of the previous test is unread, too, so the dot stays. Read state survives a reload.
    await ann.reload()
    await general.click()
    await ann.getByText('New messages').waitFor()
    await ann.getByRole('log').getByRole('button', { name: '@ann' }).waitFor()
    await expect.poll(() => ann.title()).toBe('• #general')
    expect(test.problems).toEqual([])
  })

  it('opens direct messages from the member list', async () => {
    await carol.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: /^bob/ }).click()
    await carol.getByRole('dialog', { name: 'bob' }).getByRole('button', { name: 'Message' }).click()
    await carol.getByRole('log', { name: 'Messages in bob' }).waitFor()
    await say(carol, 'psst')
    const entry = bob.getByRole('region', { name: 'Direct messages' }).getByRole('button', { name: /^carol/ })
    await entry.getByLabel('1 unread').waitFor()
    await entry.click()
    await bob.getByRole('log').getByText('psst').waitFor()
    await say(bob, 'I hear you')
    await carol.getByRole('log').getByText('I hear you').waitFor()
    await openChannel(bob, /^general/)
    expect(test.problems).toEqual([])
  })

  it('searches a direct message that opens during a search in all channels', { tags: 'all/browser' }, async () => {
    await openChannel(carol, /^general/)
    await carol.getByRole('log', { name: 'Messages in general' }).waitFor()
    await carol.keyboard.press('Control+f')
    const panel = carol.getByRole('dialog', { name: 'Search messages' })
    await panel.getByLabel('All channels of this server').check()
    await panel.getByRole('searchbox').fill('psst')
    await panel.getByText('No messages found').waitFor()
    await carol.goBack()
    await carol.getByRole('log', { name: 'Messages in bob' }).waitFor()
    await panel.getByText('1 found').waitFor()
    expect(await panel.getByRole('searchbox').getAttribute('placeholder')).toMatch(/^Search this conversation;/)
    await panel.getByRole('searchbox').press('Escape')
    expect(test.problems).toEqual([])
  })

  it('supports several people in one window, and others in another window', { tags: 'all/browser' }, async () => {
    const [window, other] = [ann, carol]
    await openChannel(other, /^general/)
    await say(window, 'this is ann')
    await window.getByRole('button', { name: /your menu$/ }).click()
    await window.getByRole('menuitem', { name: 'Add another person' }).click()
    await window.getByRole('button', { name: 'bob', exact: true }).click()
    await window.getByRole('button', { name: /^bob .*your menu$/ }).waitFor()
    await say(window, 'this is bob')
    await window.getByRole('button', { name: /^bob .*your menu$/ }).click()
    await window.getByRole('menuitem', { name: /Switch to ann/ }).click()
    await window.getByRole('button', { name: /^ann .*your menu$/ }).waitFor()
    await say(window, 'ann again')
    const spoken = other.getByRole('log').locator('.message', { hasText: 'this is bob' })
    await other.getByRole('log').getByText('ann again').waitFor()
    expect(await spoken.getAttribute('aria-label')).toMatch(/^bob,/)
    await other.getByRole('button', { name: /^carol .*your menu$/ }).waitFor()
    // The window remembers both people.
    await window.reload()
    await window.getByRole('button', { name: /^ann .*your menu$/ }).click()
    await window.getByRole('menuitem', { name: /Switch to bob/ }).waitFor()
    expect(test.problems).toEqual([])
  })

  it('shows the next person of a window nothing that the last one asked for', { tags: 'all/browser' }, async () => {
    const window = await test.openAs('bob', { apart: true })
    const workshop = test.service.world.servers['Workshop']!
    let asked!: (request: Request) => void
    let answer!: () => void
    const isAsked = new Promise<Request>((resolve) => (asked = resolve))
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve))
    await window.route(
      `**/people/v1/servers/${workshop.id}`,
      async (route) => {
        const response = await route.fetch()
        asked(route.request())
        await mayAnswer
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await test.person('ann', 'PATCH', `/channels/${workshop.channels['random']!}`, { name: 'random' })
    const late = await isAsked
    await window.getByRole('button', { name: /your menu$/ }).click()
    await window.getByRole('menuitem', { name: 'Add another person' }).click()
    await window.getByRole('button', { name: 'carol', exact: true }).click()
    await window.getByRole('button', { name: /^carol .*your menu$/ }).waitFor()
    await box(window).waitFor()
    const finished = window.waitForEvent('requestfinished', (request) => request === late)
    answer()
    await finished
    await say(window, 'this is carol')
    await window.getByRole('log').getByText('this is carol').waitFor()
    expect(
      await window
        .getByRole('navigation')
        .getByRole('button', { name: /^staff/ })
        .count(),
    ).toBe(0)
    expect(test.problems).toEqual([])
    await window.close()
  })

  it('leaves keys to the half of the split screen in which a person types', { tags: 'all/browser' }, async () => {
    const { id, channels } = test.service.world.servers['Workshop']!
    const at = (name: string) => `/s/${id}/c/${channels[name]!}`
    const window = await test.openAs('ann', { path: at('general'), apart: true })
    const halves = new URLSearchParams({ left: at('general'), right: at('random') })
    await window.goto(`${test.service.url}/split?${halves.toString()}`)
    const left = window.frameLocator('[data-half=left]')
    const right = window.frameLocator('[data-half=right]')
    const opened = (name: string) => right.getByRole('textbox', { name: `Message #${name}` }).waitFor()
    await right.getByRole('button', { name: 'carol', exact: true }).click()
    await opened('random')
    await right.getByRole('button', { name: 'Servers and channels' }).click()
    await right.getByRole('button', { name: /^slow/ }).click()
    await opened('slow')
    const typed = left.getByRole('textbox', { name: 'Message #general' })
    await typed.pressSequentially('one ')
    // The other half opens a channel.
    await window.goBack()
    await opened('random')
    await window.keyboard.type('two')
    expect(await typed.inputValue()).toBe('one two')
    // The other half opens a screen.
    await window.goForward()
    await opened('slow')
    await right.getByRole('button', { name: 'Servers and channels' }).click()
    await right.getByRole('button', { name: /your menu$/ }).click()
    await right.getByRole('menuitem', { name: 'Your profile' }).click()
    await right.getByText('How others see you.').waitFor()
    await window.goBack()
    await opened('slow')
    await typed.fill('three ')
    await window.goForward()
    await right.getByText('How others see you.').waitFor()
    await window.keyboard.type('four')
    expect(await typed.inputValue()).toBe('three four')
    // The other half opens a message.
    const random = `/channels/${channels['random']!}/messages`
    const message: string = (await test.person('bob', 'POST', random, { content: 'look here' })).body['id']!
    await typed.fill('five ')
    const load = (url: string) =>
      right.locator('body').evaluate((_body, to) => (globalThis as unknown as InBrowser).location.assign(to), url)
    await load(`${at('random')}/m/${message}`)
    await right.locator('.message.is-highlighted', { hasText: 'look here' }).waitFor()
    await window.keyboard.type('six')
    expect(await typed.inputValue()).toBe('five six')
    // The other half opens the way in.
    await right.getByRole('button', { name: 'Servers and channels' }).click()
    await right.getByRole('button', { name: /your menu$/ }).click()
    await right.getByRole('menuitem', { name: 'Sign out' }).click()
    const name = right.getByRole('textbox', { name: 'Your name' })
    await name.waitFor()
    await typed.fill('seven ')
    await load('/')
    await name.waitFor()
    await window.keyboard.type('eight')
    expect(await typed.inputValue()).toBe('seven eight')
    expect(test.problems).toEqual([])
    await window.close()
  })

  it('joins and leaves voice, visibly to others [spec: 6/voice_join]', async () => {
    await ann.getByRole('button', { name: /^Lounge voice/ }).click()
    await bob.getByRole('list', { name: 'In Lounge' }).getByText('ann').waitFor()
    await ann.getByRole('button', { name: 'Leave voice' }).click()
    await bob.getByRole('list', { name: 'In Lounge' }).waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
  })

  it(
    'knows the presence and the commands of a bot in direct messages whose server is not open',
    { tags: 'all/browser' },
    async () => {
      const { id } = test.service.world.bots['pollster']!
      expect((await test.person('ann', 'POST', `/users/${id}/dm`)).status).toBe(200)
      const { id: serverId, channels } = test.service.world.servers['Game night']!
      const window = await test.openAs('ann', { path: `/s/${serverId}/c/${channels['dice']!}`, apart: true })
      await window.getByRole('region', { name: 'Direct messages' }).getByRole('button', { name: 'pollster' }).click()
      await window.getByRole('textbox', { name: 'Message pollster' }).fill('/or')
      await window.getByRole('option', { name: '/order' }).waitFor()
      await window.locator('.sidebar-dms .presence-online').waitFor()
      expect(test.problems).toEqual([])
      await window.close()
    },
  )

  it('shows after a reload that the person is in voice in a server that is not open', async () => {
    const { id, channels } = test.service.world.servers['Game night']!
    const voice = `/channels/${test.channel('Lounge').split('/').at(-1)}/voice`
    expect((await test.person('ann', 'PUT', voice)).status).toBe(200)
    const window = await test.openAs('ann', { path: `/s/${id}/c/${channels['dice']!}`, apart: true })
    await window.getByText('In voice Lounge').waitFor()
    await window.getByRole('button', { name: 'Leave voice' }).click()
    await window.getByText('In voice Lounge').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
    await window.close()
  })

  it('shows who is in voice in a server that was found by the switcher', { tags: 'all/browser' }, async () => {
    const { id } = test.service.world.servers['Game night']!
    const { channel } = (await test.person('bob', 'POST', `/servers/${id}/channels`, { name: 'Den', kind: 'voice' }))
      .body as unknown as { channel: { id: string } }
    expect((await test.person('bob', 'PUT', `/channels/${channel.id}/voice`)).status).toBe(200)
    const window = await test.openAs('ann', { apart: true })
    await window.keyboard.press('Control+k')
    await window.getByRole('combobox').fill('dice')
    await window.getByRole('option', { name: 'dice' }).waitFor()
    await window.keyboard.press('Enter')
    await window.getByRole('textbox', { name: 'Message #dice' }).waitFor()
    await window.getByRole('list', { name: 'In Den' }).getByText('bob').waitFor()
    expect(test.problems).toEqual([])
    await window.close()
  })

  it(
    'counts slowmode down, keeps the text, and lets only some post in read-only channels [spec: 8/channel_slowmode]',
    { tags: 'all/browser' },
    async () => {
      await openChannel(carol, /^slow/)
      await say(carol, 'first')
      await carol.getByRole('log').getByText('first').waitFor()
      await enter(carol, 'second')
      const left = carol.getByText(/^Slowmode: you can send the next message in \d+ s\.$/)
      await left.waitFor()
      expect(await carol.getByRole('button', { name: 'Send message' }).isDisabled()).toBe(true)
      expect(await box(carol).inputValue()).toBe('second')
      // After a reload, the wait comes from the last message.
      await carol.reload()
      const before = await left.textContent()
      await expect.poll(() => left.textContent()).not.toBe(before)
      await openChannel(carol, /^news read-only/)
      await expect.poll(() => box(carol).isDisabled()).toBe(true)
      expect(await box(carol).getAttribute('placeholder')).toBe('#news is read-only: only some roles can post here.')
      // The owner of the server and members who manage messages have no limits.
      await openChannel(ann, /^news read-only/)
      await say(ann, 'the news')
      await carol.getByRole('log').getByText('the news').waitFor()
      await openChannel(ann, /^slow/)
      for (const text of ['owner one', 'owner two']) {
        await say(ann, text)
        await ann.getByRole('log').getByText(text).waitFor()
      }
      expect(test.problems).toEqual([])
    },
  )

  it('shows until when a member is timed out', async () => {
    const user_id = test.service.world.people['carol']!.id
    const path = `/servers/${test.service.world.servers['Workshop']!.id}/timeouts`
    const timeOut = (minutes: number) => test.person('ann', 'POST', path, { user_id, minutes })
    await openChannel(carol, /^general/)
    expect((await timeOut(10)).status).toBe(200)
    await expect.poll(() => box(carol).getAttribute('placeholder')).toMatch(/^You are timed out until /)
    expect(await box(carol).isDisabled()).toBe(true)
    expect((await timeOut(0)).status).toBe(200)
    await expect.poll(() => box(carol).isDisabled()).toBe(false)
    expect(test.problems).toEqual([])
  })

  it('lets a member write again when the timeout is over', { tags: 'all/browser' }, async () => {
    const user_id = test.service.world.people['carol']!.id
    const path = `/servers/${test.service.world.servers['Workshop']!.id}/timeouts`
    await carol.clock.install()
    await carol.reload()
    await openChannel(carol, /^general/)
    expect((await test.person('ann', 'POST', path, { user_id, minutes: 10 })).status).toBe(200)
    await expect.poll(() => box(carol).isDisabled()).toBe(true)
    await carol.clock.fastForward('09:00')
    expect(await box(carol).isDisabled()).toBe(true)
    await carol.clock.fastForward('02:00')
    await expect.poll(() => box(carol).isDisabled()).toBe(false)
    await carol.clock.resume()
    expect((await test.person('ann', 'POST', path, { user_id, minutes: 0 })).status).toBe(200)
    expect(test.problems).toEqual([])
  })

  it('shows a lost connection, reconnects by itself, and signs in again if the session is gone', async () => {
    await bob.route('**/people/v1/**', (route) => route.abort())
    await fetch(`${test.service.url}/controls/v1/reset`, { method: 'POST' })
    await bob.getByText('Connection lost.').waitFor()
    await bob.unroute('**/people/v1/**')
    await bob.getByText('Connection lost.').waitFor({ state: 'detached' })
    await bob.getByRole('button', { name: /^bob .*your menu$/ }).waitFor()
    await say(bob, 'still here')
    await bob.getByRole('log').getByText('still here').waitFor()
    expect(test.problems).toEqual([])
  })
})

describeInBrowser('a service with a key', () => {
  it(
    'works at the printed URL, also in a second tab, and explains a missing key',
    { tags: 'all/browser' },
    async () => {
      const test = await startBrowser(chatWorld(), { key: true })
      try {
        const without = await test.openAs(undefined)
        await without.evaluate('localStorage.clear()')
        await without.reload()
        await without.getByText('X-Service-Key').waitFor()
        const ann = await test.openAs('ann')
        await expect.poll(() => new URL(ann.url()).hash).toBe('')
        await say(ann, 'let in')
        await ann.getByRole('log').getByText('let in').waitFor()
        const opened = ann.context().waitForEvent('page')
        await ann.evaluate(`window.open('/', '_blank', 'noopener')`)
        const second = await opened
        await second.getByRole('button', { name: 'bob', exact: true }).click()
        await second.getByRole('log').getByText('let in').waitFor()
        expect(test.problems).toEqual([])
      } finally {
        await test.close()
      }
    },
  )
})
