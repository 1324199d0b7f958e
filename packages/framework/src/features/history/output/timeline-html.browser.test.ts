import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Timeline } from '@botwright/protocol/timeline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings, connectToBrowser, describeInBrowser, testEach } from '../../../tests/browser.test.fixture.ts'
import { timelineHtml } from './timeline-html.ts'

const evil = '</script><img src=x onerror="document.title=1">'

/** An event with ids and texts of its own, as a recording has them; every tenth failed. */
function timeline(i: number): Timeline {
  const id = (n: number) =>
    `${(i * 7919 + n).toString(16).padStart(8, '0')}-1f0a-4c7e-9b2d-${(i * 104_729 + n).toString(16).padStart(12, '0')}`
  const fails = i % 10 === 0
  const file = fails ? 'commands/boom.ts' : 'commands/points/give.ts'
  const start = Date.UTC(2026, 0, 1, 12, 0, 0) + i * 137
  return {
    version: 1,
    event: {
      ...{
        seq: i,
        id: 1000 + i,
        type: 'message',
        title: fails ? '/boom' : '/points give',
        who: `person${i % 40} → #general`,
      },
      ...{ created_at: new Date(start).toISOString(), received_at: new Date(start + 12).toISOString() },
      data: { id: id(1), channel_id: id(2), author_id: id(3), content: `/points give ${i} ${evil}`, server_id: id(4) },
    },
    bot: { id: id(5), username: 'helper', baseUrl: 'http://127.0.0.1:7400/v1' },
    result: fails ? 'error' : 'ok',
    file,
    ms: 12.5,
    steps: [
      { kind: 'received', atMs: 0, text: 'received' },
      { kind: 'matched', file, atMs: 0.41, text: `matched ${file}` },
      { kind: 'middleware', file: 'middleware.ts', atMs: 0.5, ms: 13, text: 'middleware middleware.ts' },
      {
        kind: 'guard',
        file,
        rule: 'only in servers',
        passed: true,
        atMs: 0.6,
        ms: 0.1,
        text: 'guard passed: only in servers',
      },
      {
        kind: 'handler',
        file,
        atMs: 0.8,
        ms: 12.5,
        at: `${file}:12`,
        link: `vscode://file/bot/${file}:12`,
        text: `handler ${file}:12`,
      },
      {
        kind: 'state',
        action: 'get',
        key: `user.points [${id(3)}]`,
        before: { value: { sum: i } },
        atMs: 1,
        ms: 0.4,
        text: `state user.points [${id(3)}] is {"sum":${i}}`,
      },
      {
        kind: 'state',
        action: 'set',
        key: `user.points [${id(3)}]`,
        before: { value: { sum: i } },
        after: { value: { sum: i + 1 } },
        atMs: 1.6,
        ms: 0.4,
        text: `state user.points [${id(3)}]: {"sum":${i}} → {"sum":${i + 1}}`,
      },
      {
        kind: 'call',
        name: 'messages.create',
        answers: true,
        ok: true,
        input: { channel_id: id(2), content: `you have ${i}`, reply_to: id(1) },
        created: id(6),
        atMs: 2,
        ms: 8 + (i % 7),
        text: `reply “you have ${i}”`,
      },
      {
        kind: 'finished',
        result: fails ? 'error' : 'ok',
        atMs: 14,
        text: fails ? `failed: no fuel ${evil}` : 'finished',
      },
    ],
    ...(fails && {
      failure: {
        ...{
          message: `no fuel ${evil}`,
          name: 'TypeError',
          at: `${file}:3`,
          link: `vscode://file/bot/${file}:3`,
          reference: 'k3xz',
        },
        frame: {
          line: 3,
          column: 9,
          lines: [1, 2, 3, 4].map((number) => ({ number, text: `  const value${number} = read(${i})` })),
        },
        causes: [{ name: 'Error', message: 'the tank is empty' }],
        stack: `TypeError: no fuel\n${'    at run (/bot/commands/boom.ts:3:9)\n'.repeat(8)}`,
      },
    }),
  }
}

