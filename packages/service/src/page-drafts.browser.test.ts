import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, enter, clickShown } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

/** The smallest PNG. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Pastes files into the input, with a text if one is given. */
const paste = (page: Page, files: string[], text?: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${png}'), (each) => each.charCodeAt(0))
    for (const name of ${JSON.stringify(files)}) data.items.add(new File([bytes], name, { type: 'image/png' }))
    if (${text !== undefined})
      for (const type of ['text/plain', 'text/html']) data.setData(type, ${JSON.stringify(text ?? '')})
    const init = { bubbles: true, cancelable: true, clipboardData: data }
    return document.querySelector('#composer').dispatchEvent(new ClipboardEvent('paste', init))
  })()`)

describeInBrowser('what is being written', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })
  const workshop = () => test.service.world.servers['Workshop']!
  const openAt = (who: string, name: string) =>
    test.openAs(who, { path: `/s/${workshop().id}/c/${workshop().channels[name]!}` })
  const post = async (who: string, name: string, content: string): Promise<string> =>
    (await test.person(who, 'POST', `${test.channel(name)}/messages`, { content })).body['id']!
  const row = (page: Page, text: string) => page.getByRole('log').locator('.message', { hasText: text })
  const act = (page: Page, text: string, action: string) => clickShown(row(page, text), action)
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Edit message' })
  const go = (page: Page, name: string) => page.locator('.sidebar').getByRole('button', { name, exact: true }).click()
  const contents = async (name: string): Promise<string[]> => {
    const { body } = await test.person('ann', 'GET', `${test.channel(name)}/messages`)
    return (body as unknown as { messages: { content: string }[] }).messages.map(({ content }) => content)
  }

  it('stays over a change of the channel and a reload: text, reply, image and edit', async () => {
    await post('bob', 'general', 'a question')
    await post('ann', 'general', 'my old answer')
    const ann = await openAt('ann', 'general')
    await act(ann, 'a question', 'Reply')
    await box(ann).fill('half an answer')
    await paste(ann, ['square.png'])
    await act(ann, 'my old answer', 'Edit')
    await editor(ann).fill('half an edit')
    const isThere = async () => {
      await ann.getByText('Replying to bob').waitFor()
      await ann.locator('.attachment', { hasText: 'square.png' }).waitFor()
      await expect.poll(() => box(ann).inputValue()).toBe('half an answer')
      await expect.poll(() => editor(ann).inputValue()).toBe('half an edit')
    }
    await isThere()
    await go(ann, 'random')
    await ann.getByRole('log', { name: 'Messages in random' }).waitFor()
    expect(await box(ann).inputValue()).toBe('')
    expect(await ann.getByText('Replying to').count()).toBe(0)
    await go(ann, 'general')
    await isThere()
    await ann.reload()
    await isThere()

    await editor(ann).press('Enter')
    await row(ann, 'half an edit').waitFor()
    await box(ann).press('Enter')
    await row(ann, 'half an answer').locator('.quote', { hasText: 'a question' }).waitFor()
    await row(ann, 'half an answer').getByRole('img', { name: 'Image in this message' }).waitFor()
    await ann.reload()
    await row(ann, 'half an answer').waitFor()
    expect(await box(ann).inputValue()).toBe('')
    expect(await ann.locator('.attachment, .draft-line').count()).toBe(0)
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('stays when the message that it answers or edits is deleted', { tags: 'all/browser' }, async () => {
    const question = await post('carol', 'random', 'a short-lived question')
    const answer = await post('bob', 'random', 'a short-lived answer')
    const bob = await openAt('bob', 'random')
    await act(bob, 'a short-lived answer', 'Edit')
    await editor(bob).fill('a better answer')
    await act(bob, 'a short-lived question', 'Reply')
    await box(bob).fill('because')
    for (const id of [question, answer])
      expect((await test.person('ann', 'DELETE', `${test.channel('random')}/messages/${id}`)).status).toBe(200)
    await bob.getByText('The message of carol was deleted. Yours will not be a reply.').waitFor()
    await bob.getByText('The message that you are editing was deleted.').waitFor()
    expect(await box(bob).inputValue()).toBe('because')
    await bob.getByRole('button', { name: 'Move your text here' }).click()
    expect(await box(bob).inputValue()).toBe('because\na better answer')
    await box(bob).press('Enter')
    await row(bob, 'a better answer').waitFor()
    expect(await row(bob, 'a better answer').locator('.quote').count()).toBe(0)
    await expect.poll(() => bob.locator('.draft-line').count()).toBe(0)
    expect(test.problems).toEqual([])
    await bob.close()
  })

  it('undoes a completion and an emoji', { tags: 'all/browser' }, async () => {
    const ann = await openAt('ann', 'general')
    await box(ann).pressSequentially('thanks @bo')
    await box(ann).press('Enter')
    await expect.poll(() => box(ann).inputValue()).toBe('thanks @bob ')
    await ann.getByRole('button', { name: 'Emoji', exact: true }).click()
    await ann.getByRole('button', { name: 'Insert 👍' }).first().click()
    await expect.poll(() => box(ann).inputValue()).toBe('thanks @bob 👍')
    await box(ann).press('Control+z')
    await expect.poll(() => box(ann).inputValue()).toBe('thanks @bob ')
    await box(ann).press('Control+z')
    await expect.poll(() => box(ann).inputValue()).toBe('thanks @bo')
    await box(ann).fill('')
    await ann.close()
  })

  it('takes a pasted table as text, and reports images that it does not take', { tags: 'all/browser' }, async () => {
    const ann = await openAt('ann', 'general')
    // The browser inserts the text.
    expect(await paste(ann, ['table.png'], 'a\tb\n1\t2')).toBe(true)
    expect(await ann.locator('.attachment').count()).toBe(0)
    expect(await paste(ann, ['first.png', 'second.png'])).toBe(false)
    await ann.locator('.attachment', { hasText: 'first.png' }).waitFor()
    await ann.getByText('A message has at most one image: only first.png was added.').waitFor()
    await paste(ann, ['third.png'])
    await ann.getByText('A message has at most one image. Send or remove first.png first.').waitFor()
    await ann.locator('.attachment', { hasText: 'first.png' }).waitFor()
    await ann.getByRole('button', { name: 'Remove image' }).click()
    await ann.close()
  })

  it('never mixes with a message that is on its way', { tags: 'all/browser' }, async () => {
    const ann = await openAt('ann', 'random')
    let answer = (): void => {}
    let waits = new Promise<void>((resolve) => (answer = resolve))
    let isRefused = false
    await ann.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await waits
      return isRefused
        ? route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"out of order"}' })
        : route.continue()
    })
    await enter(ann, 'the first one')
    await box(ann).pressSequentially('the second one')
    await box(ann).press('Enter')
    await box(ann).fill('the third one')
    answer()
    await row(ann, 'the second one').waitFor()
    expect((await contents('random')).filter((each) => each.startsWith('the '))).toHaveLength(2)
    expect(await box(ann).inputValue()).toBe('the third one')

    waits = new Promise((resolve) => (answer = resolve))
    isRefused = true
    await enter(ann, 'a refused one')
    answer()
    // It is back.
    await ann.getByRole('alert').getByText('out of order').waitFor()
    expect(await box(ann).inputValue()).toBe('a refused one')
    waits = new Promise((resolve) => (answer = resolve))
    await box(ann).press('Enter')
    await box(ann).pressSequentially('written meanwhile')
    answer()
    await ann.getByText('Not sent: a refused one').waitFor()
    expect(await box(ann).inputValue()).toBe('written meanwhile')
    isRefused = false
    await ann.getByRole('button', { name: 'Send again' }).click()
    await row(ann, 'a refused one').waitFor()
    await ann.getByText('Not sent: a refused one').waitFor({ state: 'detached' })
    expect(await box(ann).inputValue()).toBe('written meanwhile')
    await box(ann).fill('')
    await ann.close()
  })
})
