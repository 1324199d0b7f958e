import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, enter, say, clickShown } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).last()
/** A PNG of 8 × 8 pixels in one color. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGNgWHEEOxpSEisOAAQMQAGtkk7kAAAAAElFTkSuQmCC',
  'base64',
)

describeInBrowser('the chat page', () => {
  let test: ChatTest
  let ann: Page
  let bob: Page
  beforeAll(async () => {
    test = await startChatTest()
    ;[ann, bob] = await Promise.all([test.openAs('ann'), test.openAs('bob')])
  })
  afterAll(async () => {
    await test?.close()
  })

  it('completes a command, shows the answer with its buttons, and all kinds of answers to clicks [spec: 4/interactions.callback, 6/interaction]', async () => {
    await box(ann).pressSequentially('/or')
    await ann.getByRole('option', { name: /\/order\s*Takes your order/ }).waitFor()
    await box(ann).press('Tab')
    await box(ann).press('Enter')
    const card = ann.getByRole('log').getByRole('article', { name: 'What may it be?' })
    expect(await card.locator('strong').textContent()).toBe('Hot')
    const log = ann.getByRole('log')
    expect(await log.getByRole('button', { name: 'Beer' }).isDisabled()).toBe(true)

    await log.getByRole('button', { name: 'Menu' }).click()
    const leaving = ann.getByRole('dialog', { name: 'You are leaving the chat' })
    const link = leaving.getByRole('link', { name: 'Open link' })
    expect(await link.getAttribute('href')).toBe('https://example.com/menu')
    expect(await link.getAttribute('rel')).toContain('noopener')
    await leaving.getByRole('button', { name: 'Stay here' }).click()

    await log.getByRole('button', { name: 'Thanks' }).click()
    await log.getByRole('button', { name: 'Water' }).click()
    await bob.getByRole('log').getByText('Water for ann').waitFor()
    await log.getByRole('button', { name: 'Tea' }).click()
    await log.getByText('Tea for ann!').waitFor()
    await log.getByRole('button', { name: 'Tea' }).waitFor({ state: 'detached' })
    await ann.getByText('Only you can see this').waitFor()
    await ann.getByRole('button', { name: 'Dismiss' }).click()
    await log.getByText('Mind, it is hot.').waitFor({ state: 'detached' })
    expect(await ann.getByText('This interaction failed').count()).toBe(0)
    await say(ann, 'careful, then')
    await bob.getByRole('log').getByText('careful, then').waitFor()
    await bob.getByRole('log').getByText('Tea for ann!').waitFor()
    expect(await bob.getByText('Mind, it is hot.').count()).toBe(0)
    expect(test.problems).toEqual([])
  })

  it(
    'warns about an unknown command, suggests a similar one, and keeps the text',
    { tags: 'all/browser' },
    async () => {
      const log = ann.getByRole('log')
      await enter(ann, '/ordr a tea')
      const hint = ann.getByRole('status').filter({ hasText: 'Unknown command /ordr.' })
      await hint.getByText('Did you mean /order?').waitFor()
      expect(await box(ann).inputValue()).toBe('/ordr a tea')
      await hint.getByRole('button', { name: '/order' }).click()
      expect(await box(ann).inputValue()).toBe('/order a tea')
      await hint.waitFor({ state: 'detached' })
      // Sending again posts it.
      await enter(ann, '/shrug well')
      await ann.getByText('Unknown command /shrug.').waitFor()
      await box(ann).press('Enter')
      await log.getByText('/shrug well').waitFor()
      await expect.poll(() => box(ann).inputValue()).toBe('')
      // Paths and plain sentences are not commands.
      for (const text of ['/etc/hosts is a file', '!wow']) {
        await say(ann, text)
        await log.getByText(text).waitFor()
      }
      expect(test.problems).toEqual([])
    },
  )

  it('shows a waiting click, and a failed interaction if the bot does not answer in time [spec: 6/interaction, 8/interaction]', async () => {
    await say(bob, '/order')
    const coffee = bob.getByRole('log').getByRole('button', { name: 'Coffee' }).last()
    // The limit begins with the click at the service.
    await Promise.all([bob.waitForResponse(/\/clicks$/), coffee.click()])
    await bob.locator('.button.is-waiting[aria-busy=true]').waitFor()
    test.service.clock.advance(3000)
    await bob.getByText('This interaction failed').waitFor()
    await bob.locator('.button.is-waiting').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
  })

  it(
    'reads names, emoji and pictures in text, not in code, and keeps them when a message is edited',
    { tags: 'all/browser' },
    async () => {
      const picture = 'https://i.imgur.com/a.png'
      await say(ann, `tokens **@bob** \`icon: :rocket: @bob\` :rocket: ${picture}/page`)
      const seen = row(bob, 'tokens')
      await seen.getByRole('button', { name: '@bob' }).waitFor()
      expect(await seen.locator('code').textContent()).toBe('icon: :rocket: @bob')
      expect(await seen.locator('.md').textContent()).toContain('🚀')
      expect(await seen.locator('.picture-link').count()).toBe(0)

      await box(ann).focus()
      await box(ann).press('ArrowUp')
      const edit = ann.getByRole('textbox', { name: 'Edit message' })
      const typed = `tokens **@bob** \`icon: :rocket: @bob\` 🚀 ${picture}/page`
      expect(await edit.inputValue()).toBe(typed)
      await edit.fill(`${typed} \\@bob again`)
      await edit.press('Enter')
      const edited = row(bob, '@bob again').getByText('edited', { exact: true })
      await edited.waitFor()
      // After the text, not below it.
      const left = async (part: Locator) => (await part.boundingBox())!.x
      expect(await left(edited)).toBeGreaterThan(await left(row(bob, '@bob again').locator('.md p')))
      expect(await row(bob, '@bob again').getByRole('button', { name: '@bob' }).count()).toBe(1)
      expect(test.problems).toEqual([])
    },
  )

  it('edits, reacts to and deletes messages, visibly to others; markup stays text', async () => {
    await say(ann, '<img src=x onerror=alert(1)> **hi** @bob [bad](javascript:alert(1)) #random')
    const seen = row(bob, '<img src=x')
    await seen.getByRole('button', { name: '@bob' }).waitFor()
    await seen.getByRole('button', { name: '#random' }).waitFor()
    expect(await seen.locator('img, a').count()).toBe(0)
    expect(await seen.locator('strong').textContent()).toBe('hi')

    const own = row(ann, '<img src=x')
    await clickShown(own, 'Add reaction')
    await ann.getByRole('textbox', { name: 'Search emoji' }).fill('tada')
    await ann.getByRole('button', { name: 'React with 🎉' }).click()
    await seen.getByRole('button', { name: '🎉 1' }).click()
    await own.getByRole('button', { name: '🎉 2' }).waitFor()

    await box(ann).focus()
    await box(ann).press('ArrowUp')
    await ann.getByRole('textbox', { name: 'Edit message' }).fill('quite **calm**')
    await ann.getByRole('textbox', { name: 'Edit message' }).press('Enter')
    await row(bob, 'quite calm').getByText('edited', { exact: true }).waitFor()

    await clickShown(row(ann, 'quite calm'), 'More')
    await ann.getByRole('menuitem', { name: 'Delete' }).click()
    await ann.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await bob.getByRole('log').getByText('quite calm').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
  })

  it(
    'loads older messages on scrolling up, jumps from a reply to the original, and lists pins',
    { tags: 'all/browser' },
    async () => {
      const path = `${test.channel('random')}/messages`
      const { body: first } = await test.person('bob', 'POST', path, { content: 'the very first' })
      for (let n = 1; n <= 120; n++) await test.person('bob', 'POST', path, { content: `message ${n}` })
      await test.person('bob', 'POST', path, { content: 'about that', reply_to: first['id'] })
      await test.person('ann', 'PUT', `${path}/${first['id']}/pin`)

      await ann.getByRole('button', { name: /^random/ }).click()
      await row(ann, 'about that').waitFor()
      const log = ann.getByRole('log')
      expect(await log.getByText('message 1', { exact: true }).count()).toBe(0)
      // Only the rows in view are in the document, so scroll to the first ones.
      await log.hover()
      await expect
        .poll(async () => {
          await ann.mouse.wheel(0, -400)
          return log.getByText('message 1', { exact: true }).count()
        })
        .toBe(1)

      await ann.getByRole('button', { name: 'Jump to latest' }).click()
      // The highlight lasts for two seconds only.
      await ann.evaluate(`new MutationObserver(() => {
        globalThis.highlighted ??= document.querySelector('.message.is-highlighted')?.textContent
      }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
      await row(ann, 'about that').getByTitle('Jump to this message').click()
      await ann.locator('.message:focus', { hasText: 'the very first' }).waitFor()
      await expect.poll(() => ann.evaluate('globalThis.highlighted')).toContain('the very first')
      await say(bob, 'meanwhile elsewhere')
      await ann.getByRole('button', { name: 'Jump to latest' }).click()
      await row(ann, 'about that').waitFor()

      await ann.getByRole('button', { name: 'Pinned messages' }).click()
      const pins = ann.getByRole('dialog', { name: 'Pinned messages' })
      await pins.getByText('the very first').waitFor()
      await pins.getByRole('button', { name: 'Unpin' }).click()
      await pins.getByText('No pinned messages').waitFor()
      await ann.keyboard.press('Escape')
      await ann.getByRole('button', { name: /^general/ }).click()
      expect(test.problems).toEqual([])
    },
  )

  it('shows the whole name of a short author above a reply to a short message', async () => {
    const path = `${test.channel('general')}/messages`
    const { body: short } = await test.person('ann', 'POST', path, { content: 'hi' })
    await test.person('bob', 'POST', path, { content: 'a short answer', reply_to: short['id'] })
    const author = row(bob, 'a short answer').locator('.quote-author')
    await author.waitFor()
    const hidden = await author.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number }
      return scrollWidth - clientWidth
    })
    expect(hidden).toBe(0)
  })

  it('sends pictures from the dialog, by pasting and by dropping', { tags: 'all/browser' }, async () => {
    await ann.locator('input[type=file]').setInputFiles({ name: 'square.png', mimeType: 'image/png', buffer: png })
    await ann.getByText('square.png').waitFor()
    await say(ann, 'look at this')
    const picture = row(bob, 'look at this').getByRole('img', { name: 'Image in this message' })
    await picture.waitFor()
    await expect
      .poll(() => picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(8)

    // A picture without text is allowed.
    const give = (kind: 'paste' | 'drop') => `{
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (each) => each.charCodeAt(0))
      data.items.add(new File([bytes], '${kind}.png', { type: 'image/png' }))
      const init = { bubbles: true, cancelable: true }
      document.querySelector('#composer').dispatchEvent('${kind}' === 'paste'
        ? new ClipboardEvent('paste', { ...init, clipboardData: data })
        : new DragEvent('drop', { ...init, dataTransfer: data }))
    }`
    for (const kind of ['paste', 'drop'] as const) {
      const before = await bob.getByRole('img', { name: 'Image in this message' }).count()
      await ann.evaluate(give(kind))
      await ann.getByText(`${kind}.png`).waitFor()
      await box(ann).press('Enter')
      await ann.getByText(`${kind}.png`).waitFor({ state: 'detached' })
      await expect.poll(() => bob.getByRole('img', { name: 'Image in this message' }).count()).toBe(before + 1)
    }
    expect(test.problems).toEqual([])
  })

  it('shows what changes in a channel while its messages load', { tags: 'all/browser' }, async () => {
    const path = `/channels/${test.service.world.servers['Workshop']!.channels['random']!}/messages`
    const post = async (content: string): Promise<string> =>
      (await test.person('ann', 'POST', path, { content })).body['id']!
    const [edited, deleted] = [await post('before the edit'), await post('to be deleted')]
    const carol = await test.openAs('carol')
    let fulfil = () => {}
    const handled = new Promise<void>((resolve) => (fulfil = resolve))
    await carol.route(/\/messages\?/, async (route) => {
      const response = await route.fetch()
      expect(await response.text()).toContain('before the edit')
      await test.person('ann', 'PATCH', `${path}/${edited}`, { content: 'after the edit' })
      await test.person('ann', 'DELETE', `${path}/${deleted}`)
      await post('newer than the response')
      await handled
      await route.fulfill({ response })
    })
    await carol.getByRole('button', { name: /^random( unread)?$/ }).click()
    // The newest message is announced, so its event and those before it are handled.
    await carol.locator('[aria-live=polite]', { hasText: 'newer than the response' }).waitFor({ state: 'attached' })
    fulfil()
    const log = carol.getByRole('log')
    await log.getByText('after the edit').waitFor()
    await log.getByText('newer than the response').waitFor()
    expect(await log.getByText('before the edit').count()).toBe(0)
    expect(await log.getByText('to be deleted').count()).toBe(0)
    expect(test.problems).toEqual([])
    await carol.close()
  })

  it('gives keys that are typed at once to the editor or the dialog that opens', { tags: 'all/browser' }, async () => {
    /** The element with the focus after a key, before the next frame. */
    const focusedBy = (key: object) =>
      ann.evaluate<string>(`(async () => {
        const event = new KeyboardEvent('keydown', { bubbles: true, ...${JSON.stringify(key)} })
        document.activeElement.dispatchEvent(event)
        for (let step = 0; step < 20; step++) await undefined
        return document.activeElement.getAttribute('aria-label')
      })()`)
    await say(ann, 'to be edited')
    await box(ann).focus()
    expect(await focusedBy({ key: 'ArrowUp' })).toBe('Edit message')
    await ann.keyboard.press('Escape')
    expect(await focusedBy({ key: 'k', ctrlKey: true })).toBe('Channel, person or server')
    await ann.keyboard.press('Escape')
    await ann.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focusedBy({ key: 'ArrowUp' })).toBe('Edit message')
    await ann.keyboard.press('Escape')
  })

  it(
    'supports the keyboard: switcher, next channel, new line, moving between messages',
    { tags: 'all/browser' },
    async () => {
      await ann.keyboard.press('Control+k')
      await ann.getByRole('combobox', { name: 'Channel, person or server' }).fill('ｄｉｃｅ')
      await ann.getByRole('option', { name: /dice/ }).waitFor()
      await ann.keyboard.press('Enter')
      await ann.getByRole('log', { name: 'Messages in dice' }).waitFor()
      await ann.keyboard.press('Control+k')
      await ann.getByRole('combobox').fill('#general')
      await ann.keyboard.press('Enter')
      await ann.getByRole('log', { name: 'Messages in general' }).waitFor()
      await ann.keyboard.press('Alt+ArrowDown')
      await ann.getByRole('log', { name: 'Messages in random' }).waitFor()
      await ann.keyboard.press('Alt+ArrowUp')

      await box(ann).fill('one')
      await box(ann).press('Shift+Enter')
      await box(ann).pressSequentially('two')
      await box(ann).press('Enter')
      await row(bob, 'onetwo').locator('br').waitFor({ state: 'attached' })
      await row(ann, 'onetwo').waitFor()
      await box(ann).press('Shift+Tab')
      await ann.keyboard.press('r')
      await ann.getByText('Replying to ann').waitFor()
      await box(ann).press('Escape')
      await ann.getByText('Replying to ann').waitFor({ state: 'detached' })
      expect(test.problems).toEqual([])
    },
  )
})
