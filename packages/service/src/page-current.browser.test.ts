import { systemClock } from '@botwright/clock'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, say, startBrowser, clickShown } from './lib/test-tools/browser.test.fixture.ts'
import { chatWorld } from './lib/test-tools/chat.test.fixture.ts'

describeInBrowser('an open page shows what is there now', () => {
  let test: Awaited<ReturnType<typeof startBrowser>>
  let aheadMs = 0
  beforeAll(async () => {
    test = await startBrowser(chatWorld(), { clock: { ...systemClock, now: () => Date.now() + aheadMs } })
  })
  afterAll(() => test?.close())
  const workshop = () => test.service.world.servers['Workshop']!
  const path = (name: string) => `/channels/${workshop().channels[name]!}/messages`
  const post = async (who: string, name: string, body: object): Promise<string> =>
    (await test.person(who, 'POST', path(name), body)).body['id']!
  const messageOf = (page: Page, text: string) => page.getByRole('log').locator('.message', { hasText: text })

  it('ends the reply to a message that was deleted', async () => {
    const ann = await test.openAs('ann', { path: `/s/${workshop().id}/c/${workshop().channels['random']!}` })
    const id = await post('carol', 'random', { content: 'a question' })
    await clickShown(messageOf(ann, 'a question'), 'Reply')
    await ann.getByText('Replying to carol').waitFor()
    expect((await test.person('carol', 'DELETE', `${path('random')}/${id}`)).status).toBe(200)
    await ann.getByText('Replying to carol').waitFor({ state: 'detached' })
    await say(ann, 'an answer')
    await ann.getByRole('log').getByText('an answer').waitFor()
    await ann.close()
  })

  it(
    'shows the current text in quotes, search results and pins of messages that are not loaded',
    { tags: 'all/browser' },
    async () => {
      const old = await post('bob', 'general', { content: 'an old secret' })
      const pinned = await post('bob', 'general', { content: 'an old pin' })
      expect((await test.person('ann', 'PUT', `${path('general')}/${pinned}/pin`)).status).toBe(200)
      for (let i = 0; i < 60; i++) await post('bob', 'general', { content: `message ${i}` })
      await post('carol', 'general', { content: 'replying', reply_to: old })
      const ann = await test.openAs('ann')
      const quote = messageOf(ann, 'replying').locator('.quote-text')
      await expect.poll(() => quote.textContent()).toBe('an old secret')
      await ann.keyboard.press('Control+f')
      const panel = ann.getByRole('dialog', { name: 'Search messages' })
      await panel.getByRole('searchbox').fill('old secret')
      await panel.getByText('1 found').waitFor()
      expect((await test.person('bob', 'DELETE', `${path('general')}/${old}`)).status).toBe(200)
      await expect.poll(() => quote.textContent()).toBe('The original message was deleted')
      await panel.getByText('an old secret').waitFor({ state: 'detached' })
      await ann.keyboard.press('Escape')
      await ann.getByRole('button', { name: 'Pinned messages' }).click()
      const pins = ann.getByRole('dialog', { name: 'Pinned messages' })
      await pins.getByText('an old pin').waitFor()
      const content = 'a new pin'
      expect((await test.person('bob', 'PATCH', `${path('general')}/${pinned}`, { content })).status).toBe(200)
      await pins.getByText(content).waitFor()
      expect((await test.person('bob', 'DELETE', `${path('general')}/${pinned}`)).status).toBe(200)
      await pins.getByText('No pinned messages.').waitFor()
      expect(test.problems).toEqual([])
      await ann.close()
    },
  )

  it(
    'shows the current text in quotes, search results and pins after a gap in the connection',
    { tags: 'all/browser' },
    async () => {
      const [old, pinned] = [
        await post('carol', 'random', { content: 'a former plan' }),
        await post('carol', 'random', { content: 'a former pin' }),
      ]
      expect((await test.person('ann', 'PUT', `${path('random')}/${pinned}/pin`)).status).toBe(200)
      for (let i = 0; i < 60; i++) await post('carol', 'random', { content: `message ${i}` })
      await post('carol', 'random', { content: 'quoting', reply_to: old })
      const ann = await test.openAs('ann', { apart: true })
      const missing = async (changes: () => Promise<unknown>) => {
        await ann.evaluate("dispatchEvent(new Event('pagehide'))")
        await changes()
        await ann.evaluate("dispatchEvent(new Event('pageshow'))")
      }
      const quote = messageOf(ann, 'quoting').locator('.quote-text')
      const failed = ann.waitForEvent('requestfailed')
      await ann.route(`**/messages/${old}`, (route) => route.abort())
      await ann.getByRole('button', { name: /^random/ }).click()
      await failed
      await messageOf(ann, 'quoting').waitFor()
      await expect.poll(() => quote.textContent()).toBe('The original message could not be loaded')
      await missing(() => ann.unroute(`**/messages/${old}`))
      await expect.poll(() => quote.textContent()).toBe('a former plan')
      await ann.getByRole('button', { name: 'Pinned messages' }).click()
      const pins = ann.getByRole('dialog', { name: 'Pinned messages' })
      await pins.getByText('a former pin').waitFor()
      await missing(() => test.person('carol', 'DELETE', `${path('random')}/${pinned}`))
      await pins.getByText('No pinned messages.').waitFor()
      await ann.keyboard.press('Escape')
      await ann.keyboard.press('Control+f')
      const panel = ann.getByRole('dialog', { name: 'Search messages' })
      await panel.getByRole('searchbox').fill('former plan')
      await panel.getByText('1 found').waitFor()
      await missing(() => test.person('carol', 'DELETE', `${path('random')}/${old}`))
      await expect.poll(() => quote.textContent()).toBe('The original message was deleted')
      await panel.getByText('a former plan').waitFor({ state: 'detached' })
      expect(test.problems).toEqual([])
      await ann.close()
    },
  )

  it('lists webhooks only for members with the permission', { tags: ['all/browser'] }, async () => {
    const made = await test.person('ann', 'POST', `/channels/${workshop().channels['general']!}/webhooks`, {
      name: 'feed',
    })
    expect(made.status).toBe(200)
    const role = workshop().roles['mods']!
    const permit = async (...permissions: string[]) =>
      expect(
        (await test.person('ann', 'PATCH', `/servers/${workshop().id}/roles/${role}`, { permissions })).status,
      ).toBe(200)
    await permit('manage_webhooks')
    const bob = await test.openAs('bob')
    await bob.getByRole('button', { name: 'Workshop: server menu' }).click()
    await bob.getByRole('menu').getByText('Server settings').click()
    await bob.getByRole('navigation', { name: 'Workshop' }).getByRole('button', { name: 'Webhooks' }).click()
    const row = bob.getByRole('button', { name: 'Delete feed' })
    await row.waitFor()
    await permit()
    await row.waitFor({ state: 'detached' })
    await permit('manage_webhooks')
    await row.waitFor()
    await permit('manage_messages')
    expect(test.problems).toEqual([])
    await bob.close()
  })

  it('offers the two people in direct messages, whatever server was open before', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const member = `/servers/${workshop().id}/members/${test.service.world.people['carol']!.id}`
    expect((await test.person('ann', 'PATCH', member, { nickname: 'Queen C' })).status).toBe(200)
    await ann.getByRole('complementary', { name: 'Members' }).getByText('Queen C').waitFor()
    await ann.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: 'Queen C' }).click()
    await ann.getByRole('dialog').getByRole('button', { name: 'Message' }).click()
    await ann.getByRole('textbox', { name: 'Message carol' }).waitFor()
    const { body } = await test.person('ann', 'POST', `/users/${test.service.world.people['carol']!.id}/dm`)
    await test.person('carol', 'POST', `/channels/${String(body['channel_id'])}/messages`, {
      content: 'a nickname belongs to a server',
    })
    await expect.poll(() => messageOf(ann, 'a nickname').locator('.message-author').textContent()).toBe('carol')
    await box(ann).fill('@')
    await ann.getByRole('option', { name: 'carol' }).waitFor()
    expect(await ann.getByRole('option').count()).toBe(2)
    await say(ann, 'ask @bob or @carol')
    const mentions = messageOf(ann, 'ask @bob').locator('.mention')
    await expect.poll(() => mentions.allTextContents()).toEqual(['@carol'])
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('counts the characters that are sent: ids for names, emoji for theirs', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const left = ann.locator('.composer .left')
    const send = ann.getByRole('button', { name: 'Send message' })
    await box(ann).fill('@carol '.repeat(60))
    await expect.poll(() => left.textContent()).toBe(String(2000 - 60 * 40 + 1))
    expect(await send.isDisabled()).toBe(true)
    await box(ann).fill(':tada: '.repeat(300))
    await expect.poll(() => send.isDisabled()).toBe(false)
    expect(await left.count()).toBe(0)
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('finds all messages of an author', { tags: ['all/browser'] }, async () => {
    await post('bob', 'random', { content: 'by bob' })
    await post('carol', 'random', { content: 'by carol' })
    const ann = await test.openAs('ann', { path: `/s/${workshop().id}/c/${workshop().channels['random']!}` })
    await ann.keyboard.press('Control+f')
    const panel = ann.getByRole('dialog', { name: 'Search messages' })
    await panel.getByRole('searchbox').fill('from:bob')
    await panel.getByText('1 found').waitFor()
    await panel.getByText('by bob').waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it(
    'shows no slowmode of a message with a later time, as after a move of the clock and a restart',
    { tags: ['all/browser'] },
    async () => {
      aheadMs = 7 * 24 * 60 * 60_000
      await post('carol', 'slow', { content: 'in a week' })
      aheadMs = 0
      const carol = await test.openAs('carol', { path: `/s/${workshop().id}/c/${workshop().channels['slow']!}` })
      await carol.getByRole('log').getByText('in a week').waitFor()
      await box(carol).fill('now')
      expect(await carol.getByRole('button', { name: 'Send message' }).isDisabled()).toBe(false)
      expect(test.problems).toEqual([])
      await carol.close()
    },
  )
})
