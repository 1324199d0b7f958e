/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits, type Permission } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyTime, expectOk, expectRefused, type Spec, startSpec, unknown, worldWithout } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const member = async (name: string) =>
  (await chat.bot('GET', `${chat.server}/members/${chat.userId(name)}`)).body.member as {
    nickname: string | null
    roles: string[]
    timeout_until: string | null
  }
const isMember = async (name: string) =>
  (await chat.bot('GET', `${chat.server}/members/${chat.userId(name)}`)).status === 200
const at = (name: string, rest = '') => `${chat.server}/members/${chat.userId(name)}${rest}`
const roleAt = (name: string, role: string) => at(name, `/roles/${chat.role(role)}`)
const act = (call: string, body: object) => chat.helper('POST', `${chat.server}/${call}`, body)

/** Every call that acts on a member, made by a bot on the named person. */
type Action = (each: Spec, name: string) => Promise<Awaited<ReturnType<Spec['bot']>>>
const actions: [string, Permission, Action][] = [
  [
    'setNickname',
    'manage_nicknames',
    (c, name) => c.helper('PATCH', `${c.server}/members/${c.userId(name)}`, { nickname: 'x' }),
  ],
  [
    'addRole',
    'manage_roles',
    (c, name) => c.helper('PUT', `${c.server}/members/${c.userId(name)}/roles/${c.role('crew')}`),
  ],
  [
    'removeRole',
    'manage_roles',
    (c, name) => c.helper('DELETE', `${c.server}/members/${c.userId(name)}/roles/${c.role('crew')}`),
  ],
  ['kick', 'kick_members', (c, name) => c.helper('POST', `${c.server}/kick`, { user_id: c.userId(name) })],
  ['ban', 'ban_members', (c, name) => c.helper('POST', `${c.server}/bans`, { user_id: c.userId(name) })],
  [
    'timeout',
    'timeout_members',
    (c, name) => c.helper('POST', `${c.server}/timeouts`, { user_id: c.userId(name), minutes: 5 }),
  ],
]

describe('permissions', () => {
  it.each(actions)(
    '%s requires %s; a role with all other permissions is not enough [spec: 7/403]',
    async (_, permission, act) => {
      await using other = await startSpec({ world: worldWithout(permission) })
      expectRefused(await act(other, 'bob'), 403, permission)
      expect((await other.bot('GET', `${other.server}/members/${other.userId('bob')}`)).body.member).toMatchObject({
        nickname: null,
        roles: [other.role('mods')],
        timeout_until: null,
      })
    },
  )

  it.each(actions)(
    '%s is refused for the owner and for members with an equal or higher role [spec: decisions/28, decisions/36]',
    async (_, _permission, act) => {
      expectRefused(await act(chat, 'dora'), 403, 'role above')
      expectRefused(await act(chat, 'ann'), 403, 'owner')
      await chat.person('ann', 'PUT', roleAt('bob', 'bots'))
      expectRefused(await act(chat, 'bob'), 403, 'role above')
      expect((await act(chat, 'carol')).status).toBe(200)
      for (const name of ['dora', 'ann', 'bob'])
        expect(await member(name)).toMatchObject({ nickname: null, timeout_until: null })
    },
  )

  it.each(actions.filter(([name]) => name !== 'ban'))('%s returns 404 for non-members', async (_, _permission, act) => {
    expectRefused(await act(chat, 'eve'), 404, 'member not found')
  })

  it('listing and lifting bans requires ban_members [spec: decisions/38]', async () => {
    await using other = await startSpec({ world: worldWithout('ban_members') })
    expectRefused(await other.helper('GET', `${other.server}/bans`), 403, 'ban_members')
    expectRefused(await other.helper('DELETE', `${other.server}/bans/${unknown}`), 403, 'ban_members')
  })
})

describe('nicknames', () => {
  it('are set, and cleared by null or an empty text, for one member in one server [spec: 4/moderation.setNickname, decisions/15]', async () => {
    for (const [nickname, shown] of [
      ['Bobby', 'Bobby'],
      [null, null],
      ['B', 'B'],
      ['', null],
    ] as const) {
      expectOk(await chat.helper('PATCH', at('bob'), { nickname }))
      expect((await member('bob')).nickname).toBe(shown)
    }
    await chat.helper('PATCH', at('bob'), { nickname: 'Bobby' })
    expect((await member('carol')).nickname).toBeNull()
    const elsewhere = await chat.bot('GET', `${chat.annexServer}/members/${chat.userId('bob')}`)
    expect(elsewhere.body.member.nickname).toBeNull()
  })

  it('must be a string or null [spec: 4/moderation.setNickname]', async () => {
    expectRefused(await chat.helper('PATCH', at('bob'), {}), 400, 'nickname')
    expectRefused(await chat.helper('PATCH', at('bob'), { nickname: 5 }), 400, 'nickname')
  })
})

