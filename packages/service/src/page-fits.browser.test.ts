import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, itEach, startBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { chatWorld } from './lib/test-tools/chat.test.fixture.ts'
import type { World } from './lib/world/world.ts'

const finger = 44
const longName = 'Maximilian von und zu Hohenstein'

/** 200 channels, and people and channels with long names. */
function largeWorld(): World {
  const world = chatWorld()
  const [workshop] = world.servers!
  const rooms = Array.from({ length: 200 }, (_, at) => ({ name: `room-${at + 1}` }))
  return {
    ...world,
    people: world.people!.map((each) => (each.username === 'bob' ? { ...each, display_name: longName } : each)),
    servers: [{ ...workshop!, channels: [...workshop!.channels!, ...rooms] }, ...world.servers!.slice(1)],
  }
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}
const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/** The boxes of all words of the messages; what is cut has the box of its element. */
const words = (page: Page) =>
  page.evaluate<Box[]>(`[...document.querySelectorAll('.message :is(.md, .quote, .message-author)')].flatMap((part) => {
    const range = document.createRange()
    range.selectNodeContents(part)
    const boxes = part.matches('.md') ? range.getClientRects() : [part.getBoundingClientRect()]
    return [...boxes].map(({ x, y, width, height }) => ({ x, y, width, height }))
  })`)

