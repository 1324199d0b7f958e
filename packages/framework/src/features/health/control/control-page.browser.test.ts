import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings, connectToBrowser, describeInBrowser, testEach } from '../../../tests/browser.test.fixture.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'

const controlToken = 'a-control-token-for-tests'
const framework = new URL('../../../../dist/index.js', import.meta.url).href
const files = {
  'commands/ping.ts': "export default (ctx) => 'pong ' + ctx.typed",
  'commands/boom.ts': 'export default () => { throw new Error(\'<img src=x onerror="document.title=1">\') }',
  'commands/exit.ts': 'export default (ctx) => process.exit(3)',
  'tasks/beat.ts': `import { task } from '${framework}'
    export default task({ every: '10m', run: () => {} })`,
}

/** A bot with an event that is set aside, an error, and messages that wait for the budget. */
async function startRig() {
  const rig = await ChatRig.start()
  const config = {
    health: { port: 0, control: { actions: true } },
    messageBudget: { requests: 3, seconds: 3600 },
    // The stop waits so long for the handlers whose messages wait for the budget.
    limits: { graceSeconds: 1 },
  }
  const bot = await rig.startBot(files, { config, controlToken })
  const url = rig.logged('info').flatMap((line) => /^control room: (\S+)$/.exec(line)?.[1] ?? [])[0]!
  await rig.says('ann', '/boom')
  await rig.says('ann', '/exit')
  for (const n of [1, 2, 3]) await rig.says('ann', `/ping ${n}`, `c${n}`)
  await rig.until(() => bot.stats().setAside === 0 && rig.logged('error').some((line) => line.includes('is set aside')))
  return { rig, bot, url }
}

