import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  axeFindings,
  box,
  describeInBrowser,
  enter,
  itEach,
  say,
  windows,
  clickShown,
} from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const word = (name: string, expects: string, more: object = {}) => ({ name, expects, takes: 'word', ...more })
const described = {
  commands: [
    { name: 'order', description: 'Takes your order', aliases: [], usage: '', args: [], examples: [] },
    {
      name: 'paint',
      description: 'Paints a wall',
      aliases: [],
      usage: '<color> [coats=2] [--gloss]',
      args: [
        word('color', 'one of red, green, light blue', {
          choices: ['red', 'green', 'light blue'],
          about: 'Of the wall',
        }),
        word('coats', 'a whole number from 1 to 5', {
          number: { whole: true, min: 1, max: 5 },
          optional: true,
          default: '2',
        }),
        { name: '--gloss', expects: 'a switch', takes: 'flag', optional: true },
      ],
      examples: ['red 3'],
    },
    ...['create', 'close'].map((name) => ({
      name: `poll ${name}`,
      description: `Polls: ${name}`,
      aliases: [],
      usage: '<question...>',
      args: [{ name: 'question', expects: 'a text', takes: 'text' }],
      examples: [],
    })),
    ...Array.from({ length: 40 }, (_, index) => ({
      name: `tool${index + 1}`,
      description: 'A tool',
      aliases: [],
      usage: '',
      args: [],
      examples: [],
    })),
  ],
}

