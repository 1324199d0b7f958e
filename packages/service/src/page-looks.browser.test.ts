import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, box, describeInBrowser, say, windows, clickShown } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

/** Messages with all kinds of content and formatting. */
const talk = [
  '# Plan\n**bold**, *italic*, ~~gone~~, `code`, [link](https://example.com) and https://example.com\n> quoted\n\n1. one\n2. two\n- three',
  '```ts\nconst answer = 42\n```',
  '🎉🎉',
]

type View = [name: string, part: string, open: (page: Page) => Promise<void>]
const views: View[] = [
  ['a command is typed', '.composer', (page) => box(page).fill('/')],
  ['the switcher', 'dialog', (page) => page.keyboard.press('Control+k')],
  ['the shortcuts', 'dialog', (page) => page.keyboard.press('Control+/')],
  ['the pins', '.popover', (page) => page.getByRole('button', { name: 'Pinned messages' }).click()],
  ['the own menu', '.self', (page) => page.getByRole('button', { name: /your menu$/ }).click()],
  ['the server menu', '.server-bar', (page) => page.getByRole('button', { name: /server menu$/ }).click()],
  ['a profile', 'dialog', (page) => page.getByRole('button', { name: /^pollster\s*BOT/ }).click()],
  ['the emoji', '.popover', (page) => page.getByRole('button', { name: 'Emoji', exact: true }).click()],
]

/** In dark, the same parts have other colors only: the other rules have found nothing in light. */
const rulesFor = (colorScheme: 'light' | 'dark') => (colorScheme === 'dark' ? ['color-contrast'] : undefined)

