import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, describeInBrowser, itEach } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const link = 'vscode://file/home/ann/dice/commands/roll.ts:4'
const at = 'commands/roll.ts:4'
const source = [
  'export default command({',
  "  description: 'Rolls a die',",
  '  async run(ctx, { sides }) {',
  '    const faces = sides.map((side) => side.trim())',
  '    await ctx.reply(faces[Math.floor(ctx.random() * faces.length)] ?? "nothing")',
  '  },',
  '})',
]

interface Occasion {
  id: number
  data: Record<string, string>
}

/** A timeline as `framework dev` publishes it, of a handler that failed. */
const failedTimeline = ({ id, data }: Occasion) => ({
  version: 1,
  event: {
    ...{ seq: id, id, type: 'message', title: '/roll', who: 'ann → #general', data },
    ...{ created_at: data['created_at'], received_at: new Date().toISOString() },
  },
  bot: { id: data['author_id'], username: 'pollster', baseUrl: 'http://127.0.0.1' },
  result: 'error',
  file: 'commands/roll.ts',
  ms: 3.2,
  steps: [
    { kind: 'received', atMs: 0, text: 'received' },
    { kind: 'matched', atMs: 0.2, text: 'matched commands/roll.ts', file: 'commands/roll.ts' },
    { kind: 'middleware', atMs: 0.3, ms: 4.1, text: 'middleware middleware/log.ts', file: 'middleware/log.ts' },
    ...[
      {
        kind: 'guard',
        atMs: 0.4,
        ms: 0.1,
        text: 'guard passed: only in servers',
        rule: 'only in servers',
        passed: true,
      },
      { kind: 'handler', atMs: 0.6, ms: 3.2, text: `handler commands/roll.ts:3`, at: 'commands/roll.ts:3', link },
    ],
    {
      ...{ kind: 'state', action: 'set', key: 'user.rolls [ann]', atMs: 0.9, ms: 0.3 },
      ...{ text: 'state user.rolls [ann]: 41 → 42', before: { value: 41 }, after: { value: { count: 42 } } },
    },
    {
      ...{ kind: 'call', name: 'messages.create', atMs: 1.4, ms: 2.2, answers: true, ok: false, status: 403 },
      ...{ text: `reply in ${data['channel_id']}: "rolling"`, input: { channel_id: data['channel_id'] } },
    },
    { kind: 'finished', atMs: 4.4, text: 'failed: sides is undefined', result: 'error' },
  ],
  failure: {
    ...{ message: "Cannot read properties of undefined (reading 'map')", name: 'TypeError', at, link },
    causes: [{ name: 'RangeError', message: 'no die has undefined sides', at: 'lib/die.ts:8' }],
    frame: { line: 4, column: 23, lines: source.map((text, index) => ({ number: index + 1, text })) },
  },
})