describeInBrowser('the composer', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
    const names = [...new Set(described.commands.map(({ name }) => name.split(' ')[0]!))]
    const commands = names.map((name) => ({ name, description: name }))
    expect((await test.bot('token-of-pollster', 'PUT', '/commands', { commands })).status).toBe(200)
    const response = await fetch(`${test.service.url}/dev/v1/commands`, {
      method: 'PUT',
      headers: { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' },
      body: JSON.stringify(described),
    })
    expect(response.status).toBe(200)
  })
  afterAll(async () => {
    await test?.close()
  })

  itEach(windows)(
    'completes all commands, subcommands, arguments and switches ($width px, $colorScheme)',
    async ({ width, colorScheme }) => {
      const ann = await test.openAs('ann', { viewport: { width, height: 800 }, colorScheme })
      await box(ann).fill('/')
      const options = ann.getByRole('option')
      await expect.poll(() => options.count()).toBe(44)
      expect((await options.allTextContents()).slice(-2)).toEqual(['/tool39A toolpollster', '/tool40A toolpollster'])
      // The list scrolls with the selection.
      await box(ann).press('ArrowUp')
      const last = ann.getByRole('option', { selected: true })
      expect(await last.textContent()).toContain('/tool40')
      const list = (await ann.getByRole('listbox').boundingBox())!
      const item = (await last.boundingBox())!
      expect(item.y + item.height).toBeLessThanOrEqual(list.y + list.height)
      expect(list.y).toBeGreaterThanOrEqual(0)

      await box(ann).fill('/poll cr')
      await box(ann).press('Tab')
      expect(await box(ann).inputValue()).toBe('/poll create ')
      await ann.locator('.command-usage .is-current', { hasText: 'question' }).waitFor()

      await box(ann).fill('/pai')
      await box(ann).press('Enter')
      expect(await box(ann).inputValue()).toBe('/paint ')
      await ann.getByText('color: one of red, green, light blue. Of the wall').waitFor()
      await box(ann).pressSequentially('li')
      await box(ann).press('Tab')
      expect(await box(ann).inputValue()).toBe('/paint "light blue" ')
      await ann.getByText('coats: a whole number from 1 to 5, 2 if omitted').waitFor()
      await box(ann).pressSequentially('9 ')
      await ann.getByText('coats must be a whole number from 1 to 5').waitFor()
      expect(await axeFindings(ann)).toEqual([])
      await box(ann).fill('/paint red 3 --')
      await box(ann).press('Tab')
      expect(await box(ann).inputValue()).toBe('/paint red 3 --gloss ')
      await expect.poll(() => ann.locator('.command-problem').textContent()).toBe('')
      // Enter sends although an optional switch could follow.
      await enter(ann, '/paint red ')
      await ann.getByRole('log').getByText('/paint red', { exact: true }).first().waitFor()
      expect(test.problems).toEqual([])
      await ann.close()
    },
  )

  it('checks a command while it is typed', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    for (const [typed, problem] of [
      ['/paint violet ', 'color must be one of red, green, light blue'],
      ['/paint red 2.5 ', 'coats must be a whole number from 1 to 5'],
      ['/paint violet', ''],
      ['/paint --color="light blue" 2 ', ''],
      ['/paint 2 --color „dark blue“ ', 'color must be one of red, green, light blue'],
      ['/paint 2 —color=red ', ''],
      ['/paint --color=', ''],
      ['/paint red -- 3 ', ''],
      ['/paint red 3 -- --gloss ', 'too many words: put values with spaces in quotes'],
      ['/paint ｌｉｇｈｔ　ｂｌｕｅ ', 'color must be one of red, green, light blue'],
      ['/paint ｇｒｅｅｎ ２ ', ''],
      ['/paint red 2 3 ', 'too many words: put values with spaces in quotes'],
      ['/paint RED +3 --no-gloss ', ''],
      // Phones turn quotation marks and dashes into others.
      ['/paint “light blue” 2 —gloss ', ''],
      ["/paint 'light blue' 2 –no-gloss ", ''],
      ['/paint „light blue“ 6 ', 'coats must be a whole number from 1 to 5'],
      ['/poll create —anything «goes here» 5', ''],
      ['/poll create —unknown works', ''],
      ["/paint red 2 'tis ", 'too many words: put values with spaces in quotes'],
      ['/paint red --glos ', '--glos is not an option of this command'],
      ['/poll create --anything "goes here', ''],
    ] as const) {
      await box(ann).fill(typed)
      await expect.poll(() => ann.locator('.command-problem').textContent()).toBe(problem)
    }
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('warns about an argument that the bot would refuse, also as the last word', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    await enter(ann, '/paint violet')
    await ann.getByText('color must be one of red, green, light blue.').waitFor()
    await ann.getByText('Send again to post it anyway.').waitFor()
    expect(await box(ann).inputValue()).toBe('/paint violet')
    expect(await ann.getByRole('log').getByText('/paint violet').count()).toBe(0)
    await box(ann).press('Enter')
    await ann.getByRole('log').getByText('/paint violet').waitFor()
    await ann.close()
  })

  it('finds names with swapped letters, and shows usage and choices in one box', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    await box(ann).fill('/pian')
    await ann.getByRole('option', { name: '/paint' }).waitFor()
    await box(ann).press('Enter')
    expect(await box(ann).inputValue()).toBe('/paint ')
    const popup = ann.locator('.completion')
    expect(await popup.count()).toBe(1)
    expect(await popup.getByRole('option').allTextContents()).toEqual(['red', 'green', 'light blue'])
    expect((await popup.textContent())!.split('Of the wall')).toHaveLength(2)
    expect((await popup.textContent())!.split('Paints a wall')).toHaveLength(2)
    // In a sentence, a guess must not replace what the person wrote.
    await box(ann).fill('mail @obb')
    await ann.getByRole('option', { name: 'bob' }).waitFor()
    await box(ann).press('Enter')
    await ann.getByRole('log').getByText('mail @obb').waitFor()
    await ann.close()
  })

  it('keeps the edit of a message that begins while another edit is saved', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const log = ann.getByRole('log')
    const path = `/channels/${test.service.world.servers['Workshop']!.channels['general']!}/messages`
    for (const content of ['a short note', 'a long note']) await test.person('ann', 'POST', path, { content })
    let save = (): void => {}
    const saving = new Promise<void>((resolve) => (save = resolve))
    await ann.route('**/messages/*', async (route) => {
      if (route.request().method() === 'PATCH') await saving
      await route.continue()
    })
    const edit = ann.getByRole('textbox', { name: 'Edit message' })
    await log.getByText('a long note').waitFor()
    await box(ann).press('ArrowUp')
    await edit.fill('a longer note')
    await edit.press('Enter')
    const short = ann.locator('.message', { hasText: 'a short note' })
    await clickShown(short, 'Edit')
    await expect.poll(() => edit.inputValue()).toBe('a short note')
    await edit.fill('a shorter note')
    save()
    await log.getByText('a longer note').waitFor()
    await edit.pressSequentially('!')
    expect(await edit.inputValue()).toBe('a shorter note!')
    await ann.close()
  })

  it('replaces names of emoji in an edit, as in a message', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const log = ann.getByRole('log')
    await say(ann, 'first draft')
    await log.getByText('first draft').waitFor()
    await box(ann).press('ArrowUp')
    const edit = ann.getByRole('textbox', { name: 'Edit message' })
    await edit.fill('done :tada: not `:tada:`')
    await edit.press('Enter')
    await log.getByText('done 🎉 not :tada:').waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('names the bot of a command as the bot is called now', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const rename = (display_name: string) => test.bot('token-of-pollster', 'PATCH', '/me', { display_name })
    expect((await rename('Painter')).status).toBe(200)
    await box(ann).fill('/pai')
    await ann.getByRole('option', { name: 'Painter' }).waitFor()
    expect((await rename('')).status).toBe(200)
    await ann.getByRole('option', { name: 'pollster' }).waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('leaves the keys of an input method to it', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    await say(ann, 'a draft to correct')
    // The input method handles the key; the browser reports it all the same.
    const compose = (key: string) =>
      ann.evaluate(`document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: '${key}', isComposing: true, bubbles: true, cancelable: true }))`)
    const message = ann.getByRole('log').locator('.message', { hasText: 'a draft to correct' })
    await box(ann).press('ArrowUp')
    const editor = ann.getByRole('textbox', { name: 'Edit message' })
    await editor.fill('half of it')
    expect(await compose('Escape')).toBe(true)
    expect(await editor.inputValue()).toBe('half of it')
    await editor.press('Escape')
    await clickShown(message, 'Add reaction')
    const picker = ann.getByRole('dialog', { name: 'Pick a reaction' })
    await picker.getByRole('textbox').fill('tada')
    await picker.getByRole('button', { name: 'React with 🎉' }).waitFor()
    for (const key of ['ArrowDown', 'Enter', 'Escape']) expect(await compose(key)).toBe(true)
    expect(await ann.evaluate('document.activeElement.ariaLabel')).toBe('Search emoji')
    await picker.getByRole('textbox').press('Enter')
    await message.getByRole('button', { name: '🎉 1' }).waitFor()
    await ann.keyboard.press('Control+k')
    for (const key of ['ArrowDown', 'Enter']) expect(await compose(key)).toBe(true)
    await ann.getByRole('dialog', { name: 'Go to' }).waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('refuses descriptions without the token of a bot, and of the wrong shape', async () => {
    const put = (authorization: string, body: unknown) =>
      fetch(`${test.service.url}/dev/v1/commands`, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const person = test.service.world.people['ann']!.token
    expect((await put(`Person ${person}`, described)).status).toBe(401)
    expect((await put('Bot wrong', described)).status).toBe(401)
    const wrong = await put('Bot token-of-pollster', { commands: [{ ...described.commands[0], usage: 5 }] })
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { error: 'commands[0].usage: must be a string, not a number' },
    ])
  })
})
