import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { box, describeInBrowser, enter, say } from './lib/test-tools/browser.test.fixture.ts'
import { type ChatTest, startChatTest } from './lib/test-tools/chat.test.fixture.ts'

const openChannel = (page: Page, name: RegExp) => page.getByRole('navigation').getByRole('button', { name }).click()

describeInBrowser('the page goes by the clock of the service', () => {
  let test: ChatTest
  beforeAll(async () => {
    test = await startChatTest()
  })
  afterAll(async () => {
    await test?.close()
  })

  const advance = async (advance_seconds: number) => {
    const body = JSON.stringify({ advance_seconds })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${test.service.url}/controls/v1/clock`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
  }
  const timeOut = (minutes: number) =>
    test.person('ann', 'POST', `/servers/${test.service.world.servers['Workshop']!.id}/timeouts`, {
      user_id: test.service.world.people['carol']!.id,
      minutes,
    })
  const slowmode = (page: Page) => page.getByText(/^Slowmode: you can send the next message in \d+ s\.$/)

  it('and shows times without an offset as the service reads them, in UTC', { tags: 'all/browser' }, async () => {
    const embeds = ['2026-03-01T10:00', '2026-03-01T10:00Z'].map((timestamp) => ({ title: timestamp, timestamp }))
    const path = `${test.channel('random')}/messages`
    expect((await test.bot('token-of-pollster', 'POST', path, { embeds })).status).toBe(200)
    const bob = await test.openAs('bob', { timezoneId: 'Asia/Tokyo' })
    await openChannel(bob, /^random/)
    const shown = bob.getByRole('log').locator('.embed time')
    await expect.poll(() => shown.count()).toBe(2)
    const [local, utc] = await shown.allTextContents()
    expect(local).toBe(utc)
    expect(utc).toMatch(/19:00$/)
    await bob.close()
  })

  it(
    'when it is moved: slowmode and timeouts end, and those that begin afterwards have their own length',
    { tags: 'all/browser' },
    async () => {
      const carol = await test.openAs('carol')
      await openChannel(carol, /^slow/)
      for (const round of ['before', 'after']) {
        await say(carol, `${round} one`)
        await carol.getByRole('log').getByText(`${round} one`).waitFor()
        await enter(carol, `${round} two`)
        expect(Number(/\d+/.exec((await slowmode(carol).textContent())!)![0])).toBeLessThanOrEqual(60)
        await advance(61)
        await slowmode(carol).waitFor({ state: 'detached' })
        await box(carol).press('Enter')
        await carol.getByRole('log').getByText(`${round} two`).waitFor()
        await expect.poll(() => box(carol).inputValue()).toBe('')
        await advance(24 * 60 * 60)
      }
      // After a reload, the wait comes from the time of the last message.
      await say(carol, 'before the reload')
      await carol.getByRole('log').getByText('before the reload').waitFor()
      await carol.reload()
      await slowmode(carol).waitFor()
      await carol.getByRole('log').getByText('Today', { exact: true }).waitFor()
      await advance(61)
      await slowmode(carol).waitFor({ state: 'detached' })
      expect((await timeOut(10)).status).toBe(200)
      await expect.poll(() => box(carol).isDisabled()).toBe(true)
      await advance(11 * 60)
      await expect.poll(() => box(carol).isDisabled()).toBe(false)
      expect(test.problems).toEqual([])
      await carol.close()
    },
  )

  it('when a moderator shortens the slowmode', { tags: 'all/browser' }, async () => {
    const setSlowmode = async (slowmode: number) =>
      expect((await test.person('ann', 'PATCH', test.channel('slow'), { slowmode })).status).toBe(200)
    await setSlowmode(3600)
    // Her messages of the previous test do not hold up the next one.
    await advance(3600)
    const carol = await test.openAs('carol')
    await openChannel(carol, /^slow/)
    await say(carol, 'before the change')
    await slowmode(carol).waitFor()
    await advance(5)
    await setSlowmode(5)
    await slowmode(carol).waitFor({ state: 'detached' })
    await say(carol, 'after the change')
    await carol.getByRole('log').getByText('after the change').waitFor()
    await setSlowmode(60)
    expect(test.problems).toEqual([])
    await carol.close()
  })

  it.each(['2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'])('when the clock of the computer shows %s', async (time) => {
    const page = await test.openAs(undefined, { apart: true })
    await page.clock.install({ time })
    await page.reload()
    await page.getByRole('button', { name: 'carol', exact: true }).click()
    await box(page).waitFor()
    expect((await timeOut(10)).status).toBe(200)
    await expect.poll(() => box(page).isDisabled()).toBe(true)
    await page.reload()
    await expect.poll(() => box(page).isDisabled()).toBe(true)
    await advance(11 * 60)
    await expect.poll(() => box(page).isDisabled()).toBe(false)
    expect(test.problems).toEqual([])
    await page.close()
  })
})
