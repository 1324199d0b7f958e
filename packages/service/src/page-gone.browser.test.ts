import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { box, describeInBrowser, say, startBrowser, clickShown } from './lib/test-tools/browser.test.fixture.ts'
import { chatWorld } from './lib/test-tools/chat.test.fixture.ts'

const token = 'token-of-pollster'

describeInBrowser('an open page', () => {
  let test: Awaited<ReturnType<typeof startBrowser>>
  let ann: Page
  beforeAll(async () => {
    test = await startBrowser(chatWorld())
    ann = await test.openAs('ann')
  })
  afterAll(async () => {
    await test?.close()
  })
  const general = () => `/channels/${test.service.world.servers['Workshop']!.channels['general']!}/messages`

  it('shows nothing of a bot that was deleted', { tags: 'all/browser' }, async () => {
    const bot = test.service.world.bots['pollster']!.id
    const question = await test.person('ann', 'POST', general(), { content: 'who likes tea?' })
    const questionId: string = question.body['id']!
    const thumb = encodeURIComponent('👍')
    await test.bot(token, 'PUT', `${general()}/${questionId}/reactions/${thumb}`)
    await test.bot(token, 'POST', general(), { content: 'I am a bot' })
    const dm: string = (await test.bot(token, 'POST', `/users/${test.service.world.people['ann']!.id}/dm`)).body[
      'channel_id'
    ]!
    await test.bot(token, 'POST', `/channels/${dm}/messages`, { content: 'a secret of the bot' })
    const log = ann.getByRole('log')
    const entry = ann.getByRole('navigation').getByRole('button', { name: /^pollster/ })
    await log.getByText('I am a bot').waitFor()
    await log.getByRole('button', { name: /👍/ }).waitFor()
    await entry.click()
    await log.getByText('a secret of the bot').waitFor()
    expect((await test.person('ann', 'DELETE', `/bots/${bot}`)).status).toBe(200)
    await entry.waitFor({ state: 'detached' })
    await ann.getByText('a secret of the bot').waitFor({ state: 'detached' })
    await log.getByText('who likes tea?').waitFor()
    const gone = [
      log.getByText('I am a bot'),
      log.getByRole('button', { name: /👍/ }),
      ann.getByRole('complementary', { name: 'Members' }).getByText('pollster'),
    ]
    for (const each of gone) await each.waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
  })

  it('counts no unread messages of a channel that was deleted or hidden, or of a server that the person has left', async () => {
    const night = test.service.world.servers['Game night']!
    const rail = ann.getByRole('navigation', { name: 'Servers' })
    const read = rail.getByRole('button', { name: 'Game night', exact: true })
    const unread = rail.getByRole('button', { name: 'Game night, unread messages' })
    const title = '#general'
    await expect.poll(() => ann.title()).toBe(title)
    const write = async (channel: string) => {
      await test.person('bob', 'POST', `/channels/${channel}/messages`, { content: 'your turn' })
      await unread.waitFor()
      await expect.poll(() => ann.title()).toBe(`• ${title}`)
    }
    for (const end of [
      (channel: string) => test.person('bob', 'DELETE', `/channels/${channel}`),
      (channel: string) => test.person('bob', 'PATCH', `/channels/${channel}`, { private: true }),
    ]) {
      const { body } = await test.person('bob', 'POST', `/servers/${night.id}/channels`, { name: 'cards' })
      const { id } = body['channel'] as unknown as { id: string }
      await write(id)
      expect((await end(id)).status).toBe(200)
      await read.waitFor()
      await expect.poll(() => ann.title()).toBe(title)
    }
    await write(night.channels['dice']!)
    const user_id = test.service.world.people['ann']!.id
    expect((await test.person('bob', 'POST', `/servers/${night.id}/kick`, { user_id })).status).toBe(200)
    await unread.waitFor({ state: 'detached' })
    await expect.poll(() => ann.title()).toBe(title)
  })

  it(
    'shows what others wrote while the person was not in the server, or could not see the channel',
    { tags: 'all/browser' },
    async () => {
      const night = test.service.world.servers['Game night']!
      const dice = night.channels['dice']!
      const user_id = test.service.world.people['ann']!.id
      const server = ann.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: /^Game night/ })
      const channel = ann.getByRole('navigation', { name: 'Channels' }).getByRole('button', { name: /^dice/ })
      const write = (content: string) => test.person('bob', 'POST', `/channels/${dice}/messages`, { content })
      const shown = (content: string) => ann.getByRole('log').getByText(content).waitFor()
      const joins = () => test.person('ann', 'PUT', `/servers/${night.id}/members/me`)
      await joins()
      await server.click()
      await channel.click()
      await write('a first roll')
      await shown('a first roll')
      await test.person('bob', 'POST', `/servers/${night.id}/kick`, { user_id })
      await server.waitFor({ state: 'detached' })
      await write('a roll without ann')
      await joins()
      await server.click()
      await channel.click()
      await shown('a roll without ann')
      await test.person('bob', 'PATCH', `/channels/${dice}`, { private: true })
      await channel.waitFor({ state: 'detached' })
      await write('a secret roll')
      await test.person('bob', 'PATCH', `/channels/${dice}`, { private: false })
      await channel.click()
      await shown('a secret roll')
      expect(test.problems).toEqual([])
    },
  )

  it(
    'stays in direct messages when the person is removed from the server that was open before',
    { tags: 'all/browser' },
    async () => {
      const night = test.service.world.servers['Game night']!
      const { ann: person, carol } = test.service.world.people
      // A test before this one may have removed the person.
      await test.person('ann', 'PUT', `/servers/${night.id}/members/me`)
      const { body } = await test.person('ann', 'POST', `/users/${carol!.id}/dm`)
      await test.person('carol', 'POST', `/channels/${String(body['channel_id'])}/messages`, {
        content: 'a word with you',
      })
      const server = ann.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: /^Game night/ })
      await server.click()
      await ann
        .getByRole('navigation')
        .getByRole('button', { name: /^carol/ })
        .click()
      await ann.getByRole('log').getByText('a word with you').waitFor()
      await box(ann).fill('an answer to')
      await test.person('bob', 'POST', `/servers/${night.id}/kick`, { user_id: person!.id })
      await server.waitFor({ state: 'detached' })
      await box(ann).press('End')
      await box(ann).pressSequentially(' carol')
      expect(await box(ann).inputValue()).toBe('an answer to carol')
      await ann.getByRole('log').getByText('a word with you').waitFor()
    },
  )

  it('leaves the voice channel that the person can no longer see', { tags: 'all/browser' }, async () => {
    const carol = await test.openAs('carol', { apart: true })
    await carol.getByRole('button', { name: /^Lounge/ }).click()
    const bar = carol.getByRole('status').filter({ hasText: 'In voice' })
    await bar.waitFor()
    const lounge = test.service.world.servers['Workshop']!.channels['Lounge']!
    expect((await test.person('ann', 'PATCH', `/channels/${lounge}`, { private: true })).status).toBe(200)
    await bar.waitFor({ state: 'detached' })
    await carol.close()
  })

  it('keeps a channel read that was marked as read without being opened', { tags: 'all/browser' }, async () => {
    const random = test.service.world.servers['Workshop']!.channels['random']!
    const unread = ann.getByRole('button', { name: /^random unread/ })
    await ann.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: 'Workshop' }).click()
    await test.person('bob', 'POST', `/channels/${random}/messages`, { content: 'nothing important' })
    await unread.waitFor()
    await ann.getByRole('button', { name: 'Workshop: server menu' }).click()
    await ann.getByRole('menuitem', { name: 'Mark all as read' }).click()
    await unread.waitFor({ state: 'detached' })
    await ann.reload()
    await box(ann).waitFor()
    expect(await unread.count()).toBe(0)
    await test.person('bob', 'POST', `/channels/${random}/messages`, { content: 'something important' })
    await unread.waitFor()
  })

  it('shows what happens while it loads', async () => {
    const carol = await test.openAs('carol', { apart: true })
    const random = test.service.world.servers['Workshop']!.channels['random']!
    const { id } = test.service.world.people['carol']!
    await carol.route(
      '**/people/v1/me',
      async (route) => {
        const response = await route.fetch()
        await test.person('bob', 'POST', `/channels/${random}/messages`, { content: 'while you load' })
        const { body } = await test.person('bob', 'POST', `/users/${id}/dm`)
        await test.person('bob', 'POST', `/channels/${body['channel_id']}/messages`, { content: 'only for you' })
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await carol.reload()
    await box(carol).waitFor()
    await carol.getByRole('button', { name: /^random unread/ }).waitFor()
    await carol.getByRole('navigation').getByRole('button', { name: /^bob/ }).waitFor()
    expect(test.problems).toEqual([])
    await carol.close()
  })

  it('shows who joins a server while it is read again', async () => {
    const night = test.service.world.servers['Game night']!
    const here = await test.openAs('bob', { apart: true })
    await here.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: 'Game night' }).click()
    const members = here.getByRole('complementary', { name: 'Members' })
    await members.getByText('bob').waitFor()
    await here.route(
      `**/people/v1/servers/${night.id}`,
      async (route) => {
        const response = await route.fetch()
        await test.person('carol', 'PUT', `/servers/${night.id}/members/me`)
        await test.person('carol', 'POST', `/channels/${night.channels['dice']!}/messages`, { content: 'hello bob' })
        await here.getByRole('log').getByText('hello bob').waitFor()
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await test.person('bob', 'POST', `/servers/${night.id}/channels`, { name: 'chess', type: 'text' })
    await here
      .getByRole('navigation')
      .getByRole('button', { name: /^chess/ })
      .waitFor()
    await members.getByText('carol').waitFor({ timeout: 5000 })
    await test.person('carol', 'DELETE', `/servers/${night.id}/members/me`)
    await members.getByText('carol').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
    await here.close()
  })

  it('shows no server that the person has left at once', { tags: 'all/browser' }, async () => {
    const { id } = test.service.world.servers['Game night']!
    const random = test.service.world.servers['Workshop']!.channels['random']!
    const carol = await test.openAs('carol', { apart: true })
    await carol
      .getByRole('navigation')
      .getByRole('button', { name: /^random/ })
      .click()
    const answered = carol.waitForResponse('**/people/v1/me')
    await carol.route(
      '**/people/v1/me',
      async (route) => {
        const response = await route.fetch()
        await test.person('carol', 'DELETE', `/servers/${id}/members/me`)
        await test.person('bob', 'POST', `/channels/${random}/messages`, { content: 'come back' })
        await carol.getByRole('log').getByText('come back').waitFor()
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await test.person('carol', 'PUT', `/servers/${id}/members/me`)
    await answered
    await test.person('bob', 'POST', `/channels/${random}/messages`, { content: 'now' })
    await carol.getByRole('log').getByText('now').waitFor()
    expect(await carol.getByRole('navigation').getByRole('button', { name: 'Game night' }).count()).toBe(0)
    expect(test.problems).toEqual([])
    await carol.close()
  })

  describe('after a gap in the connection', () => {
    let carol: Page
    beforeAll(async () => {
      carol = await test.openAs('carol', { apart: true })
    })
    afterAll(() => carol?.close())
    /** The browser keeps a page for its Back button, and shows it again after the changes. */
    const missing = async (changes: () => Promise<unknown>) => {
      await carol.evaluate("dispatchEvent(new Event('pagehide'))")
      await changes()
      await carol.evaluate("dispatchEvent(new Event('pageshow'))")
      await carol.getByText('Connection lost.').waitFor({ state: 'detached' })
    }

    it('replies to no message that was deleted meanwhile', { tags: ['all/browser'] }, async () => {
      const { body } = await test.person('ann', 'POST', general(), { content: 'forget this' })
      const kept = await test.person('ann', 'POST', general(), { content: 'keep this' })
      const log = carol.getByRole('log')
      const reply = carol.getByText('Replying to')
      const replyTo = async (text: string) => {
        const message = log.locator('.message', { hasText: text })
        await clickShown(message, 'Reply')
        await reply.waitFor()
      }
      await replyTo('keep this')
      await missing(() => Promise.resolve())
      await log.getByText('keep this').waitFor()
      expect(await reply.count()).toBe(1)
      await replyTo('forget this')
      await missing(() => test.person('ann', 'DELETE', `${general()}/${String(body['id'])}`))
      await log.getByText('forget this').waitFor({ state: 'detached' })
      await reply.waitFor({ state: 'detached' })
      await test.person('ann', 'DELETE', `${general()}/${String(kept.body['id'])}`)
      expect(test.problems).toEqual([])
    })

    it(
      'shows no channel that was deleted meanwhile, and no server that the person is no longer in',
      { tags: ['all/browser'] },
      async () => {
        const workshop = test.service.world.servers['Workshop']!
        const made = await test.person('ann', 'POST', `/servers/${workshop.id}/channels`, { name: 'brief' })
        const { id } = made.body['channel'] as unknown as { id: string }
        await carol.getByRole('button', { name: /^brief/ }).click()
        await box(carol).fill('a draft')
        await missing(() => test.person('ann', 'DELETE', `/channels/${id}`))
        await carol.getByRole('heading', { name: 'Choose a channel' }).waitFor()
        expect(await carol.locator('.toast').allInnerTexts()).toEqual([])
        await carol.getByRole('button', { name: /^general/ }).click()
        await box(carol).waitFor()
        await missing(() =>
          test.person('ann', 'POST', `/servers/${workshop.id}/kick`, {
            user_id: test.service.world.people['carol']!.id,
          }),
        )
        await carol.getByRole('heading', { name: 'You have not joined a server yet' }).waitFor()
        expect(await box(carol).count()).toBe(0)
        expect(await carol.locator('.toast').allInnerTexts()).toEqual([])
        expect((await test.person('carol', 'PUT', `/servers/${workshop.id}/members/me`)).status).toBe(200)
      },
    )
  })

  it('of a banned person ends with the reason, and does not reconnect', async () => {
    const bob = await test.openAs('bob', { apart: true })
    for (let count = 0; count < 3; count++) await test.person('bob', 'POST', general(), { content: 'slur-for-tests' })
    await bob.getByRole('alert').getByText('not allowed: this person is banned').waitFor()
    await bob.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    const requests: string[] = []
    bob.on('request', (request) => requests.push(request.url()))
    // Others go on, and what they write arrives nowhere else.
    await say(ann, 'still here')
    await ann.getByRole('log').getByText('still here').waitFor()
    await bob.reload()
    await bob.getByRole('button', { name: 'ann', exact: true }).waitFor()
    expect(await bob.getByRole('button', { name: 'bob', exact: true }).count()).toBe(0)
    expect(requests.filter((url) => url.endsWith('/people/v1/me'))).toEqual([])
    expect(test.problems).toEqual([])
  })
})