describeInBrowser('timelines of events', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })

  const botId = () => test.service.world.bots['pollster']!.id
  async function publish(timelines: readonly object[]): Promise<void> {
    const response = await fetch(`${test.service.url}/dev/v1/timelines`, {
      method: 'PUT',
      headers: { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' },
      body: JSON.stringify({ timelines }),
    })
    expect(response.status).toBe(200)
  }
  /** A message, and the event that the bot received. */
  async function said(name: string, content: string): Promise<Occasion> {
    const posted = await test.person(name, 'POST', `${test.channel('general')}/messages`, { content })
    const journal = await test.person('ann', 'GET', `/bots/${botId()}/journal`)
    const events = journal.body['events'] as unknown as { id: number; data: string }[]
    const event = events.find(({ data }) => data.includes(`"id":"${posted.body['id']}"`))!
    return { id: event.id, data: JSON.parse(event.data) as Record<string, string> }
  }
  const shot = async (page: Page, name: string) => {
    const folder = process.env['SCREENSHOTS']
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: join(folder, `${name}.png`) })
  }

  itEach([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'light', width: 390 },
    { colorScheme: 'dark', width: 390 },
  ] as const)(
    'leads from a failing message to the guilty line in three clicks, $colorScheme at $width',
    async ({ colorScheme, width }) => {
      const page = await test.openAs('ann', {
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height: 900 },
      })
      let clicks = 0
      await page.exposeFunction('countClick', () => clicks++)
      await page.evaluate(`addEventListener('click', () => countClick(), true)`)
      const occasion = await said('ann', `/roll ${colorScheme} ${width}`)
      await publish([failedTimeline(occasion)])
      const message = page.locator(`.message[data-id="${occasion.data['id']}"]`)
      const card = message.getByRole('group', { name: '/roll failed in commands/roll.ts:4' })
      // Without a click: the cause and the code.
      await card.getByText("TypeError: Cannot read properties of undefined (reading 'map')").waitFor()
      expect(await card.locator('.is-guilty code').textContent()).toBe(`${source[3]}\n`)
      await card.getByText('caused by RangeError: no die has undefined sides').waitFor()
      const opens = card.getByRole('link', { name: 'Open in editor' })
      expect(await opens.getAttribute('href')).toBe(link)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await axeFindings(page, '.room')).toEqual([])
      await shot(page, `error-card-${colorScheme}-${width}`)

      await card.getByRole('button', { name: 'Timeline' }).click()
      const inspector = page.getByRole('complementary', { name: 'Inspector' })
      const steps = inspector.getByRole('list', { name: 'Timeline of /roll' })
      await steps.waitFor()
      const texts = await steps.locator('.step-text').allTextContents()
      expect(texts).toEqual([
        'received',
        'matched commands/roll.ts',
        'middleware middleware/log.ts',
        'guard passed: only in servers',
        'handler commands/roll.ts:3',
        'state user.rolls [ann]: 41 → 42',
        'reply in #general: "rolling"',
        'failed: sides is undefined',
      ])
      await steps.getByRole('button', { name: /state user.rolls/ }).click()
      await steps.getByLabel('Before').getByText('41').waitFor()
      await steps.getByLabel('After').getByText('"count"').waitFor()
      expect(clicks).toBeLessThanOrEqual(3)
      expect(await inspector.locator('.is-guilty code').textContent()).toBe(`${source[3]}\n`)
      expect(await axeFindings(page, '.side-panel')).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await shot(page, `timeline-${colorScheme}-${width}`)
      await page.close()
      expect(test.problems).toEqual([])
    },
  )

  it('shows the recorded answer beside that of the current code', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann')
    const occasion = await said('ann', '/roll again')
    await publish([failedTimeline(occasion)])
    const card = ann
      .locator(`.message[data-id="${occasion.data['id']}"]`)
      .getByRole('group', { name: /^\/roll failed/ })
    const run = card.getByRole('button', { name: 'Run with current code' })
    await run.click()
    await ann.getByText('framework dev does not run this bot at the moment', { exact: false }).waitFor()
    const dev = (path: string, init?: RequestInit) =>
      fetch(`${test.service.url}/dev/v1/replays${path}`, {
        ...init,
        headers: { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' },
      })
    const asked = dev('')
    await expect
      .poll(async () => (await test.person('ann', 'POST', `/bots/${botId()}/timelines/${occasion.id}/replay`)).status)
      .toBe(200)
    expect(await (await asked).json()).toEqual({ event_ids: [occasion.id] })
    await run.click()
    await card.getByRole('button', { name: 'Running…' }).waitFor()
    const replay = {
      verdict: 'fixed',
      was: ['error: no sides'],
      now: [`reply in ${occasion.data['channel_id']}: "6"`],
    }
    expect((await dev(`/${occasion.id}`, { method: 'PUT', body: JSON.stringify(replay) })).status).toBe(200)
    const result = card.getByRole('region', { name: 'Result with the current code' })
    await result.getByText('The current code does not fail').waitFor()
    await result.getByText('error: no sides').waitFor()
    await result.getByText('reply in #general: "6"').waitFor()
    expect(await axeFindings(ann, '.room')).toEqual([])
    await shot(ann, 'replay-light-1280')
    await ann.close()
  })

  it('can run an event again after the result came without a connection', { tags: 'all/browser' }, async () => {
    const ann = await test.openAs('ann', { apart: true })
    const occasion = await said('ann', '/roll once more')
    await publish([failedTimeline(occasion)])
    const card = ann
      .locator(`.message[data-id="${occasion.data['id']}"]`)
      .getByRole('group', { name: /^\/roll failed/ })
    const headers = { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' }
    const replays = `${test.service.url}/dev/v1/replays`
    const isAsked = async () => {
      await card.getByRole('button', { name: 'Run with current code' }).click()
      return card.getByRole('button', { name: 'Running…' }).isVisible()
    }
    const asked = fetch(replays, { headers })
    await expect.poll(isAsked).toBe(true)
    expect((await asked).status).toBe(200)
    await ann.evaluate("dispatchEvent(new Event('pagehide'))")
    const body = JSON.stringify({ verdict: 'same', was: [], now: [] })
    expect((await fetch(`${replays}/${occasion.id}`, { method: 'PUT', headers, body })).status).toBe(200)
    await ann.evaluate("dispatchEvent(new Event('pageshow'))")
    await card.getByRole('button', { name: 'Run with current code' }).waitFor()
    await ann.close()
  })

  it(
    'shows the card to the owner of the bot only, after a reload too, and removes it once the event has succeeded',
    { tags: 'all/browser' },
    async () => {
      const ann = await test.openAs('ann')
      const bob = await test.openAs('bob')
      const occasion = await said('bob', '/roll for bob')
      const { failure, ...rest } = failedTimeline(occasion)
      const { link: _link, ...missing } = failure
      await publish([{ ...rest, failure: missing }])
      const card = (page: Page) =>
        page.locator(`.message[data-id="${occasion.data['id']}"]`).getByRole('group', { name: /^\/roll failed/ })
      await card(ann).waitFor()
      // The file is not on this computer.
      expect(await card(ann).getByRole('link').count()).toBe(0)
      await ann.reload()
      await card(ann).waitFor()
      await bob.getByText('/roll for bob').waitFor()
      expect(await card(bob).count()).toBe(0)
      await publish([{ ...rest, result: 'ok' }])
      await card(ann).waitFor({ state: 'detached' })
      await ann.close()
      await bob.close()
    },
  )

  it('opens nothing but an editor from a step', { tags: 'all/browser' }, async () => {
    const page = await test.openAs('ann')
    const occasion = await said('ann', '/roll into the unknown')
    const { steps, ...rest } = failedTimeline(occasion)
    const odd = { kind: 'handler', atMs: 0.7, text: 'handler lib/odd.ts:1', at: 'lib/odd.ts:1', link: 'ms-cmd:calc' }
    await publish([{ ...rest, steps: [...steps, odd] }])
    const message = page.locator(`.message[data-id="${occasion.data['id']}"]`)
    await message.getByRole('button', { name: 'Timeline' }).click()
    const list = page.getByRole('complementary', { name: 'Inspector' }).getByRole('list', { name: 'Timeline of /roll' })
    await list.getByText('handler lib/odd.ts:1').waitFor()
    expect(await list.getByRole('link').allTextContents()).toEqual(['commands/roll.ts:3'])
    await page.close()
  })

  it('folds events without a handler, keeps problems in sight, and shows requests to routes', async () => {
    const page = await test.openAs('ann', { viewport: { width: 1280, height: 900 } })
    await page.getByRole('button', { name: /^Inspector/ }).click()
    const log = page.getByRole('list', { name: 'Events and calls' })
    const { failure: _, ...timeline } = failedTimeline(await said('ann', '/roll first'))
    const unhandled = (occasion: Occasion) => ({
      ...{ ...timeline, result: 'none', file: undefined, steps: timeline.steps.slice(0, 1) },
      event: { ...timeline.event, id: occasion.id, title: 'message', data: occasion.data },
    })
    await publish([failedTimeline(await said('ann', '/roll broken'))])
    for (const text of ['one', 'two', 'three']) {
      await publish([unhandled(await said('bob', text))])
      // A call between two events does not end their row.
      await fetch(`${test.service.url}/v1/me`, { headers: { authorization: 'Bot token-of-pollster' } })
    }
    const fold = log.getByRole('button', { name: /^3 events without a handler 3 message/ })
    await fold.waitFor()
    expect(await log.getByText('bob: two').count()).toBe(0)
    await fold.click()
    await log.getByText('bob: two').waitFor()
    await fold.click()
    await log.getByText('bob: two').waitFor({ state: 'detached' })
    const request = { method: 'POST', path: '/github', body: '{"action":"opened"}' }
    const route = { ...timeline, result: 'ok', file: 'routes/github.ts' }
    await publish([
      {
        ...route,
        event: { ...timeline.event, id: -1, type: 'route', title: 'POST /github', who: undefined, data: request },
      },
    ])
    const row = log.getByRole('button', { name: /route routes\/github\.ts/ })
    await row.getByText('POST /github').waitFor()
    await row.click()
    await log.getByRole('list', { name: 'Timeline of POST /github' }).waitFor()
    await log.getByLabel('Request').getByText('"/github"').waitFor()
    expect(await log.getByRole('button', { name: 'Run again' }).count()).toBe(0)
    expect(await axeFindings(page, '.side-panel')).toEqual([])
    await shot(page, 'folded-light-1280')
    await page.reload()
    await page.getByRole('button', { name: /^3 events without a handler/ }).waitFor()
    await row.waitFor()
    await page.close()
    expect(test.problems).toEqual([])
  })

  it('opens 1,000 events within a second of work, in less than 2 MB', { tags: 'all/browser' }, async () => {
    const occasion = await said('ann', '/roll once more')
    for (let from = 0; from < 1000; from += 50) {
      const many = Array.from({ length: 50 }, (_, index) =>
        failedTimeline({ ...occasion, id: 1_000_000 + from + index }),
      )
      await publish(many)
    }
    const page = await test.openAs('ann')
    const [list] = await Promise.all([page.waitForResponse(/\/people\/v1\/timelines$/), page.reload()])
    const bytes = (await list.body()).length
    await page.getByRole('textbox', { name: /^Message / }).waitFor()
    // The time of the page's own thread: a wall clock would include what else this computer does.
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const workedMs = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
    }
    const startMs = await workedMs()
    await page.getByRole('button', { name: /^Inspector/ }).click()
    await page.locator('.entry').nth(8).waitFor()
    const rows = () => page.evaluate<number>(`document.querySelector('.log-entries ul').clientHeight / 52`)
    await expect.poll(rows).toBeGreaterThan(950)
    const ms = (await workedMs()) - startMs
    const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
    console.log(`1,000 events: ${Math.round(ms)} ms, ${Math.round(bytes / 1024)} KB, ${nodes} nodes`)
    expect(ms).toBeLessThan(1000)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(2_000_000)
    expect(nodes).toBeLessThan(3000)
    await page.close()
  })
})
