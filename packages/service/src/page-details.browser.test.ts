import { crc32, deflateSync } from 'node:zlib'
import type { Locator, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  axeFindings,
  box,
  describeInBrowser,
  say,
  startBrowser,
  windows,
} from './lib/test-tools/browser.test.fixture.ts'
import type { World } from './lib/world/world.ts'

const many = 200
const friends = 60
const hebrew = 'שלום לכולם'
const longName = 'n'.repeat(32)
const longServer = `The ${'very '.repeat(16)}long server`

/** A white picture. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const rows = Buffer.concat(
    Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), Buffer.alloc(width, 255)])),
  )
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.of())])
}

/** A world with many channels and people, and with long names. */
const world: World = {
  people: [
    { username: 'ann' },
    { username: 'bob' },
    { username: 'zoe' },
    ...Array.from({ length: friends }, (_, index) => ({ username: `guest${index + 1}` })),
  ],
  bots: [{ username: 'helper', owner: 'ann', token: 'token-of-helper' }],
  servers: [
    {
      name: longServer,
      owner: 'ann',
      members: ['bob', 'zoe', ...Array.from({ length: friends }, (_, index) => `guest${index + 1}`)],
      bots: ['helper'],
      categories: [{ name: `category-${longName}` }],
      channels: [
        { name: 'general' },
        { name: 'quiet' },
        { name: longName, category: `category-${longName}` },
        ...Array.from({ length: many }, (_, index) => ({ name: `room-${index + 1}` })),
      ],
    },
  ],
}

/** A picture of 40 x 400 pixels, which the page shows 320 pixels high: higher than the space that it reserves. */
const tallPng = png(40, 400)
const reservedPx = 240

const inAll = { tags: 'all/browser' }

type Test = Awaited<ReturnType<typeof startBrowser>>
// These functions run in the browser, whose types the tests do not have.
interface InBrowser {
  getComputedStyle(element: unknown): Record<string, string>
  document: { elementFromPoint(x: number, y: number): unknown }
}
interface Boxed {
  getBoundingClientRect(): { left: number; top: number; bottom: number }
  contains(other: unknown): boolean
}
const style = (at: Locator, name: string) =>
  at.evaluate((element, property) => (globalThis as unknown as InBrowser).getComputedStyle(element)[property], name)
/** Whether a click on the start of an element would reach it. */
const isInView = (at: Locator) =>
  at.evaluate((element) => {
    const { left, top, bottom } = (element as unknown as Boxed).getBoundingClientRect()
    const { document } = globalThis as unknown as InBrowser
    return (element as unknown as Boxed).contains(document.elementFromPoint(left + 20, (top + bottom) / 2))
  })