describeInBrowser('the looks of the chat page', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
    const messages = `${test.channel('general')}/messages`
    for (const content of talk) await test.person('bob', 'POST', messages, { content })
    const { body } = await test.person('bob', 'POST', messages, {
      content: `<@${test.service.world.people['ann']!.id}> look`,
    })
    await test.person('bob', 'PUT', `${messages}/${body['id']}/reactions/${encodeURIComponent('👍')}`)
    await test.person('ann', 'PUT', `${messages}/${body['id']}/pin`)
    await test.person('carol', 'PUT', `${test.channel('Lounge')}/voice`)
  })
  afterAll(async () => {
    await test?.close()
  })

  it.each(['light', 'dark'] as const)(
    'axe finds nothing on the views of the chat in %s',
    { tags: 'all/browser' },
    async (colorScheme) => {
      const found: Record<string, string[]> = {}
      const look = async (name: string, page: Page, part = 'body') => {
        const findings = await axeFindings(page, part, rulesFor(colorScheme))
        if (findings.length > 0) found[name] = findings
      }
      const page = await test.openAs(undefined, { colorScheme, reducedMotion: 'reduce' })
      await page.getByRole('button', { name: 'bob', exact: true }).waitFor()
      await look('the sign-in', page)
      await page.getByRole('button', { name: 'ann', exact: true }).click()
      await say(page, '/order')
      await page.getByRole('log').getByRole('button', { name: 'Tea' }).last().click()
      await page.getByText('Only you can see this').waitFor()
      await look('the chat', page)
      for (const [name, part, open] of views) {
        await open(page)
        await page.locator(part).first().waitFor()
        await look(name, page, part)
        await page.keyboard.press('Escape')
        // An open dialog takes the keys that open the next one.
        await expect.poll(() => page.locator('dialog, .popover').count()).toBe(0)
        await box(page).fill('')
      }
      await page.setViewportSize({ width: 390, height: 844 })
      await look('the narrow chat', page)
      await page.getByRole('button', { name: 'Servers and channels' }).click()
      await look('the drawer', page, '.sidebar')
      expect(found).toEqual({})
      expect(test.problems).toEqual([])
      await page.close()
    },
  )

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'axe finds nothing on the screens and panels in %s at %i px',
    { tags: 'all/browser' },
    async (colorScheme, width) => {
      const page = await test.openAs('ann', { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' })
      const server = `/s/${test.service.world.servers['Workshop']!.id}`
      const found: Record<string, string[]> = {}
      const look = async (name: string) => {
        const findings = await axeFindings(page, 'body', rulesFor(colorScheme))
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (findings.length > 0 || wide !== 0) found[`${name}, ${wide} px too wide`] = findings
      }
      await box(page).fill('/')
      await page.getByRole('option').first().waitFor()
      await look('the commands')
      await box(page).fill('')
      await page.keyboard.press('Control+f')
      await page.getByRole('searchbox').fill('plan')
      await page.getByText('1 found').waitFor()
      await look('the search')
      for (const [path, heading] of [
        [`${server}/settings`, 'Overview'],
        [`${server}/settings/channels`, 'Channels'],
        ['/developer', 'Your bots'],
        ['/profile', 'Privacy'],
        [`${server}/c/${test.service.world.servers['Workshop']!.channels['general']}?inspector`, 'Inspector'],
      ]) {
        await page.goto(test.service.url + path)
        await page.getByRole('heading', { name: heading!, exact: true }).waitFor()
        await look(heading!)
      }
      expect(found).toEqual({})
      expect(test.problems).toEqual([])
      await page.close()
    },
  )

  it.each(windows)(
    'axe finds nothing on the API reference ($width px, $colorScheme)',
    { tags: 'all/browser' },
    async ({ width, colorScheme }) => {
      const page = await test.openAs(undefined, { colorScheme, viewport: { width, height: 800 } })
      await page.goto(`${test.service.url}/developers/`)
      // The colors are those of the page.
      const background = { light: 'rgb(255, 255, 255)', dark: 'rgb(23, 24, 28)' }[colorScheme]
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background)
      expect(await axeFindings(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.close()
    },
  )

  it('switches the color scheme manually, and keeps the choice', { tags: 'all/browser' }, async () => {
    const page = await test.openAs('bob', { colorScheme: 'light' })
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    await page.getByRole('button', { name: /your menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Dark colors' }).click()
    const dark = await background()
    expect(dark).not.toBe(light)
    await page.reload()
    await page.getByRole('log').waitFor()
    expect(await background()).toBe(dark)
    await page.close()
  })

  it.each([1280, 390])(
    'fits a window of width %i without horizontal scrolling',
    { tags: 'all/browser' },
    async (width) => {
      const page = await test.openAs('carol')
      await page.setViewportSize({ width, height: 800 })
      await say(page, `a ${'very-'.repeat(200)}long word and \`${'code'.repeat(100)}\``)
      await page.getByRole('log').getByText('very-very-').last().waitFor()
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      const logWide = await page.evaluate<number>(
        '((log) => log.scrollWidth - log.clientWidth)(document.querySelector(".log"))',
      )
      expect([wide, logWide]).toEqual([0, 0])
      await page.close()
    },
  )

  it('highlights code in a known language, and copies it', { tags: 'all/browser' }, async () => {
    const code = 'const dice = 6 // sides'
    const content = ['```ts', code, '```', '```nothing', code, '```'].join('\n')
    await test.person('bob', 'POST', `${test.channel('general')}/messages`, { content })
    const ann = await test.openAs('ann', { permissions: ['clipboard-read', 'clipboard-write'] })
    const [known, unknown] = [0, 1].map((at) =>
      ann.getByRole('log').locator('.code-block', { hasText: 'dice' }).nth(at),
    )
    await known!.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
    expect(await unknown!.locator('pre').textContent()).toBe(code)
    expect(await unknown!.locator('pre span').count()).toBe(0)
    expect(await axeFindings(ann)).toEqual([])
    await clickShown(known!, 'Copy code')
    await known!.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await ann.evaluate<string>('navigator.clipboard.readText()')).toBe(code)
    expect(test.problems).toEqual([])
    await ann.close()
  })
})