describe('roles', () => {
  it('are added and removed idempotently [spec: 4/moderation.addRole, 4/moderation.removeRole, decisions/15]', async () => {
    for (let i = 0; i < 2; i++) expectOk(await chat.helper('PUT', roleAt('bob', 'crew')))
    expect((await member('bob')).roles).toEqual([chat.role('crew'), chat.role('mods')])
    for (let i = 0; i < 2; i++) expectOk(await chat.helper('DELETE', roleAt('bob', 'crew')))
    expect((await member('bob')).roles).toEqual([chat.role('mods')])
    expect((await member('carol')).roles).toEqual([chat.role('crew')])
  })

  it("must be below the bot's highest role, whatever the permissions [spec: decisions/36]", async () => {
    for (const role of ['bots', 'chief']) {
      expectRefused(await chat.helper('PUT', roleAt('bob', role)), 403, 'roles below your own highest')
    }
    const own = `${chat.server}/members/${chat.helperId}/roles/${chat.role('bots')}`
    expectRefused(await chat.helper('DELETE', own), 403, 'roles below your own highest')
    expect((await member('bob')).roles).toEqual([chat.role('mods')])
  })

  it('must belong to this server [spec: 4/moderation.addRole, 4/moderation.removeRole]', async () => {
    for (const id of [unknown, chat.annex.roles['guests']!]) {
      expectRefused(await chat.helper('PUT', at('bob', `/roles/${id}`)), 404, 'role not found')
      expectRefused(await chat.helper('DELETE', at('bob', `/roles/${id}`)), 404, 'role not found')
    }
    expectRefused(await chat.helper('PUT', at('bob', '/roles/mods')), 400, 'role_id: must be a UUID')
  })

  it('take effect immediately [spec: 4/moderation.addRole]', async () => {
    const { id } = await chat.says('ann', 'pin me')
    const pin = () => chat.person('carol', 'PUT', `${chat.messages()}/${id}/pin`)
    expectRefused(await pin(), 403, 'manage_messages')
    await chat.helper('PUT', roleAt('carol', 'mods'))
    expectOk(await pin())
  })
})

describe('kicks and bans', () => {
  it('a kick removes the member from this server, who can rejoin [spec: 4/moderation.kick, decisions/15]', async () => {
    expectOk(await act('kick', { user_id: chat.userId('bob') }))
    expect(await isMember('bob')).toBe(false)
    expect((await chat.bot('GET', `${chat.annexServer}/members/${chat.userId('bob')}`)).status).toBe(200)
    expectRefused(await chat.person('bob', 'GET', chat.messages()), 403, 'not in that server')
    expectOk(await chat.person('bob', 'PUT', `${chat.server}/members/me`))
    expect((await member('bob')).roles).toEqual([])
    for (const body of [{}, { user_id: 'bob' }, { user_id: null }])
      expectRefused(await act('kick', body), 400, 'user_id')
  })

  it('a ban prevents rejoining, is listed with its reason, and can be lifted [spec: 4/moderation.ban, 4/moderation.bans, 4/moderation.unban, decisions/12, decisions/15]', async () => {
    expectOk(await chat.helper('GET', `${chat.server}/bans`), { bans: [] })
    expectOk(await act('bans', { user_id: chat.userId('bob'), reason: 'too loud' }))
    await chat.clock.advance(1000)
    expectOk(await act('bans', { user_id: chat.userId('eve') }))
    expect(await isMember('bob')).toBe(false)
    expectOk(await chat.helper('GET', `${chat.server}/bans`), {
      bans: [
        { user_id: chat.userId('bob'), username: 'bob', reason: 'too loud', created_at: anyTime },
        { user_id: chat.userId('eve'), username: 'eve', reason: null, created_at: anyTime },
      ],
    })
    for (const name of ['bob', 'eve']) {
      expectRefused(await chat.person(name, 'PUT', `${chat.server}/members/me`), 403, 'banned')
    }
    expectOk(await chat.person('eve', 'PUT', `${chat.annexServer}/members/me`))
    expectOk(await chat.helper('DELETE', `${chat.server}/bans/${chat.userId('bob')}`))
    expectOk(await chat.person('bob', 'PUT', `${chat.server}/members/me`))
    expect((await chat.helper('GET', `${chat.server}/bans`)).body.bans).toHaveLength(1)
    expectRefused(await chat.helper('DELETE', `${chat.server}/bans/${chat.userId('bob')}`), 404, 'ban not found')
  })

  it('the reasons of bans and timeouts follow the content rules [spec: decisions/31]', async () => {
    for (const [call, more] of [
      ['bans', {}],
      ['timeouts', { minutes: 5 }],
    ] as const)
      expectRefused(
        await act(call, { user_id: chat.userId('bob'), reason: 'a slur-for-tests', ...more }),
        400,
        'reason: contains a blocked word',
      )
    expectOk(await chat.helper('GET', `${chat.server}/bans`), { bans: [] })
  })

  it('a ban requires an existing user [spec: 4/moderation.ban]', async () => {
    expectRefused(await act('bans', { user_id: unknown }), 404, 'user not found')
    expectRefused(await act('bans', { reason: 'x' }), 400, 'user_id')
    expectRefused(await act('bans', { user_id: chat.userId('bob'), reason: 5 }), 400, 'reason')
    expect(await isMember('bob')).toBe(true)
  })

  it('a kicked bot loses access immediately [spec: 7/403]', async () => {
    expectOk(await act('kick', { user_id: chat.botId }))
    expectRefused(await chat.bot('GET', chat.server), 403, 'not in that server')
    await chat.says('ann', 'unheard')
    expect(await chat.events()).toEqual([])
  })
})