test('1,000 events take less than 2 MB, and no text of an event becomes HTML', () => {
  const html = timelineHtml(
    Array.from({ length: 1000 }, (_, i) => timeline(i)),
    { title: `test ${evil}` },
  )
  expect(html.length).toBeLessThan(2_000_000)
  expect(html).not.toContain('<img')
})

test('a long input of a call is left out', () => {
  const one = timeline(1)
  const long = {
    ...one,
    steps: one.steps.map((step) => (step.kind === 'call' ? { ...step, input: 'x'.repeat(5000) } : step)),
  }
  expect(timelineHtml([long], { title: 'x' }).length).toBeLessThan(timelineHtml([one], { title: 'x' }).length + 100)
})

describeInBrowser('in a browser', () => {
  let browser: Browser
  let folder: string
  let url: string
  let shortUrl: string
  const problems: string[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'botwright-html-'))
    const file = join(folder, 'timelines.html')
    writeFileSync(
      file,
      timelineHtml(
        Array.from({ length: 1000 }, (_, i) => timeline(i)),
        { title: 'The newest events' },
      ),
    )
    url = pathToFileURL(file).href
    const short = join(folder, 'short.html')
    writeFileSync(short, timelineHtml([timeline(1), timeline(10), timeline(11)], { title: 'Three events' }))
    shortUrl = pathToFileURL(short).href
    browser = await connectToBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open(
    colorScheme: 'light' | 'dark',
    width: number,
    address = url,
  ): Promise<{ page: Page; requests: string[]; workMs: number }> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
    // The time of the page's own thread: a wall clock would include what else this computer does.
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(address)
    await page.locator('body[data-ready]').waitFor()
    const { metrics } = await devtools.send('Performance.getMetrics')
    const workMs = metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
    return { page, workMs, requests: requests.filter((one) => !one.startsWith('data:') && !one.startsWith('blob:')) }
  }

  test('shows 1,000 events soon, with the newest failure open, and requests nothing', async () => {
    const { page, requests, workMs } = await open('light', 1200)
    expect(requests).toEqual([url])
    expect(await page.locator('details.event').count()).toBe(1000)
    expect(workMs).toBeLessThan(5000)
    const opened = page.locator('details.event[open]')
    expect(await opened.count()).toBe(1)
    expect(await opened.locator('.failure').textContent()).toContain(`TypeError: no fuel ${evil}`)
    expect(await opened.locator('.failure a').getAttribute('href')).toBe('vscode://file/bot/commands/boom.ts:3')
    expect(await opened.locator('ol').textContent()).toContain('reply “you have 990”')
    expect(await page.title()).toBe('The newest events')
    await page.close()
  })

  test('filters by text and by failure', { tags: 'all/browser' }, async () => {
    const { page } = await open('dark', 1200)
    await page.getByLabel('Failed only').check()
    await expect.poll(() => page.getByRole('status').innerText()).toBe('100 of 1000 events, 100 failed')
    await page.getByLabel('Failed only').uncheck()
    await page.getByLabel('Filter').fill('person7 ')
    await expect.poll(() => page.locator('details.event').count()).toBe(25)
    await page.close()
  })

  testEach([
    { scheme: 'light', width: 1200 },
    { scheme: 'dark', width: 1200 },
    { scheme: 'light', width: 360 },
    { scheme: 'dark', width: 360 },
  ] as const)('is accessible and fits ($scheme, $width pixels)', async ({ scheme, width }) => {
    const { page } = await open(scheme, width, shortUrl)
    await page.locator('details.event').first().locator('summary').first().click()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: join(folder, `timeline-${scheme}-${width}.png`) })
    expect(await axeFindings(page)).toEqual([])
    await page.close()
  })

  test('has no errors in the console', () => expect(problems).toEqual([]))
})
