/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits, permissions } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyTime, expectOk, expectRefused, type Spec, specWorld, startSpec, unknown } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const workshop = () => ({
  id: chat.workshop.id,
  name: 'Workshop',
  owner_id: chat.userId('ann'),
  icon_url: null,
  member_count: 5,
  created_at: anyTime,
})

describe('servers', () => {
  it('are those that the bot is in; member counts exclude bots [spec: 4/servers.list, decisions/9]', async () => {
    const annex = { ...workshop(), id: chat.annex.id, name: 'Annex', owner_id: chat.userId('dora'), member_count: 2 }
    expectOk(await chat.bot('GET', '/servers'), { servers: [workshop(), annex] })
    expectOk(await chat.helper('GET', '/servers'), { servers: [workshop()] })
    expectOk(await chat.stranger('GET', '/servers'), { servers: [] })
  })

  it('return one server wrapped; 403 if the bot is not in it, 404 if it does not exist [spec: 4/servers.get, decisions/9, 7/403, 7/404]', async () => {
    expectOk(await chat.bot('GET', chat.server), { server: workshop() })
    expectRefused(await chat.helper('GET', chat.annexServer), 403, 'not in that server')
    expectRefused(await chat.bot('GET', `/servers/${unknown}`), 404, 'server not found')
    expectRefused(await chat.bot('GET', '/servers/workshop'), 400, 'server_id: must be a UUID')
  })

  it('list roles with position and permissions in snake case, lowest first [spec: 4/servers.roles, decisions/10]', async () => {
    const role = (name: string, position: number, allowed: readonly string[] = [], color: string | null = null) => ({
      id: chat.role(name),
      name,
      color,
      position,
      permissions: allowed,
    })
    expectOk(await chat.bot('GET', `${chat.server}/roles`), {
      roles: [
        role('crew', 1),
        role('mods', 2, ['manage_messages']),
        role('bots', 5, permissions),
        role('chief', 9, [], '#ff0000'),
      ],
    })
    expectRefused(await chat.helper('GET', `${chat.annexServer}/roles`), 403, 'not in that server')
  })
})

describe('members', () => {
  it('have role ids; a single member also has its timeout [spec: 4/members.get, decisions/11]', async () => {
    const bob = {
      user_id: chat.userId('bob'),
      username: 'bob',
      display_name: null,
      nickname: null,
      roles: [chat.role('mods')],
      bot: false,
      joined_at: anyTime,
    }
    expectOk(await chat.bot('GET', `${chat.server}/members/${bob.user_id}`), {
      member: { ...bob, timeout_until: null },
    })
    const { members } = (await chat.bot('GET', `${chat.server}/members`)).body
    expect(members).toHaveLength(7)
    expect(members).toContainEqual(bob)
    const self = (await chat.bot('GET', `${chat.server}/members/${chat.botId}`)).body.member
    expect(self).toMatchObject({ username: 'pollster', bot: true, roles: [] })
  })

  it('return 404 for non-members, and 403 if the bot is not in the server [spec: 4/members.get]', async () => {
    expectRefused(await chat.bot('GET', `${chat.server}/members/${chat.userId('eve')}`), 404, 'member not found')
    expectRefused(await chat.bot('GET', `${chat.server}/members/${unknown}`), 404, 'member not found')
    expectRefused(await chat.stranger('GET', `${chat.server}/members`), 403, 'not in that server')
  })

  it('include the end of a timeout until it is over [spec: 4/members.get, decisions/11]', async () => {
    const carol = chat.userId('carol')
    const at = chat.clock.now()
    await chat.helper('POST', `${chat.server}/timeouts`, { user_id: carol, minutes: 1 })
    const until = async () =>
      (await chat.bot('GET', `${chat.server}/members/${carol}`)).body.member.timeout_until as unknown
    expect(await until()).toBe(new Date(at + 60_000).toISOString())
    await chat.clock.advance(59_999)
    expect(await until()).not.toBeNull()
    await chat.clock.advance(1)
    expect(await until()).toBeNull()
  })

  it.each(['0', '501', '-1', 'x', '', '1.5'])('refuse limit=%s [spec: 8/members_page, decisions/39]', async (limit) => {
    expectRefused(await chat.bot('GET', `${chat.server}/members?limit=${limit}`), 400, 'limit')
  })

  it('accept any UUID as `after`, and nothing else [spec: 4/members.list, decisions/39]', async () => {
    const ids = async (query: string) =>
      ((await chat.bot('GET', `${chat.server}/members?${query}`)).body.members as { user_id: string }[]).map(
        (each) => each.user_id,
      )
    const all = await ids('')
    expect(all).toEqual([...all].sort())
    expect(await ids('after=00000000-0000-0000-0000-000000000000')).toEqual(all)
    expect(await ids('after=ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([])
    expect(await ids(`after=${all[3]!.toUpperCase()}`)).toEqual(all.slice(4))
    for (const after of ['bob', '', '5']) {
      expectRefused(await chat.bot('GET', `${chat.server}/members?after=${after}`), 400, 'after: must be a UUID')
    }
  })
})

describe('a server of many members', () => {
  const { default: usual, max } = limits.members_page
  const names = Array.from({ length: max }, (_, i) => `person-${i}`)

  it('is listed in pages of 200 by default, 1 to 500 on request [spec: 4/members.list, 8/members_page]', async () => {
    const world = specWorld()
    world.people!.push(...names.map((username) => ({ username })))
    world.servers![0]!.members!.push(...names)
    await using big = await startSpec({ world })
    const page = async (query: string) =>
      ((await big.bot('GET', `${big.server}/members${query}`)).body.members as { user_id: string }[]).map(
        (each) => each.user_id,
      )
    for (const [query, count] of [
      ['', usual],
      ['?limit=1', 1],
      ['?limit=2', 2],
      [`?limit=${max - 1}`, max - 1],
      [`?limit=${max}`, max],
    ] as const) {
      expect(await page(query)).toHaveLength(count)
    }
    const first = await page(`?limit=${max}`)
    const second = await page(`?limit=${max}&after=${first.at(-1)!}`)
    const all = [...first, ...second]
    expect(all).toEqual([...new Set(all)].sort())
    expect(all).toHaveLength(max + 7)
  })
})