describe('timeouts', () => {
  const timeout = (name: string, minutes: unknown) => act('timeouts', { user_id: chat.userId(name), minutes })
  const inMinutes = (minutes: number) => new Date(chat.clock.now() + minutes * 60_000).toISOString()
  const speak = () => chat.person('carol', 'POST', chat.messages(), { content: 'hello' })

  it.each([1, limits.timeout.minutes - 1, limits.timeout.minutes])(
    'accept %d minutes [spec: 8/timeout, 4/moderation.timeout, decisions/15]',
    async (minutes) => {
      expectOk(await timeout('carol', minutes), { ok: true, timeout_until: inMinutes(minutes) })
      expect((await member('carol')).timeout_until).toBe(inMinutes(minutes))
      expect((await member('bob')).timeout_until).toBeNull()
    },
  )

  it.each([limits.timeout.minutes + 1, -1, 0.5, '5', null, undefined])(
    'refuse %j minutes [spec: 8/timeout]',
    async (minutes) => {
      expectRefused(await timeout('carol', minutes), 400, 'minutes')
      expect((await member('carol')).timeout_until).toBeNull()
    },
  )

  it('prevent posting until they end or are cleared with 0 (§3) [spec: 4/moderation.timeout]', async () => {
    await timeout('carol', 2)
    expectRefused(await speak(), 403, 'timed out')
    await chat.clock.advance(2 * 60_000 - 1)
    expectRefused(await speak(), 403, 'timed out')
    await chat.clock.advance(1)
    expect((await speak()).status).toBe(200)
    await timeout('carol', 2)
    expectOk(await timeout('carol', 0), { ok: true, timeout_until: null })
    expect((await speak()).status).toBe(200)
  })

  it('last when the member leaves, is kicked or banned, and joins again [spec: 4/moderation.timeout, decisions/54]', async () => {
    const until = inMinutes(10)
    await timeout('carol', 10)
    const join = () => chat.person('carol', 'PUT', `${chat.server}/members/me`)
    const ways: (() => Promise<unknown>)[] = [
      () => chat.person('carol', 'DELETE', `${chat.server}/members/me`),
      () => act('kick', { user_id: chat.userId('carol') }),
      async () => {
        await act('bans', { user_id: chat.userId('carol') })
        await chat.helper('DELETE', `${chat.server}/bans/${chat.userId('carol')}`)
      },
    ]
    for (const leave of ways) {
      await leave()
      expect(await isMember('carol')).toBe(false)
      expect((await join()).status).toBe(200)
      expect((await member('carol')).timeout_until).toBe(until)
      expectRefused(await speak(), 403, 'timed out')
    }
    expectOk(await timeout('carol', 0), { ok: true, timeout_until: null })
    expect((await speak()).status).toBe(200)
    await timeout('carol', 10)
    await ways[0]!()
    await chat.clock.advance(10 * 60_000)
    await join()
    expect((await member('carol')).timeout_until).toBeNull()
    expect((await speak()).status).toBe(200)
  })

  it('apply to bots, too, but only in that server [spec: 4/moderation.timeout]', async () => {
    expect((await act('timeouts', { user_id: chat.botId, minutes: 5, reason: 'calm down' })).status).toBe(200)
    const { id } = await chat.says('ann', 'react to me')
    expectRefused(await chat.send({ content: 'hello' }), 403, 'timed out')
    expectRefused(await chat.bot('PUT', `${chat.messages()}/${id}/reactions/%F0%9F%91%8D`), 403, 'timed out')
    expect((await chat.bot('GET', chat.messages())).status).toBe(200)
    expect((await chat.bot('POST', `${chat.annexChannel}/messages`, { content: 'hello' })).status).toBe(200)
  })
})