describeInBrowser('the details of the page', () => {
  let test: Test
  let pathOf: (channel: string) => string
  let channelId: (name: string) => string
  beforeAll(async () => {
    test = await startBrowser(world)
    const server = test.service.world.servers[longServer]!
    channelId = (name) => server.channels[name]!
    pathOf = (name) => `/s/${server.id}/c/${channelId(name)}`
  })
  afterAll(async () => {
    await test?.close()
  })

  const post = (name: string, channel: string, content: string) =>
    test.person(name, 'POST', `/channels/${channelId(channel)}/messages`, { content })

  it('writes right-to-left texts from the right, in messages, quotes and the input', inAll, async () => {
    const { body } = await post('bob', 'quiet', `${hebrew}\n\n- ${hebrew}\n\n\`\`\`\nlet x\n\`\`\``)
    await post('bob', 'quiet', `plain text`)
    await test.person('bob', 'POST', `/channels/${channelId('quiet')}/messages`, {
      content: 'seen',
      reply_to: body['id'],
    })
    const ann = await test.openAs('ann', { path: pathOf('quiet') })
    const log = ann.getByRole('log')
    await log.getByText('plain text').waitFor()
    expect(await style(log.locator('.md > p').first(), 'direction')).toBe('rtl')
    expect(await style(log.locator('.md > ul').first(), 'direction')).toBe('rtl')
    expect(await style(log.locator('.md pre').first(), 'direction')).toBe('ltr')
    expect(await style(log.getByText('plain text'), 'direction')).toBe('ltr')
    expect(await style(log.locator('.quote-text'), 'direction')).toBe('rtl')
    await box(ann).fill(hebrew)
    expect(await style(box(ann), 'direction')).toBe('rtl')
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it.each(windows)(
    'shortens long names and never scrolls sideways ($width px, $colorScheme)',
    inAll,
    async ({ width, colorScheme }) => {
      const ann = await test.openAs('ann', { path: pathOf(longName), viewport: { width, height: 800 }, colorScheme })
      if (width < 860) await ann.getByRole('button', { name: 'Servers and channels' }).click()
      for (const part of ['.server-title h2', '.channel.is-current .channel-name', '.group-name']) {
        const name = ann.locator(part).first()
        const [wide, room] = await name.evaluate((element) => {
          const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number }
          return [scrollWidth, clientWidth]
        })
        expect(wide, part).toBeGreaterThan(room)
        expect(await style(name, 'textOverflow'), part).toBe('ellipsis')
      }
      expect(await ann.locator('.server-title h2').getAttribute('title')).toBe(longServer)
      expect(await ann.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await axeFindings(ann)).toEqual([])
      await ann.close()
    },
  )

  it('shows the open channel and the direct messages, however many channels there are', inAll, async () => {
    for (let index = 1; index <= friends; index++) {
      const { id } = test.service.world.people[`guest${index}`]!
      expect((await test.person('ann', 'POST', `/users/${id}/dm`)).status).toBe(200)
    }
    const ann = await test.openAs('ann', { path: pathOf(`room-${many}`) })
    const current = ann.locator('.channel.is-current')
    await expect.poll(() => current.textContent()).toContain(`room-${many}`)
    await expect.poll(() => isInView(current)).toBe(true)
    const dms = ann.getByRole('region', { name: 'Direct messages' })
    await expect.poll(() => isInView(dms.getByRole('button').first())).toBe(true)
    const names = await dms.locator('.channel-name').allTextContents()
    expect(names.slice(0, 3)).toEqual(['guest1', 'guest2', 'guest3'])
    expect(names.indexOf('guest10')).toBe(9)
    await dms.getByRole('button', { name: `guest${friends}` }).click()
    await ann.getByRole('textbox', { name: `Message guest${friends}` }).waitFor()
    // Alt and the arrow keys follow the order of the sidebar.
    await ann.keyboard.press('Alt+ArrowUp')
    await ann.getByRole('textbox', { name: `Message guest${friends - 1}` }).waitFor()
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('keeps the numbers of unread mentions over a reload', inAll, async () => {
    const zoe = await test.openAs('zoe')
    const { id } = test.service.world.people['zoe']!
    for (const text of [`<@${id}> one`, `<@${id}> two`, 'no mention']) await post('bob', 'room-3', text)
    const count = zoe.locator(`[data-channel="${channelId('room-3')}"]`)
    await count.getByLabel('2 unread').waitFor()
    await zoe.reload()
    await count.getByLabel('2 unread').waitFor()
    await expect.poll(() => zoe.title()).toContain('(2)')
    await post('bob', 'room-3', `<@${id}> three`)
    await count.getByLabel('3 unread').waitFor()
    await count.click()
    await zoe.getByRole('log').getByText('New messages').waitFor()
    await count.getByLabel('3 unread').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
    await zoe.close()
  })

  it('searches messages in a channel and a server, by author, in pages, and jumps to what it found', async () => {
    await post('bob', 'quiet', 'The Blue whale')
    await post('ann', 'room-7', 'a blue moon')
    const ann = await test.openAs('ann', { path: pathOf('quiet') })
    await ann.keyboard.press('Control+f')
    const panel = ann.getByRole('dialog', { name: 'Search messages' })
    await panel.getByRole('searchbox').fill('BLUE')
    await panel.getByText('The Blue whale').waitFor()
    await panel.getByText('1 found').waitFor()
    await panel.getByLabel('All channels of this server').check()
    await panel.getByText('2 found').waitFor()
    await panel.getByRole('searchbox').fill('blue from:ann')
    await panel.getByText('1 found').waitFor()
    expect(await axeFindings(ann)).toEqual([])
    await panel.getByRole('searchbox').fill('blue from:nobody')
    await panel.getByText('No member is called nobody').waitFor()
    await panel.getByRole('searchbox').fill('moon')
    await panel.getByRole('button', { name: 'Jump' }).click()
    await ann.getByRole('log').locator('.message:focus', { hasText: 'a blue moon' }).waitFor()
    await expect.poll(() => ann.url()).toContain(`/c/${channelId('room-7')}/m/`)
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('completes :name: to an emoji, replaces it on sending, and offers all emoji in groups', inAll, async () => {
    const ann = await test.openAs('ann', { path: pathOf('room-1') })
    await box(ann).pressSequentially('hooray :tad')
    await ann.getByRole('option', { name: '🎉' }).waitFor()
    await box(ann).press('Enter')
    expect(await box(ann).inputValue()).toBe('hooray 🎉 ')
    await say(ann, 'liftoff :rocket: at 10:30:45 :nonsense-name:')
    await ann.getByRole('log').getByText('liftoff 🚀 at 10:30:45 :nonsense-name:').waitFor()
    await ann.getByRole('button', { name: 'Emoji', exact: true }).click()
    const picker = ann.getByRole('dialog', { name: 'Emoji' })
    await picker.getByRole('button', { name: 'Animals & Nature' }).click()
    await picker.getByRole('button', { name: 'Insert 🦉' }).click()
    await expect.poll(() => box(ann).inputValue()).toBe('🦉')
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('makes the messages one tab stop, whose arrow keys and Tab reach every control', inAll, async () => {
    for (const each of ['one', 'two', 'three'])
      await post('bob', 'room-5', `${each} <@${test.service.world.people['ann']!.id}>`)
    const ann = await test.openAs('ann', { path: pathOf('room-5') })
    await ann.getByRole('log').getByText('three').waitFor()
    const stops = () => ann.locator('.log .message :is(a, button, pre):not([tabindex="-1"])').count()
    expect(await stops()).toBe(0)
    await ann.getByRole('log').focus()
    await ann.keyboard.press('ArrowUp')
    const focused = ann.locator('.message:focus')
    expect(await focused.textContent()).toContain('three')
    // The mention; the author is named by the first message of the group.
    expect(await stops()).toBe(1)
    await ann.keyboard.press('Tab')
    expect(await ann.locator(':focus').textContent()).toBe('@ann')
    await ann.keyboard.press('Tab')
    expect(await ann.locator('.log :focus').count()).toBe(0)
    expect(await stops()).toBe(0)
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('stays at the newest message while its image loads', inAll, async () => {
    const ann = await test.openAs('ann', { path: pathOf('room-9') })
    await box(ann).waitFor()
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
    await post('bob', 'room-9', text)
    await ann.getByRole('log').getByText('line 29').waitFor()
    await ann.locator('input[type=file]').setInputFiles({ name: 'tall.png', mimeType: 'image/png', buffer: tallPng })
    await ann.getByText('tall.png').waitFor()
    // Slower than the message, as over a network.
    await ann.route('**/uploads/**', async (route) => {
      await ann.waitForTimeout(200)
      await route.continue()
    })
    await box(ann).press('Enter')
    const picture = ann.getByRole('img', { name: 'Image in this message' })
    await expect.poll(async () => (await picture.boundingBox())?.height).toBeGreaterThan(reservedPx)
    const fromEnd = `((log) => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector('.log'))`
    await expect.poll(() => ann.evaluate<number>(fromEnd)).toBeLessThan(2)
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('names channels, servers and users in the inspector, and copies their ids', inAll, async () => {
    const ann = await test.openAs('ann', { path: `${pathOf('quiet')}?inspector` })
    const inspector = ann.getByRole('complementary', { name: 'Inspector' })
    const path = `/channels/${channelId('quiet')}/messages`
    expect((await test.bot('token-of-helper', 'POST', path, { content: 'from the bot' })).status).toBe(200)
    const entry = inspector.locator('.entry', { hasText: 'from the bot' }).first()
    await entry.getByText('/channels/#quiet/messages').waitFor()
    await entry.getByRole('button').first().click()
    const id = entry.locator('.json-string', { hasText: channelId('quiet') }).first()
    expect(await id.getAttribute('data-name')).toBe('#quiet')
    expect(await id.textContent()).toBe(`"${channelId('quiet')}"`)
    expect(await axeFindings(ann)).toEqual([])
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it.each(['light', 'dark'] as const)('shows errors of forms in the error color, in %s', inAll, async (colorScheme) => {
    const ann = await test.openAs('ann', { colorScheme })
    await ann.getByRole('button', { name: /server menu$/ }).click()
    await ann.getByRole('menuitem', { name: 'Server settings' }).click()
    await ann.getByRole('button', { name: 'Channels', exact: true }).click()
    await ann.getByRole('button', { name: 'New channel' }).first().click()
    const dialog = ann.getByRole('dialog')
    await dialog.getByRole('textbox').first().fill('n'.repeat(101))
    await dialog.getByRole('button', { name: /create/i }).click()
    const error = dialog.locator('.field-error, .form-error').filter({ hasText: /\w/ })
    await error.first().waitFor()
    const red = await ann.evaluate<string>(`(() => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = 'var(--red-strong)'
      return getComputedStyle(probe).color
    })()`)
    expect(await style(error.first(), 'color')).toBe(red)
    await ann.close()
  })

  it.each(windows)(
    'splits the window between two people ($width px, $colorScheme)',
    inAll,
    async ({ width, colorScheme }) => {
      const room = `room-${width < 700 ? 20 : 30}`
      const window = await test.openAs('ann', { path: pathOf(room), viewport: { width, height: 900 }, colorScheme })
      if (width < 860) await window.getByRole('button', { name: 'Servers and channels' }).click()
      await window.getByRole('button', { name: /your menu$/ }).click()
      await window.getByRole('menuitem', { name: 'Split screen with a second person' }).click()
      const left = window.frameLocator('[data-half=left]')
      const right = window.frameLocator('[data-half=right]')
      await right.getByRole('button', { name: 'bob', exact: true }).click()
      await left.getByRole('textbox', { name: `Message #${room}` }).fill('hello from the left')
      await left.getByRole('textbox', { name: `Message #${room}` }).press('Enter')
      await right.getByRole('button', { name: 'Servers and channels' }).click()
      await right.locator('body').evaluate('window.isSame = true')
      await right.getByRole('button', { name: new RegExp(`^${room}( unread)?$`) }).click()
      await right.getByRole('log').getByText('hello from the left').waitFor()
      await right.getByRole('textbox', { name: `Message #${room}` }).fill('hello from the right')
      await right.getByRole('textbox', { name: `Message #${room}` }).press('Enter')
      const spoken = left.getByRole('log').locator('.message', { hasText: 'hello from the right' })
      await spoken.waitFor()
      expect(await spoken.getAttribute('aria-label')).toMatch(/^bob,/)
      const [one, two] = await Promise.all(
        ['left', 'right'].map((half) => window.locator(`[data-half=${half}]`).boundingBox()),
      )
      if (width < 700) expect(two!.y).toBeGreaterThanOrEqual(one!.y + one!.height)
      else expect(two!.x).toBeGreaterThanOrEqual(one!.x + one!.width)
      // A half that moves does not load again: what the person types stays.
      expect(await right.locator('body').evaluate('window.isSame')).toBe(true)
      // The address has both halves: a reload and Back work in each.
      await expect.poll(() => decodeURIComponent(window.url()).split(channelId(room)).length).toBe(3)
      await window.reload()
      await left.getByRole('log').getByText('hello from the right').waitFor()
      await right.getByRole('log').getByText('hello from the left').waitFor()
      await right.getByRole('button', { name: 'Servers and channels' }).click()
      await right.getByRole('button', { name: /^general( unread)?$/ }).click()
      await right.getByRole('textbox', { name: 'Message #general' }).waitFor()
      await window.goBack()
      await right.getByRole('textbox', { name: `Message #${room}` }).waitFor()
      expect(await axeFindings(window)).toEqual([])
      expect(await window.locator('.split-name').allTextContents()).toEqual(['ann', 'bob'])
      await window.getByRole('button', { name: 'End split screen' }).click()
      await window.getByRole('textbox', { name: `Message #${room}` }).waitFor()
      await expect.poll(() => new URL(window.url()).pathname).toContain('/c/')
      expect(test.problems).toEqual([])
      await window.close()
    },
  )

  // Last: it resets the world.
  it('"Retry now" reconnects immediately', inAll, async () => {
    const bob = await test.openAs('bob', { apart: true })
    await bob.clock.install()
    let isCut = true
    // The route stays: Playwright reports no request that is under way when a route is removed.
    await bob.route('**/people/v1/**', (route) => (isCut ? route.abort() : route.continue()))
    await fetch(`${test.service.url}/controls/v1/reset`, { method: 'POST' })
    const retry = bob.getByRole('button', { name: 'Retry now' })
    await retry.waitFor()
    // No timer runs from here on: the page does not try again by itself. A minute ahead: a clock cannot be paused in its past, and it runs until then.
    await bob.clock.pauseAt((await bob.evaluate<number>('Date.now()')) + 60_000)
    let failures = 0
    const statuses: number[] = []
    const isAttempt = (request: Request) => request.url().endsWith('/people/v1/me')
    bob.on('requestfailed', (request) => void (isAttempt(request) && failures++))
    bob.on('response', (response) => void (isAttempt(response.request()) && statuses.push(response.status())))
    // The button has no effect until an attempt that has already begun ends.
    const click = () =>
      retry.evaluateAll((buttons) => (buttons as unknown as { click: () => void }[]).forEach((each) => each.click()))
    // One attempt may have begun while the clock still ran. All others are those of the button.
    await expect.poll(() => click().then(() => failures)).toBeGreaterThan(1)
    isCut = false
    await expect.poll(() => click().then(() => statuses[0])).toBe(401)
    await bob.clock.resume()
    await bob.getByText('Connection lost.').waitFor({ state: 'detached' })
    expect(test.problems).toEqual([])
    await bob.close()
  })
})