describeInBrowser('the chat page fits', () => {
  let test: Awaited<ReturnType<typeof startBrowser>>
  beforeAll(async () => {
    test = await startBrowser(largeWorld())
    const text = 'a line of words that reaches the edge of the window, '.repeat(3)
    let reply_to: string | undefined
    for (let at = 0; at < 30; at++) {
      const content = `${at} ${text}`
      const { body } = await post('bob', 'general', { content, ...(reply_to !== undefined && { reply_to }) })
      reply_to = body['id']!
    }
    const embed = { title: 'כותרת של הודעה', description: 'טקסט', fields: [{ name: 'שם', value: 'value' }] }
    const sent = await test.bot('token-of-pollster', 'POST', `/channels/${idOf('random')}/messages`, {
      embeds: [embed],
    })
    expect(sent.status).toBe(200)
  })
  afterAll(async () => {
    await test?.close()
  })
  const workshop = () => test.service.world.servers['Workshop']!
  const idOf = (name: string) => workshop().channels[name]!
  const pathOf = (name: string) => `/s/${workshop().id}/c/${idOf(name)}`
  const post = (who: string, name: string, body: object) =>
    test.person(who, 'POST', `/channels/${idOf(name)}/messages`, body)

  itEach([
    { size: 'a window', viewport: { width: 1440, height: 900 } },
    { size: 'a window at 200 %', viewport: { width: 720, height: 450 } },
    { size: 'a window of medium width', viewport: { width: 1024, height: 700 } },
  ])('$size: nothing covers the messages, and nothing scrolls sideways', async ({ viewport }) => {
    const ann = await test.openAs('ann', { path: pathOf('general'), viewport, reducedMotion: 'reduce' })
    const log = ann.getByRole('log')
    await log.getByText(/^29 /).waitFor()
    await log.hover()
    await ann.mouse.wheel(0, -400)
    const latest = ann.getByRole('button', { name: 'Jump to latest' })
    await latest.waitFor()
    const inside = (await log.boundingBox())!
    expect(overlap((await latest.boundingBox())!, inside)).toBe(false)
    expect(overlap((await ann.locator('.composer').boundingBox())!, inside)).toBe(false)

    const rows = await ann.evaluate<{ id: string; x: number; y: number }[]>(
      `[...document.querySelectorAll('.message')].map((row) => {
        const { x, y } = row.getBoundingClientRect()
        return { id: row.dataset.id, x, y }
      })`,
    )
    const seen = rows.filter(({ y }) => y > inside.y && y + 20 < inside.y + inside.height)
    expect(seen.length).toBeGreaterThan(1)
    for (const { id, x, y } of seen) {
      await ann.mouse.move(x + 80, y + 10)
      const toolbar = ann.locator(`.actions[data-message="${id}"]`)
      await toolbar.getByLabel('Reply', { exact: true }).waitFor({ state: 'attached' })
      const covers = (await toolbar.boundingBox())!
      expect((await words(ann)).filter((each) => overlap(each, covers))).toEqual([])
      await toolbar.getByRole('button', { name: 'More' }).click()
      await ann.getByRole('menuitem', { name: 'Reply' }).waitFor()
      await ann.keyboard.press('Escape')
    }
    const sideways = 'document.documentElement.scrollWidth - innerWidth'
    expect(await ann.evaluate<number>(sideways)).toBe(0)
    expect(await ann.locator('h1:visible').count()).toBe(1)
    for (const path of [`/s/${workshop().id}/settings/roles`, `/s/${workshop().id}/settings/channels`, '/developer']) {
      await ann.goto(test.service.url + path)
      await ann.locator('.screen h1').waitFor()
      expect(await ann.evaluate<number>(sideways), path).toBe(0)
      expect(await ann.locator('h1:visible').count(), path).toBe(1)
    }
    expect(test.problems).toEqual([])
    await ann.close()
  })

  it('leads to unread channels out of view', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { path: pathOf('room-100'), apart: true })
    for (const name of ['room-150', 'random']) await post('bob', name, { content: 'news' })
    const rows = ann.locator('.sidebar-channels')
    await ann.getByRole('button', { name: 'New messages below' }).click()
    const below = rows.getByRole('button', { name: /^room-150/ })
    const isSeen = async (row: typeof below) => overlap((await row.boundingBox())!, (await rows.boundingBox())!)
    await expect.poll(() => isSeen(below)).toBe(true)
    expect(await ann.evaluate<string>('document.activeElement.title')).toBe('room-150')
    await expect.poll(() => ann.getByRole('button', { name: 'New messages below' }).count()).toBe(0)
    await ann.getByRole('button', { name: 'New messages above' }).click()
    await expect.poll(() => isSeen(rows.getByRole('button', { name: /^random/ }))).toBe(true)
    expect(await ann.getByRole('button', { name: /^New messages/ }).count()).toBe(1)
    await ann.close()
  })

  it('has targets for fingers on a phone: names, replies and mentions', { tags: 'all/browser' }, async () => {
    const id = test.service.world.people['ann']!.id
    await post('bob', 'general', { content: `<@${id}> look` })
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const ann = await test.openAs('ann', { path: pathOf('general'), ...options })
    await ann.getByRole('log').getByText(/look$/).waitFor()
    for (const part of ['.message-author', '.quote']) {
      for (const target of await ann.locator(`.log ${part}`).all())
        expect((await target.boundingBox())!.height, part).toBeGreaterThanOrEqual(finger)
    }
    // The target of a mention is larger than its box.
    const mention = (await ann.locator('.log button.mention').last().boundingBox())!
    const hit = await ann.evaluate<string>(
      `document.elementFromPoint(${mention.x + 5}, ${mention.y - 8}).closest('button')?.className`,
    )
    expect(hit).toContain('mention')
    expect(await ann.locator('h1:visible').count()).toBe(1)
    await ann.close()
  })

  it(
    'shows what it reports above the input, arranges an embed in its direction, and cuts long names',
    { tags: 'all/browser' },
    async () => {
      const ann = await test.openAs('ann', { path: pathOf('random') })
      const embed = ann.getByRole('article', { name: 'כותרת של הודעה' })
      expect(await embed.getAttribute('dir')).toBe('rtl')
      const borders = await ann.evaluate<string[]>(`(({ borderLeftWidth, borderRightWidth }) =>
      [borderLeftWidth, borderRightWidth])(getComputedStyle(document.querySelector('.embed')))`)
      expect(borders).toEqual(['1px', '3px'])
      await ann
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.of() })
      const toast = ann.getByText('a.txt is not an image')
      await toast.waitFor()
      expect(overlap((await toast.boundingBox())!, (await ann.locator('.composer').boundingBox())!)).toBe(false)
      await ann.getByRole('button', { name: 'Dismiss' }).click()
      await toast.waitFor({ state: 'detached' })
      const name = ann.locator('.member-name', { hasText: longName })
      expect((await name.boundingBox())!.height).toBeLessThan(30)
      await ann.close()
    },
  )

  it('opens a found message with a click anywhere in its row', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { path: pathOf('general') })
    await ann.keyboard.press('Control+f')
    await ann.getByRole('searchbox').fill('3 a line')
    const found = ann.locator('.pin', { hasText: /3 a line/ }).last()
    await found.hover()
    expect(await ann.evaluate<string>(`getComputedStyle(document.querySelector('.pin:hover')).cursor`)).toBe('pointer')
    await found.locator('.pin-head time').click()
    await ann.locator('.message.is-highlighted', { hasText: '3 a line' }).waitFor()
    await ann.close()
  })

  it('announces each new message to screen readers, also the same words twice', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { path: pathOf('room-1') })
    const spoken = ann.locator('[aria-live=polite] p')
    expect(await spoken.count()).toBe(0)
    await post('carol', 'room-1', { content: 'hello **there**' })
    await expect.poll(() => spoken.allTextContents()).toEqual(['carol: hello there'])
    await ann.evaluate(`document.querySelector('[aria-live=polite] p').dataset.old = 'true'`)
    await post('carol', 'room-1', { content: 'hello **there**' })
    await ann
      .locator('[aria-live=polite] p:not([data-old])', { hasText: 'carol: hello there' })
      .waitFor({ state: 'attached' })
    // Neither the person's own messages nor those of other channels.
    await post('ann', 'room-1', { content: 'my own' })
    await post('carol', 'room-2', { content: 'elsewhere' })
    await ann.getByRole('log').getByText('my own').waitFor()
    await expect.poll(() => ann.locator('.channel.is-unread', { hasText: /^room-2/ }).count()).toBe(1)
    expect(await spoken.allTextContents()).toEqual(['carol: hello there'])
    await ann.close()
  })

  it('is walked through by keyboard: every stop is visible, and no part is left out', async () => {
    const ann = await test.openAs('ann', { path: `/s/${test.service.world.servers['Game night']!.id}` })
    await ann.getByRole('textbox', { name: /^Message / }).waitFor()
    const stops: string[] = []
    const stop = `(() => {
      const at = document.activeElement
      if (at === document.body) return ''
      const { width, height } = at.getBoundingClientRect()
      const { outlineStyle } = getComputedStyle(at)
      const ring = outlineStyle !== 'none' || getComputedStyle(at.closest('.composer-box') ?? at).outlineStyle !== 'none'
      const name = at.getAttribute('aria-label') ?? at.textContent.trim()
      return [name, width > 0 && height > 0 && ring ? '' : ' (invisible)'].join('')
    })()`
    const next = async (): Promise<string> => {
      await ann.keyboard.press('Tab')
      return ann.evaluate<string>(stop)
    }
    // To the end of the page, and then all the way round.
    while ((await next()) !== '');
    for (let at = await next(); at !== ''; at = await next()) stops.push(at)
    expect(stops.filter((each) => each.includes('(invisible)'))).toEqual([])
    const parts = [
      'Workshop',
      'Game night: server menu',
      'dice',
      'Search messages (Ctrl F)',
      'Messages in dice',
      'Message #dice',
    ]
    expect(parts.filter((part) => !stops.some((each) => each.startsWith(part)))).toEqual([])
    const order = parts.map((part) => stops.findIndex((each) => each.startsWith(part)))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    await ann.close()
  })

  it('moves nothing for people who prefer that', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { path: pathOf('general'), reducedMotion: 'reduce' })
    await ann.getByRole('button', { name: 'Talk' }).click()
    const moving = await ann.evaluate<number>(
      'document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 1).length',
    )
    expect(moving).toBe(0)
    await box(ann).fill('/')
    await ann.close()
  })
})
