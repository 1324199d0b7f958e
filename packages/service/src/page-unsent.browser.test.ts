import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, clickShown, describeInBrowser, enter } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

/** The smallest PNG. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describeInBrowser('messages that are not sent yet', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })
  const workshop = () => test.service.world.servers['Workshop']!
  const pathOf = (name: string) => `/s/${workshop().id}/c/${workshop().channels[name]!}`
  const openAt = (name: string) => test.openAs('ann', { path: pathOf(name), apart: true })
  const post = async (who: string, name: string, content: string): Promise<string> =>
    (await test.person(who, 'POST', `${test.channel(name)}/messages`, { content })).body['id']!
  const log = (page: Page) => page.getByRole('log')
  const row = (page: Page, text: string) => log(page).locator('.message', { hasText: text })
  const attachImage = (page: Page, name: string) =>
    page
      .getByLabel('Image', { exact: true })
      .setInputFiles({ name, mimeType: 'image/png', buffer: Buffer.from(png, 'base64') })
  const reply = (page: Page, text: string) => clickShown(row(page, text), 'Reply')
  const choose = async (page: Page, item: string) => {
    await page.locator('.self-button').click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const contents = async (name: string): Promise<string[]> => {
    const { body } = await test.person('ann', 'GET', `${test.channel(name)}/messages`)
    return (body as unknown as { messages: { content: string }[] }).messages.map(({ content }) => content)
  }

  /** Holds the messages that a page sends: before they reach the service, or only the responses. */
  async function hold(page: Page, what: 'requests' | 'responses', method = 'POST') {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const answers: Promise<void>[] = []
    const paths = method === 'POST' ? '**/messages' : '**/messages/*'
    await page.route(paths, async (route) => {
      if (route.request().method() !== method) return route.continue()
      const response = what === 'responses' ? await route.fetch() : undefined
      // The page may have been reloaded meanwhile.
      const answer = released.then(() => (response ? route.fulfill({ response }) : route.continue()).catch(() => {}))
      answers.push(answer)
      await answer
    })
    return {
      arrives: () => expect.poll(() => answers.length, { message: 'requests of the page' }).toBeGreaterThan(0),
      async release(): Promise<void> {
        release()
        // A request that is still held would be sent again.
        await Promise.all(answers)
        await page.unroute(paths)
      },
    }
  }

  it('keeps the image of a message over a reload, until the service confirms it', { tags: 'all/browser' }, async () => {
    const ann = await openAt('general')
    const held = await hold(ann, 'requests')
    await attachImage(ann, 'square.png')
    await enter(ann, 'with an image')
    await held.arrives()
    await enter(ann, 'after the image')
    await ann.reload()
    await ann.getByText('May not have been sent: with an image').waitFor()
    await ann.getByText('Not sent: after the image').waitFor()
    await held.release()
    await ann.getByRole('button', { name: 'Send again' }).first().click()
    await row(ann, 'with an image').getByRole('img', { name: 'Image in this message' }).waitFor()
    await ann.reload()
    await row(ann, 'with an image').waitFor()
    await ann.getByText('Not sent: after the image').waitFor()
    expect(await ann.locator('.draft-line').count()).toBe(1)
    await ann.close()
  })

  it('does not offer to send a message again that the service has', { tags: 'all/browser' }, async () => {
    const ann = await openAt('general')
    const held = await hold(ann, 'responses')
    await enter(ann, 'sent before the reload')
    await held.arrives()
    await ann.reload()
    await row(ann, 'sent before the reload').waitFor()
    await box(ann).waitFor()
    await expect.poll(() => ann.locator('.draft-line').count()).toBe(0)
    expect(await box(ann).inputValue()).toBe('')
    await held.release()
    await ann.close()
  })

  it('keeps drafts if the service does not let the person in', { tags: 'all/browser' }, async () => {
    const ann = await openAt('general')
    await box(ann).fill('half a text')
    await ann.route('**/people/v1/**', (route) =>
      new URL(route.request().url()).pathname.endsWith('/me')
        ? route.fulfill({ status: 401, contentType: 'application/json', body: '{"error":"no such session"}' })
        : route.request().method() === 'POST'
          ? route.abort()
          : route.continue(),
    )
    await ann.reload()
    await ann.getByRole('heading', { name: 'Choose a name' }).waitFor()
    await ann.unroute('**/people/v1/**')
    await ann.getByRole('button', { name: 'ann', exact: true }).click()
    await expect.poll(() => box(ann).inputValue()).toBe('half a text')
    await choose(ann, 'Sign out')
    await ann.getByRole('button', { name: 'ann', exact: true }).click()
    await box(ann).waitFor()
    expect(await box(ann).inputValue()).toBe('')
    await ann.close()
  })

  it('lets a person leave whose browser has no room for drafts', { tags: 'all/browser' }, async () => {
    const ann = await openAt('general')
    await ann.evaluate(`(() => {
      for (let length = 2 ** 22; length >= 1; length /= 2)
        try {
          for (let index = 0; ; index++) sessionStorage.setItem('full-' + length + '-' + index, 'x'.repeat(length))
        } catch {}
    })()`)
    await box(ann).fill('a text that the storage has no room for')
    await choose(ann, 'Sign out')
    await ann.getByRole('heading', { name: 'Choose a name' }).waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('moves the text, reply and image of a refused message into the input', { tags: 'all/browser' }, async () => {
    await post('bob', 'random', 'a question')
    const ann = await openAt('random')
    const refuse = '**/messages'
    let answer = (): void => {}
    const waits = new Promise<void>((resolve) => (answer = resolve))
    await ann.route(refuse, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await waits
      return route.fulfill({ status: 400, contentType: 'application/json', body: '{"error":"content: too rude"}' })
    })
    await reply(ann, 'a question')
    await attachImage(ann, 'square.png')
    await enter(ann, 'a rude answer')
    await box(ann).pressSequentially('meanwhile')
    answer()
    await ann.getByText('Not sent: a rude answer').waitFor()
    await ann.getByRole('button', { name: 'Move your text here' }).click()
    expect(await box(ann).inputValue()).toBe('meanwhile\na rude answer')
    await ann.getByText('Replying to bob').waitFor()
    await ann.locator('.attachment', { hasText: 'square.png' }).waitFor()
    expect(await ann.locator('.is-unsent').count()).toBe(0)
    await ann.close()
  })

  it('sends a reply to a message that was deleted while the reply waited', { tags: 'all/browser' }, async () => {
    const id = await post('bob', 'random', 'a short-lived remark')
    const ann = await openAt('random')
    const held = await hold(ann, 'requests')
    await enter(ann, 'one before')
    await held.arrives()
    await reply(ann, 'a short-lived remark')
    await enter(ann, 'the reply to nothing')
    expect((await test.person('bob', 'DELETE', `${test.channel('random')}/messages/${id}`)).status).toBe(200)
    await row(ann, 'a short-lived remark').waitFor({ state: 'detached' })
    await held.release()
    await row(ann, 'the reply to nothing').waitFor()
    expect(await row(ann, 'the reply to nothing').locator('.quote').count()).toBe(0)
    await ann.close()
  })

  it('leaves another channel alone that is open when the response arrives', { tags: 'all/browser' }, async () => {
    for (let index = 0; index < 40; index++) await post('bob', 'random', `remark ${index}`)
    const ann = await openAt('general')
    const held = await hold(ann, 'requests')
    await enter(ann, 'from general')
    await held.arrives()
    await ann
      .locator('.sidebar')
      .getByRole('button', { name: /^random/ })
      .click()
    await row(ann, 'remark 39').waitFor()
    await log(ann).hover()
    await ann.mouse.wheel(0, -600)
    const latest = ann.getByRole('button', { name: 'Jump to latest' })
    await latest.waitFor()
    await held.release()
    await expect.poll(() => contents('general')).toContain('from general')
    await ann.locator('.send[aria-busy=false]').waitFor()
    await post('bob', 'random', 'one remark more')
    await ann.getByRole('button', { name: '1 new message' }).waitFor()
    await ann.close()
  })

  it('sends nothing as another person, and drops nothing when the first one returns', async () => {
    const ann = await openAt('general')
    let release = (): void => {}
    const emoji = new Promise<void>((resolve) => (release = resolve))
    await ann.route('**/assets/emoji.json', async (route) => {
      await emoji
      await route.continue()
    })
    await enter(ann, 'a party :tada:')
    await choose(ann, 'Add another person')
    await ann.getByRole('button', { name: 'bob', exact: true }).click()
    await ann.locator('.self-name', { hasText: 'bob' }).waitFor()
    const loaded = ann.waitForResponse('**/assets/emoji.json')
    release()
    await loaded
    await box(ann).fill('by bob')
    await box(ann).press('Enter')
    await row(ann, 'by bob').waitFor()
    expect((await contents('general')).filter((each) => each.startsWith('a party'))).toEqual([])

    await choose(ann, 'Switch to ann')
    await ann.getByText('Not sent: a party :tada:').waitFor()
    await ann.getByRole('button', { name: 'Discard the message' }).click()
    const held = await hold(ann, 'responses')
    await enter(ann, 'sent and confirmed late')
    await held.arrives()
    await choose(ann, 'Switch to bob')
    await ann.locator('.self-name', { hasText: 'bob' }).waitFor()
    await choose(ann, 'Switch to ann')
    await row(ann, 'sent and confirmed late').waitFor()
    await held.release()
    await enter(ann, 'one after it')
    await row(ann, 'one after it').waitFor()
    await expect.poll(() => ann.locator('.draft-line').count()).toBe(0)
    expect(await box(ann).inputValue()).toBe('')
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('focuses an edit that is open already, at once and only then', { tags: 'all/browser' }, async () => {
    await post('ann', 'random', 'an answer of ann')
    const ann = await openAt('random')
    await row(ann, 'an answer of ann').waitFor()
    const editor = ann.getByRole('textbox', { name: 'Edit message' })
    const isFocused = () => ann.evaluate<boolean>('document.activeElement.ariaLabel === "Edit message"')
    await box(ann).press('ArrowUp')
    await expect.poll(isFocused).toBe(true)
    await box(ann).focus()
    await box(ann).press('ArrowUp')
    await expect.poll(isFocused).toBe(true)
    await box(ann).focus()
    await ann
      .locator('.sidebar')
      .getByRole('button', { name: /^general/ })
      .click()
    await log(ann).and(ann.getByLabel('Messages in general')).waitFor()
    await ann
      .locator('.sidebar')
      .getByRole('button', { name: /^random/ })
      .click()
    await editor.waitFor()
    expect(await isFocused()).toBe(false)
    await ann.close()
  })

  it('shows own messages as they are now, although the response came later', { tags: 'all/browser' }, async () => {
    const ann = await openAt('random')
    const idOf = async (content: string) => {
      const { body } = await test.person('ann', 'GET', `${test.channel('random')}/messages`)
      return (body as unknown as { messages: { id: string; content: string }[] }).messages.find(
        (each) => each.content === content,
      )!.id
    }
    const call = async (method: string, path: string) =>
      expect((await test.person('bob', method, `${test.channel('random')}/messages/${path}`)).status).toBe(200)
    const isSent = () => ann.locator('.composer .send[aria-busy=false]').waitFor()
    const reaction = row(ann, 'liked at once').getByRole('button', { name: '👍 1' })

    let held = await hold(ann, 'responses')
    await enter(ann, 'liked at once')
    await held.arrives()
    await call('PUT', `${await idOf('liked at once')}/reactions/${encodeURIComponent('👍')}`)
    await reaction.waitFor()
    await held.release()
    await isSent()

    held = await hold(ann, 'responses')
    await enter(ann, 'deleted at once')
    await held.arrives()
    await row(ann, 'deleted at once').waitFor()
    expect(await reaction.count()).toBe(1)
    await call('DELETE', await idOf('deleted at once'))
    await row(ann, 'deleted at once').waitFor({ state: 'detached' })
    await held.release()
    await isSent()
    expect(await row(ann, 'deleted at once').count()).toBe(0)

    held = await hold(ann, 'responses', 'PATCH')
    await clickShown(row(ann, 'liked at once'), 'Edit')
    await ann.getByRole('textbox', { name: 'Edit message' }).fill('edited and deleted')
    await ann.keyboard.press('Enter')
    await held.arrives()
    await row(ann, 'edited and deleted').waitFor()
    await call('DELETE', await idOf('edited and deleted'))
    await row(ann, 'edited and deleted').waitFor({ state: 'detached' })
    const received = ann.waitForResponse((response) => response.request().method() === 'PATCH')
    await held.release()
    await received
    await expect.poll(() => ann.locator('.draft-line').count()).toBe(0)
    expect(await row(ann, 'edited and deleted').count()).toBe(0)
    await ann.close()
  })
})