describeInBrowser('the page of the control room', () => {
  let it: Awaited<ReturnType<typeof startRig>>
  let browser: Browser
  const problems: string[] = []
  beforeAll(async () => {
    ;[it, browser] = await Promise.all([startRig(), connectToBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await it?.rig[Symbol.asyncDispose]()
  })

  async function open(colorScheme: 'light' | 'dark', width: number, url = it.url): Promise<Page> {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (line) => {
      if (line.type() === 'error' && !line.text().includes('Failed to load resource')) problems.push(line.text())
    })
    await page.goto(url)
    return page
  }
  async function signIn(page: Page, token = controlToken): Promise<void> {
    await page.getByLabel('Control token').fill(token)
    await page.keyboard.press('Enter')
  }

  testEach([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const)(
    'in $colorScheme at $width px: sign in, see what is wrong; axe finds nothing',
    async ({ colorScheme, width }) => {
      const page = await open(colorScheme, width)
      await page.getByLabel('Control token').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await signIn(page, 'a-wrong-token-of-some-length')
      await page.getByText('This token is not correct.').waitFor()
      await signIn(page)
      await page.getByRole('heading', { name: 'Dead letters' }).waitFor()
      await page.getByText('budget_used_up').waitFor()
      expect(page.url()).toBe(it.url)
      expect(await axeFindings(page)).toEqual([])
      // Nothing is wider than the window.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      // A failing handler: its error, its time and the event to replay.
      const failing = page.getByRole('listitem').filter({ hasText: 'commands/boom.ts fails' })
      expect(await failing.textContent()).toMatch(
        /commands\/boom\.ts fails: 1 of 1 run within the last hour, for 1 personhandler_failingError, \d\d:\d\d:\d\d at .*Failed event to replay: #\d+Fix: /,
      )
      // On a phone, each row of a table is a block in sight.
      await page.getByRole('table', { name: 'Files' }).waitFor()
      const tables = `[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)`
      expect(await page.evaluate(tables)).toBe(true)
      // Text from outside stays text.
      await page.getByRole('group', { name: 'Files' }).getByText('<img src=x').waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      if (process.env['SCREENSHOTS'])
        await page.screenshot({
          path: `${process.env['SCREENSHOTS']}/control-${colorScheme}-${width}.png`,
          fullPage: true,
        })
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Control token').waitFor()
      await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0)
      await page.close()
      expect(problems).toEqual([])
    },
  )

  test.each([true, false])(
    'a waiting durable run has a Cancel button only with actions: %s',
    { tags: 'all/browser' },
    async (actions) => {
      await using rig = await ChatRig.start()
      const order = `import { command } from '${framework}'
      export default command({ description: 'Orders', durable: true, run: async (ctx) => { await ctx.ask('What?', { timeout: '2h' }) } })`
      await rig.startBot(
        { 'commands/order.ts': order },
        { config: { health: { port: 0, control: { actions } } }, controlToken },
      )
      const url = rig.logged('info').flatMap((line) => /^control room: (\S+)$/.exec(line)?.[1] ?? [])[0]!
      await rig.says('ann', '/order')
      const page = await open('dark', 390, url)
      await signIn(page)
      const runs = page.getByRole('group', { name: 'Waiting durable runs' })
      await runs.getByText('commands/order.ts').waitFor()
      const cancel = runs.getByRole('button', { name: /^cancel run/ })
      await expect.poll(() => cancel.count()).toBe(actions ? 1 : 0)
      expect(await axeFindings(page)).toEqual([])
      if (actions) {
        await cancel.click()
        await page.getByText(/^Done: cancel run .+\.$/).waitFor()
        await page.getByText('No durable run is waiting.').waitFor()
      }
      await page.close()
      expect(problems).toEqual([])
    },
  )

  test('a command is switched off with a reason, and on', { tags: 'all/browser' }, async () => {
    await using rig = await ChatRig.start()
    await rig.startBot(
      { 'commands/roll.ts': "export default () => 'rolled'" },
      { config: { health: { port: 0, control: { actions: true } } }, controlToken },
    )
    const url = rig.logged('info').flatMap((line) => /^control room: (\S+)$/.exec(line)?.[1] ?? [])[0]!
    const page = await open('light', 390, url)
    await signIn(page)
    await page.getByText('Nothing is switched off.').waitFor()
    await page.getByText('Switch off…').click()
    expect(await axeFindings(page)).toEqual([])
    const off = page.getByRole('button', { name: 'switch off /roll' })
    page.once('dialog', (dialog) => void dialog.dismiss())
    await off.click()
    page.once('dialog', (dialog) => void dialog.accept('back at noon'))
    await off.click()
    await page.getByText('Done: switch off /roll.').waitFor()
    await page.getByRole('group', { name: 'Switched off', exact: true }).getByText('back at noon').waitFor()
    await rig.says('ann', '/roll')
    await rig.until(async () => (await rig.texts()).includes('This command is switched off for now: back at noon'))
    await page.getByRole('button', { name: 'switch on /roll' }).click()
    await page.getByText('Nothing is switched off.').waitFor()
    await page.close()
    expect(problems).toEqual([])
  })

  test('replay with the keyboard, then the last state of a bot that has stopped', { tags: 'all/browser' }, async () => {
    const page = await open('light', 1280)
    await signIn(page)
    const replay = page.getByRole('button', { name: /^replay event/ })
    await replay.waitFor()
    const fixed = { ...files, 'commands/exit.ts': "export default () => 'fixed'" }
    await it.bot.replace(it.rig.source(fixed))
    await replay.press('Enter')
    await page.getByText(/^Done: replay event \d+\.$/).waitFor()
    await page.getByText('No events are set aside.').waitFor()
    await it.rig.person('ann').bots.newToken({ bot_id: it.bot.me.id })
    await page.getByText('token_refused').waitFor()
    await it.bot.stop()
    await page.getByText(/^This instance has not responded since/).waitFor()
    await page.getByText('token_refused').waitFor()
    if (process.env['SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/control-ended.png`, fullPage: true })
    await page.close()
    expect(problems).toEqual([])
  })
})
