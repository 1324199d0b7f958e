import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, axeFindings, startBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { defaultWorld } from './default-world.ts'

const startMs = Date.now()
/** A clock that only the controls move: a click may be answered for three seconds, which a busy machine may need. */
const stopped = { now: () => startMs, monotonic: () => 0, after: () => ({ cancel() {} }) }

type Rig = Awaited<ReturnType<typeof startBrowser>>

/** A PNG with one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function openDeveloper(page: Page): Promise<void> {
  await page.getByRole('button', { name: /: your menu$/ }).click()
  await page.getByRole('menu').getByText('Developer').click()
}

describeInBrowser('the Developer screen and the inspector', () => {
  let rig: Rig
  beforeAll(async () => {
    const world = defaultWorld('pollster', 'token-of-pollster')
    world.people!.push({ username: 'dora', staff: true })
    world.servers![0]!.members!.push('dora')
    rig = await startBrowser(world, { clock: stopped })
  })
  afterAll(() => rig?.close())
  const general = () => `/channels/${rig.service.world.servers['Workshop']!.channels['general']}`

  it('creates a bot and shows its token once; the token works until a new one is generated [spec: 8/bots_per_person]', async () => {
    const bob = await rig.openAs('bob')
    await openDeveloper(bob)
    await bob.getByText('0 of 2 bots.').waitFor()
    await bob.getByRole('button', { name: 'New bot' }).click()
    await bob.getByLabel('Username').fill('pollster')
    await bob.getByRole('button', { name: 'Create bot' }).click()
    await bob.getByText('Is already taken').waitFor()
    await bob.getByLabel('Username').fill('greeter')
    await bob.getByRole('button', { name: 'Create bot' }).click()
    const shown = bob.getByRole('group', { name: 'New token' })
    const token = (await shown.locator('code').first().textContent())!
    expect(await shown.getByText('BOT_TOKEN=').textContent()).toBe(
      `BOT_TOKEN=${token}\nBOT_BASE_URL=${rig.service.base_url}`,
    )
    const me = await rig.bot(token, 'GET', '/me')
    expect([me.status, me.body['username']]).toEqual([200, 'greeter'])
    expect(await axeFindings(bob)).toEqual([])
    const choose = bob.getByLabel('Avatar: choose an image')
    await choose.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await bob.getByText('the content is something else', { exact: false }).waitFor()
    await choose.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture })
    await bob.getByRole('button', { name: 'Remove avatar' }).waitFor()
    expect((await rig.bot(token, 'GET', '/me')).body['avatar_url']).toContain(rig.service.url)
    // Bob manages no server: the button is disabled and explains why.
    const add = bob.getByRole('button', { name: 'Add greeter to Workshop' })
    await add.waitFor()
    expect([await add.isDisabled(), await add.getAttribute('title')]).toEqual([
      true,
      'Requires a role with “Manage server”',
    ])

    await bob.getByRole('button', { name: 'New token…' }).click()
    await bob.getByRole('button', { name: 'Generate token' }).click()
    await expect.poll(() => shown.locator('code').first().textContent()).not.toBe(token)
    expect((await rig.bot(token, 'GET', '/me')).status).toBe(401)
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await shown.waitFor({ state: 'detached' })
    expect(rig.problems).toEqual([])
    await bob.close()
  })

  it(
    'shows the token of a new bot, even if the list of bots does not load after it',
    { tags: 'all/browser' },
    async () => {
      const dora = await rig.openAs('dora')
      await openDeveloper(dora)
      await dora.getByText('0 of 2 bots.').waitFor()
      await dora.getByRole('button', { name: 'New bot' }).click()
      await dora.getByLabel('Username').fill('keeper')
      await dora.route('**/people/v1/bots', (route) =>
        route.request().method() === 'GET' ? route.abort() : route.continue(),
      )
      await dora.getByRole('button', { name: 'Create bot' }).click()
      await dora.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
      await dora.unrouteAll()
      await dora.getByRole('button', { name: 'Cancel' }).click()
      await dora.evaluate('dispatchEvent(new Event("focus"))')
      await dora
        .getByRole('button', { name: /^keeper/ })
        .last()
        .click()
      const token = (await dora.getByRole('group', { name: 'New token' }).locator('code').first().textContent())!
      expect((await rig.bot(token, 'GET', '/me')).body['username']).toBe('keeper')
      await dora.close()
    },
  )

  it(
    'generates a secret of the event webhook without saving the URL that is being typed',
    { tags: 'all/browser' },
    async () => {
      const ann = await rig.openAs('ann')
      const { id } = rig.service.world.bots['pollster']!
      const saved = 'https://bot.example.com/events'
      const { body } = await rig.person('ann', 'PUT', `/bots/${id}/event-webhook`, { url: saved })
      await openDeveloper(ann)
      await ann.getByRole('button', { name: 'pollster', exact: true }).click()
      await ann.getByLabel('Event webhook URL').fill('https://other.example.com/events')
      await ann.getByText('Advanced: webhook secret').click()
      await ann.getByRole('button', { name: 'New secret…' }).click()
      await ann.getByRole('button', { name: 'Generate secret' }).click()
      await ann.getByRole('dialog').waitFor({ state: 'detached' })
      const shown = await ann.getByLabel('Secret', { exact: true }).textContent()
      expect(shown).not.toBe(body['secret'])
      const kept = await rig.person('ann', 'GET', `/bots/${id}/event-webhook`)
      expect(kept.body).toMatchObject({ url: saved, secret: shown })
      expect(rig.problems).toEqual([])
      await ann.close()
    },
  )

  it(
    'submits a bot, which staff sends back with a reason and then approves, so that others can add it',
    { tags: 'all/browser' },
    async () => {
      const ann = await rig.openAs('ann')
      const dora = await rig.openAs('dora')
      const submit = async (text: string) => {
        await ann.getByLabel('Description for the review').fill(text)
        await ann.getByRole('button', { name: 'Submit for review' }).click()
        await ann.getByText('In review').first().waitFor()
      }
      await openDeveloper(ann)
      await ann.getByRole('button', { name: 'pollster', exact: true }).click()
      await submit('Asks')
      await openDeveloper(dora)
      await dora.getByRole('button', { name: 'Review', exact: true }).click()
      await dora.getByRole('button', { name: 'Send back pollster' }).click()
      await dora.getByLabel('Reason for the owner').fill('Say whom it asks')
      expect(await axeFindings(dora)).toEqual([])
      await dora.getByRole('dialog').getByRole('button', { name: 'Send back' }).click()
      await dora.getByText('No submissions to review.').waitFor()

      // Focusing the window loads the decision.
      await ann.evaluate(`dispatchEvent(new Event('focus'))`)
      await ann.getByText('Say whom it asks').waitFor()
      await submit('Asks the members of a channel')
      await dora.getByRole('button', { name: 'Your bots' }).click()
      await dora.getByRole('button', { name: 'Review', exact: true }).click()
      await dora.getByRole('button', { name: 'Approve pollster' }).click()
      await dora.getByText('Approved', { exact: true }).waitFor()
      const { body } = await rig.person('carol', 'GET', '/bots/listed')
      expect(body['bots']).toMatchObject([{ username: 'pollster', description: 'Asks the members of a channel' }])
      expect(rig.problems).toEqual([])
      await ann.close()
      await dora.close()
    },
  )

  it(
    'shows the owner events and calls in real time, warnings and used limits, but no tokens',
    { tags: 'all/browser' },
    async () => {
      const token = 'token-of-pollster'
      const ann = await rig.openAs('ann')
      // The page has the time of the service, and no time passes.
      await ann.clock.setFixedTime(startMs)
      rig.service.clock.advance(1000)
      await ann.getByRole('button', { name: /^Inspector/ }).click()
      const log = ann.getByRole('list', { name: 'Events and calls' })
      await rig.person('bob', 'POST', `${general()}/messages`, { content: 'anybody there?' })
      await log.getByText('bob: anybody there?').waitFor()
      const components = [
        { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'yes' }] },
      ]
      const embeds = [{ title: 'x'.repeat(300) }]
      const posted = await rig.bot(token, 'POST', `${general()}/messages`, {
        content: `vote ${token}`,
        components,
        embeds,
      })
      await log.getByText('embeds[0].title has 300 characters and was cut to 256.').waitFor()
      await ann.getByText('1 of 30').waitFor()
      await rig.bot(token, 'GET', '/nowhere')
      await log.getByText('GET /nowhere').waitFor()

      const clicked = await rig.person('bob', 'POST', `${general()}/messages/${posted.body['id']}/clicks`, {
        custom_id: 'yes',
      })
      await ann.getByText('“yes” by bob').waitFor()
      await ann.getByText(/s left to answer/).waitFor()
      const feed = await rig.bot(token, 'GET', '/events?after=1')
      const events = feed.body['events'] as unknown as { type: string; data: { token: string } }[]
      const secret = events.find((each) => each.type === 'interaction')!.data.token
      await rig.bot(token, 'POST', `/interactions/${clicked.body['interaction_id']}/${secret}/callback`, {
        type: 'ack',
      })
      await ann.getByText('9 answers left', { exact: false }).waitFor()
      await log.getByRole('button', { name: /callback/ }).click()
      await log.getByRole('button', { name: /vote/ }).click()
      await log.getByText('"custom_id": "yes"').first().waitFor()
      const html = await ann.getByRole('complementary', { name: 'Inspector' }).innerHTML()
      expect([token, secret].filter((hidden) => html.includes(hidden))).toEqual([])
      expect(await axeFindings(ann, '.side-panel')).toEqual([])

      await ann.getByRole('radio', { name: /^Problems/ }).check({ force: true })
      await log.getByText('anybody there?').waitFor({ state: 'detached' })
      await ann.getByRole('button', { name: 'Pause' }).click()
      await rig.bot(token, 'GET', '/nowhere/else')
      await ann.getByText('Paused, 1 waiting').waitFor()
      await ann.getByRole('button', { name: 'Resume' }).click()
      await log.getByText('GET /nowhere/else').waitFor()
      await ann.getByRole('button', { name: 'Clear' }).click()
      await ann.getByText('Nothing yet').waitFor()
      // Other people cannot see the bot.
      expect((await rig.person('bob', 'GET', `/bots/${rig.service.world.bots['pollster']!.id}/journal`)).status).toBe(
        404,
      )
      expect(rig.problems).toEqual([])
      await ann.close()
    },
  )
})
