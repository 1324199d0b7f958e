import { describe, expect, it } from 'vitest'
import { type Answer, startTest, testWorld } from '../test-tools/driver.test.fixture.ts'

const errorOf = ({ body }: Answer): string => (body as { error: string }).error

async function start() {
  const world = testWorld()
  world.servers![0]!.roles = [
    { name: 'helpers', permissions: [] },
    { name: 'keepers', permissions: ['manage_roles', 'manage_channels'], members: ['bob'] },
    { name: 'chiefs', permissions: ['manage_server'] },
  ]
  world.servers![0]!.channels = [{ name: 'one' }, { name: 'two' }, { name: 'three', private: true, roles: ['keepers'] }]
  const chat = await startTest({ world })
  const as = (name: string, method: string, path: string, body?: unknown) =>
    chat.person(name, method, `${chat.server}${path}`, body)
  const names = async () =>
    ((await as('ann', 'GET', '')).body as { channels: { name: string }[] }).channels.map(({ name }) => name)
  return { chat, as, names, role: (name: string) => `/roles/${chat.workshop.roles[name]}` }
}

describe('the settings of a server', () => {
  it("allow changing and deleting only roles below the person's highest role, with only the person's own permissions", async () => {
    const { chat, as, role } = await start()
    await using _chat = chat
    const changed = await as('bob', 'PATCH', role('helpers'), {
      name: 'hands',
      color: '#123456',
      permissions: ['manage_channels'],
    })
    expect((changed.body as { role: object }).role).toMatchObject({
      name: 'hands',
      color: '#123456',
      position: 1,
      permissions: ['manage_channels'],
    })
    expect(errorOf(await as('bob', 'PATCH', role('helpers'), { permissions: ['ban_members'] }))).toContain(
      'permissions: not allowed: you do not have the permission ban_members',
    )
    expect(errorOf(await as('bob', 'PATCH', role('helpers'), { position: 2 }))).toContain('position: not allowed')
    for (const name of ['keepers', 'chiefs']) {
      expect((await as('bob', 'PATCH', role(name), { name: 'x' })).status).toBe(403)
      expect((await as('bob', 'DELETE', role(name))).status).toBe(403)
    }
    expect((await as('carol', 'DELETE', role('helpers'))).status).toBe(403)
    expect((await as('bob', 'DELETE', role('helpers'))).status).toBe(200)
    expect((await as('bob', 'DELETE', role('helpers'))).status).toBe(404)
    expect(errorOf(await as('ann', 'PATCH', role('chiefs'), { color: 'red' }))).toContain('color: must be "#rrggbb"')
  })

  it('create no role below position 1, whose holder could act on no member', async () => {
    const world = testWorld()
    world.servers![0]!.roles = [{ name: 'keepers', permissions: ['manage_roles', 'kick_members'], members: ['bob'] }]
    world.servers![0]!.channels = [{ name: 'one' }]
    await using chat = await startTest({ world })
    const answer = await chat.person('bob', 'POST', `${chat.server}/roles`, {
      name: 'helpers',
      permissions: ['kick_members'],
    })
    expect([answer.status, errorOf(answer)]).toEqual([
      403,
      'position: not allowed: only roles below your own highest role can be created',
    ])
  })

  it('order roles below the highest one of a person, whose positions make room for them', async () => {
    const world = testWorld()
    world.servers![0]!.roles = [
      { name: 'one', position: 1 },
      { name: 'two', position: 1 },
      { name: 'three', position: 1 },
      { name: 'keepers', permissions: ['manage_roles'], members: ['bob'], position: 2 },
      { name: 'peers', position: 2 },
      { name: 'chiefs', position: 9 },
    ]
    world.servers![0]!.channels = [{ name: 'one' }]
    await using chat = await startTest({ world })
    const { roles } = chat.workshop
    const order = (name: string, ...names: string[]) =>
      chat.person(name, 'PUT', `${chat.server}/role-order`, { role_ids: names.map((one) => roles[one]) })
    const { status, body } = await order('bob', 'two', 'three', 'one')
    const placed = (body as { roles: { name: string; position: number }[] }).roles
    expect([status, placed.map(({ name, position }) => `${name} ${position}`)]).toEqual([
      200,
      ['two 1', 'three 2', 'one 3', 'keepers 4', 'peers 4', 'chiefs 9'],
    ])
    expect(errorOf(await order('bob', 'two', 'three'))).toBe(
      'role_ids: must contain all roles below your own highest role',
    )
    expect(errorOf(await order('bob', 'two', 'keepers', 'one'))).toBe(
      'role_ids[1]: not allowed: only roles below your own highest role can be moved',
    )
    expect((await order('carol', 'two', 'three', 'one')).status).toBe(403)
  })

  it('order channels; those not listed keep their places', async () => {
    const { chat, as, names } = await start()
    await using _chat = chat
    const id = (name: string) => chat.workshop.channels[name]!
    expect((await as('bob', 'PUT', '/order', { channel_ids: [id('three'), id('one')] })).status).toBe(200)
    expect(await names()).toEqual(['three', 'two', 'one'])
    expect(errorOf(await as('bob', 'PUT', '/order', { channel_ids: [chat.botId] }))).toContain('channel_ids[0]')
    expect((await as('carol', 'PUT', '/order', { channel_ids: [] })).status).toBe(403)
    expect(await names()).toEqual(['three', 'two', 'one'])
  })

  it('show the roles with access to people who can see the channel, and require manage_server to rename', async () => {
    const { chat, as } = await start()
    await using _chat = chat
    const access = async (name: string) =>
      ((await as(name, 'GET', '/settings')).body as { access: { channel_id: string; role_ids: string[] }[] }).access
    expect(
      (await access('ann')).find(({ channel_id }) => channel_id === chat.workshop.channels['three'])?.role_ids,
    ).toEqual([chat.workshop.roles['keepers']])
    expect((await access('carol')).map(({ channel_id }) => channel_id)).not.toContain(chat.workshop.channels['three'])
    expect((await as('bob', 'PATCH', '', { name: 'Bobs' })).status).toBe(403)
    expect(errorOf(await as('ann', 'PATCH', '', { name: ' ' }))).toContain('name: must not be empty')
    expect((await as('ann', 'PATCH', '', { name: 'Shed' })).body).toMatchObject({ server: { name: 'Shed' } })
  })
})
