import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, axeFindings, startBrowser } from './lib/test-tools/browser.test.fixture.ts'
import { defaultWorld } from './default-world.ts'

type Rig = Awaited<ReturnType<typeof startBrowser>>

async function openSettings(page: Page, tab: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Workshop: server menu' })
  if (await menu.isVisible()) {
    await menu.click()
    await page.getByRole('menu').getByText('Server settings').click()
  }
  await page.getByRole('navigation', { name: 'Workshop' }).getByRole('button', { name: tab, exact: true }).click()
}

describeInBrowser('the settings of a server', () => {
  let rig: Rig
  /** The page of the owner, shared by all tests. */
  let ann: Page
  beforeAll(async () => {
    const world = defaultWorld('pollster', 'token-of-pollster')
    world.servers![0]!.channels!.push({ name: 'cellar', private: true, members: ['carol', 'pollster'] })
    rig = await startBrowser(world)
    ann = await rig.openAs('ann')
  })
  afterAll(() => rig?.close())
  const workshop = () => rig.service.world.servers['Workshop']!

  it('creates a role with a permission and adds it to a member, who can then use the permission', async () => {
    await openSettings(ann, 'Roles')
    await ann.getByRole('button', { name: 'New role' }).click()
    await ann.getByLabel('Role name').fill('keepers')
    await ann.getByRole('radio', { name: 'Teal' }).check({ force: true })
    await ann.getByRole('switch', { name: 'Manage channels' }).check()
    await ann.getByRole('button', { name: 'Create role' }).click()
    await ann.getByRole('button', { name: 'Edit keepers' }).click()
    await ann.getByRole('switch', { name: 'bob' }).check()
    await expect
      .poll(async () => {
        const { body } = await rig.person('bob', 'GET', `/servers/${workshop().id}`)
        return (body as unknown as { permissions: string[] }).permissions
      })
      .toEqual(['manage_channels'])
    expect(await axeFindings(ann)).toEqual([])

    const bob = await rig.openAs('bob')
    await openSettings(bob, 'Roles')
    await bob.getByText('Requires a role with “Manage roles”.').waitFor()
    expect(await bob.getByRole('button', { name: 'New role' }).isDisabled()).toBe(true)
    expect(await bob.getByRole('button', { name: 'Bans', exact: true }).count()).toBe(0)
    expect(rig.problems).toEqual([])
    await bob.close()
  })

  it('makes a channel private and hides it from people without access', { tags: 'all/browser' }, async () => {
    const carol = await rig.openAs('carol')
    const seen = carol.getByRole('complementary', { name: 'Servers and channels' }).getByText('random', { exact: true })
    await seen.waitFor()
    await openSettings(ann, 'Channels')
    await ann.getByRole('button', { name: 'Edit random' }).click()
    await ann.getByRole('switch', { name: 'Private' }).check()
    expect(await axeFindings(ann)).toEqual([])
    await ann.getByRole('button', { name: 'Save' }).click()
    await seen.waitFor({ state: 'detached' })
    const { body } = await rig.person('carol', 'GET', `/channels/${workshop().channels['random']}/messages`)
    expect(body).toEqual({ error: 'channel not found' })
    expect(rig.problems).toEqual([])
    await carol.close()
  })

  it(
    'keeps the editor of a channel that is opened while another channel is saved',
    { tags: 'all/browser' },
    async () => {
      let save = (): void => {}
      const saving = new Promise<void>((resolve) => (save = resolve))
      await ann.route('**/people/v1/channels/*', async (route) => {
        await saving
        await route.continue()
      })
      await openSettings(ann, 'Channels')
      await ann.getByRole('button', { name: 'Edit general' }).click()
      await ann.getByLabel('Name').fill('lobby')
      await ann.getByRole('button', { name: 'Save' }).click()
      await ann.getByRole('button', { name: 'All channels' }).click()
      await ann.getByRole('button', { name: 'Edit staff' }).click()
      await ann.getByLabel('Name').fill('sta')
      const saved = ann.waitForResponse((response) => response.url().endsWith(`/servers/${workshop().id}`))
      save()
      await saved
      await ann.getByLabel('Name').pressSequentially('ff room')
      expect(await ann.getByLabel('Name').inputValue()).toBe('staff room')
      await ann.unroute('**/people/v1/channels/*')
      await ann.getByRole('button', { name: 'All channels' }).click()
      await rig.person('ann', 'PATCH', `/channels/${workshop().channels['general']!}`, { name: 'general' })
      expect(rig.problems).toEqual([])
    },
  )

  it('keeps the editor of a role that is opened while another role is saved', { tags: 'all/browser' }, async () => {
    const { body } = await rig.person('ann', 'POST', `/servers/${workshop().id}/roles`, { name: 'helpers' })
    const { id } = body['role'] as unknown as { id: string }
    await rig.person('ann', 'POST', `/servers/${workshop().id}/roles`, { name: 'guests' })
    let save = (): void => {}
    const saving = new Promise<void>((resolve) => (save = resolve))
    await ann.route(`**/people/v1/servers/*/roles/${id}`, async (route) => {
      await saving
      await route.continue()
    })
    await openSettings(ann, 'Roles')
    await ann.getByRole('button', { name: 'Edit helpers' }).click()
    await ann.getByLabel('Role name').fill('helping hands')
    await ann.getByRole('button', { name: 'Save' }).click()
    await ann.getByRole('button', { name: 'All roles' }).click()
    await ann.getByRole('button', { name: 'Edit guests' }).click()
    // The editor has its own URL.
    expect(ann.url()).toMatch(/\/settings\/roles\/[\w-]{36}$/)
    await ann.goBack()
    await ann.getByRole('button', { name: 'Edit helpers' }).waitFor()
    await ann.goForward()
    await ann.getByLabel('Role name').fill('gue')
    const saved = ann.waitForResponse((response) => response.url().endsWith(`/servers/${workshop().id}`))
    save()
    await saved
    await ann.getByLabel('Role name').pressSequentially('sts of honour')
    expect(await ann.getByLabel('Role name').inputValue()).toBe('guests of honour')
    await ann.getByRole('button', { name: 'All roles' }).click()
    await ann.getByRole('button', { name: 'Edit helping hands' }).waitFor()
    expect(rig.problems).toEqual([])
  })

  it('saves only what the person has changed, not what others change meanwhile', { tags: 'all/browser' }, async () => {
    const id = workshop().channels['random']!
    const viewed = async () => {
      const { body } = await rig.person('ann', 'GET', `/servers/${workshop().id}`)
      return body as unknown as Record<'channels' | 'roles', Record<string, unknown>[]>
    }
    await openSettings(ann, 'Channels')
    await ann.getByRole('button', { name: 'Edit random' }).click()
    await ann.getByLabel('Name').fill('talk')
    await rig.person('ann', 'PATCH', `/channels/${id}`, { slowmode: 30 })
    await ann.getByRole('button', { name: 'Save' }).click()
    await ann.getByRole('button', { name: 'Edit talk' }).waitFor()
    expect((await viewed()).channels).toContainEqual(expect.objectContaining({ name: 'talk', slowmode: 30 }))
    await rig.person('ann', 'PATCH', `/channels/${id}`, { name: 'random', slowmode: 0 })

    const made = await rig.person('ann', 'POST', `/servers/${workshop().id}/roles`, { name: 'painters' })
    const role = (made.body['role'] as unknown as { id: string }).id
    await openSettings(ann, 'Roles')
    await ann.getByRole('button', { name: 'Edit painters' }).click()
    await ann.getByLabel('Role name').fill('artists')
    const changes = { permissions: ['kick_members'], color: '#123456' }
    await rig.person('ann', 'PATCH', `/servers/${workshop().id}/roles/${role}`, changes)
    await ann.getByRole('button', { name: 'Save' }).click()
    await ann.getByRole('button', { name: 'Edit artists' }).waitFor()
    expect((await viewed()).roles).toContainEqual(expect.objectContaining({ name: 'artists', ...changes }))
    await rig.person('ann', 'DELETE', `/servers/${workshop().id}/roles/${role}`)

    await ann.goto(`${rig.service.url}/developer/bots/${rig.service.world.bots['pollster']!.id}`)
    await ann.getByLabel('Display name').fill('The Pollster')
    await rig.bot('token-of-pollster', 'PATCH', '/me', { bio: 'set by the bot' })
    await ann.getByRole('button', { name: 'Save' }).first().click()
    const profile = async () => (await rig.bot('token-of-pollster', 'GET', '/me')).body
    await expect.poll(async () => (await profile())['display_name']).toBe('The Pollster')
    expect((await profile())['bio']).toBe('set by the bot')
    await rig.bot('token-of-pollster', 'PATCH', '/me', { display_name: null, bio: '' })
    await ann.keyboard.press('Escape')
    expect(rig.problems).toEqual([])
  })

  it('moves roles past each other that have the same position', { tags: ['all/browser'] }, async () => {
    const make = async (name: string, permissions: string[] = []) => {
      const position = name === 'captains' ? 9 : 8
      const { body } = await rig.person('ann', 'POST', `/servers/${workshop().id}/roles`, {
        name,
        permissions,
        position,
      })
      return (body['role'] as unknown as { id: string }).id
    }
    const roles = [await make('cooks'), await make('bakers'), await make('captains', ['manage_roles'])]
    const carolId = rig.service.world.people['carol']!.id
    await rig.person('ann', 'PUT', `/servers/${workshop().id}/members/${carolId}/roles/${roles[2]}`)
    const carol = await rig.openAs('carol')
    await openSettings(carol, 'Roles')
    const order = async () =>
      (await carol.locator('.row strong').allInnerTexts()).filter((name) => name === 'cooks' || name === 'bakers')
    await expect.poll(order).toEqual(['cooks', 'bakers'])
    await carol.getByRole('button', { name: 'Move cooks down' }).click()
    await expect.poll(order).toEqual(['bakers', 'cooks'])
    await carol.getByRole('button', { name: 'Move cooks up' }).click()
    await expect.poll(order).toEqual(['cooks', 'bakers'])
    for (const id of roles) await rig.person('ann', 'DELETE', `/servers/${workshop().id}/roles/${id}`)
    expect(rig.problems).toEqual([])
    await carol.close()
  })

  it('names the members with access to a private channel', async () => {
    await openSettings(ann, 'Channels')
    await ann.getByRole('button', { name: 'Edit cellar' }).click()
    await ann.getByText('Only the owner, the selected roles, carol and pollster can see the channel.').waitFor()
    await ann.getByRole('button', { name: 'All channels' }).click()
    await ann.getByRole('button', { name: 'Edit staff' }).click()
    await ann.getByText('Only the owner and the selected roles can see the channel.').waitFor()
    await ann.getByRole('button', { name: 'All channels' }).click()
    expect(rig.problems).toEqual([])
  })

  it(
    'shows the URL of a new webhook once, and posts to it appear [spec: 4/channelWebhooks.execute]',
    { tags: 'all/browser' },
    async () => {
      await openSettings(ann, 'Webhooks')
      await ann.getByRole('button', { name: 'New webhook' }).click()
      await ann.getByRole('dialog').getByLabel('Name').fill('builds')
      await ann.getByRole('button', { name: 'Create webhook' }).click()
      const url = await ann.getByRole('group', { name: 'URL of builds' }).locator('code').first().textContent()
      expect(await ann.getByText('curl -X POST').textContent()).toContain(url)
      expect(await axeFindings(ann)).toEqual([])
      await ann.getByRole('button', { name: 'I have copied it' }).click()
      expect((await ann.content()).includes(url!)).toBe(false)

      const posted = await fetch(url!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'The build is green' }),
      })
      expect(posted.status).toBe(204)
      await ann.getByRole('button', { name: 'Close', exact: true }).click()
      await ann.getByRole('log').getByText('The build is green').waitFor()

      await openSettings(ann, 'Webhooks')
      await ann.getByRole('button', { name: 'Delete builds' }).click()
      await ann.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await ann.getByText('No webhooks yet.').waitFor()
      expect((await fetch(url!)).status).toBe(404)
      expect(rig.problems).toEqual([])
    },
  )

  it('lists only the webhooks of the server that is open', async () => {
    await openSettings(ann, 'Webhooks')
    await ann.getByText('No webhooks yet.').waitFor()
    const made = await rig.person('ann', 'POST', '/servers', { name: 'Annex' })
    const annex = (made.body['server'] as unknown as { id: string }).id
    const { body } = await rig.person('ann', 'GET', `/servers/${annex}`)
    const [{ id }] = body['channels'] as unknown as [{ id: string }]
    expect((await rig.person('ann', 'POST', `/channels/${id}/webhooks`, { name: 'elsewhere' })).status).toBe(200)
    const here = `/channels/${workshop().channels['general']}/webhooks`
    const { webhook } = (await rig.person('ann', 'POST', here, { name: 'builds' })).body as unknown as {
      webhook: { id: string }
    }
    await ann.getByRole('button', { name: 'Delete builds' }).waitFor()
    expect(await ann.getByRole('button', { name: 'Delete elsewhere' }).count()).toBe(0)
    expect((await rig.person('ann', 'DELETE', `/webhooks/${webhook.id}`)).status).toBe(200)
    await ann.getByText('No webhooks yet.').waitFor()
    expect(rig.problems).toEqual([])
  })

  it('times a member out, bans it with a reason, and lifts the ban', { tags: 'all/browser' }, async () => {
    await openSettings(ann, 'Members')
    await ann.getByRole('button', { name: /^carol/ }).click()
    await ann.getByRole('button', { name: 'Time out…' }).click()
    await ann.getByRole('dialog').getByLabel('Duration').selectOption({ label: '1 hour' })
    await ann.getByRole('dialog').getByRole('button', { name: 'Time out' }).click()
    await ann.getByRole('button', { name: 'End timeout' }).waitFor()
    expect(
      (await rig.person('carol', 'POST', `/channels/${workshop().channels['general']}/messages`, { content: 'hi' }))
        .status,
    ).toBe(403)
    await ann.getByRole('button', { name: 'Ban…' }).click()
    await ann.getByRole('dialog').getByLabel('Reason').fill('spam')
    expect(await axeFindings(ann)).toEqual([])
    await ann.getByRole('dialog').getByRole('button', { name: 'Ban' }).click()
    await ann.getByRole('button', { name: 'Bans', exact: true }).click()
    await ann.getByText(/^spam · /).waitFor()
    await ann.getByRole('button', { name: 'Unban carol' }).click()
    await ann.getByRole('dialog').getByRole('button', { name: 'Unban' }).click()
    await ann.getByText('No bans.').waitFor()
    expect((await rig.person('carol', 'PUT', `/servers/${workshop().id}/members/me`)).status).toBe(200)
    expect(rig.problems).toEqual([])
  })

  it(
    'shows an error at its field (a bio that is too long), and keeps what was saved',
    { tags: 'all/browser' },
    async () => {
      await ann.getByRole('button', { name: 'Close', exact: true }).click()
      await ann.getByRole('button', { name: /: your menu$/ }).click()
      await ann.getByRole('menu').getByText('Your profile').click()
      await ann.getByLabel('About you').fill('x'.repeat(191))
      await ann.getByRole('button', { name: 'Save' }).click()
      await ann.getByText(/190 characters/).waitFor()
      expect(await ann.getByLabel('About you').getAttribute('aria-invalid')).toBe('true')
      await ann.getByLabel('About you').fill('Builds bots')
      await ann.getByRole('button', { name: 'Save' }).click()
      await ann.getByRole('switch', { name: 'Accept direct messages' }).uncheck()
      await expect
        .poll(async () => {
          const { person } = (await rig.person('ann', 'GET', '/me')).body as unknown as {
            person: { bio: string; accepts_dms: boolean }
          }
          return [person.bio, person.accepts_dms]
        })
        .toEqual(['Builds bots', false])
      expect(await axeFindings(ann)).toEqual([])
      expect(rig.problems).toEqual([])
    },
  )
})
