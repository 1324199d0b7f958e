import { describe, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { defaultWorld } from './default-world.ts'
import { checkWorld, type World } from './world.ts'

const id = '00000000-0000-0000-0000-00000000000a'

/** A world that uses every field. */
const whole = (): World => ({
  people: [
    { username: 'ann', id, display_name: 'Ann', staff: true, token: 'token-of-ann' },
    { username: 'bob', tier: 'paid' },
  ],
  bots: [
    {
      username: 'pollster',
      owner: 'ann',
      token: 'token-of-pollster',
      approved: true,
      event_webhook: { url: 'http://127.0.0.1:9/', secret: 'shh' },
    },
  ],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob'],
      bots: ['pollster'],
      flags: { bot_voice: false, channel_webhooks: false },
      roles: [
        { name: 'mods', permissions: ['manage_messages'], members: ['bob', 'pollster'], position: 5 },
        { name: 'guests' },
      ],
      categories: [{ name: 'Talk' }],
      channels: [
        { name: 'general', category: 'Talk', slowmode: 5 },
        { name: 'staff', private: true, roles: ['mods'] },
        { name: 'news', read_only: true, post_roles: ['mods'] },
        { name: 'Lounge', type: 'voice' },
      ],
    },
  ],
  content_rules: { words: ['plum'], hosts: [] },
})

describe('a world', () => {
  it('is created as described, with its ids and tokens', async () => {
    await using chat = await startTest({ world: whole(), controls: true })
    expect(chat.service.world.people['ann']).toEqual({ id, token: 'token-of-ann' })
    const { body } = (await chat.person('ann', 'GET', chat.server)) as { body: Record<string, object[]> }
    expect(body['roles']).toMatchObject([
      { name: 'guests', position: 2 },
      { name: 'mods', position: 5 },
    ])
    for (const wanted of [
      { name: 'general', slowmode: 5, category: { name: 'Talk' } },
      { name: 'staff', private: true },
      { name: 'news', read_only: true },
      { name: 'Lounge', type: 'voice' },
    ]) {
      expect(body['channels']).toContainEqual(
        expect.objectContaining({
          ...wanted,
          ...(wanted.category && { category: expect.objectContaining(wanted.category) }),
        }),
      )
    }
    expect((await chat.bot('GET', `${chat.server}/voice`)).status).toBe(403)
    expect((await chat.bot('GET', chat.channel('staff'))).status).toBe(200)
  })

  it('has its members from the start: bots receive no events about them, also after a reset', async () => {
    const world = whole()
    world.bots!.push({ username: 'other', owner: 'bob' })
    world.servers![0]!.members!.unshift('pollster', 'other')
    await using chat = await startTest({ world, controls: true })
    const eventsAfter = async (id: number) =>
      (await chat.bot('GET', `/events?after=${id}`)).body as { events: object[] }
    expect((await eventsAfter(1)).events).toEqual([])
    const { body } = await chat.bot('GET', '/events?after=0')
    await chat.call('POST', '/controls/v1/reset', { body: {} })
    expect((await eventsAfter((body as { last: number }).last)).events).toEqual([])
    expect((await chat.bot('GET', `${chat.server}/members`)).body).toMatchObject({
      members: expect.arrayContaining([expect.objectContaining({ username: 'other' })]) as unknown,
    })
  })
  it.each<[string, (world: World) => void, RegExp]>([
    ['a key that it does not know', (world) => Object.assign(world, { colour: 'red' }), /colour/],
    [
      'a permission that there is not',
      (world) => Object.assign(world.servers![0]!.roles![0]!, { permissions: ['fly'] }),
      /servers\[0\]\.roles\[0\]\.permissions/,
    ],
    [
      'an owner who does not exist',
      (world) => (world.bots![0]!.owner = 'eve'),
      /bots\[0\]\.owner: there is no person named "eve"/,
    ],
    [
      'a member who does not exist',
      (world) => world.servers![0]!.members!.push('eve'),
      /servers\[0\]\.members\[1\]: .*"eve"/,
    ],
    [
      'a role member who is not in the server',
      (world) => world.servers![0]!.roles![0]!.members!.push('carol'),
      /roles\[0\]\.members\[2\]/,
    ],
    [
      'a category that does not exist',
      (world) => (world.servers![0]!.channels![0]!.category = 'Work'),
      /channels\[0\]\.category/,
    ],
    ['a duplicate name', (world) => world.people!.push({ username: 'Pollster' }), /"pollster" is used twice/],
    [
      'a duplicate role in another case',
      (world) => world.servers![0]!.roles!.push({ name: 'Mods' }),
      /servers\[0\]\.roles: "mods" is used twice/,
    ],
    ['a duplicate id', (world) => (world.servers![0]!.id = id.toUpperCase()), /the ids: ".*" is used twice/],
    [
      'a duplicate token',
      (world) => (world.bots![0]!.token = 'token-of-ann'),
      /"pollster" has the same token as another user/,
    ],
    [
      'a color that is not one',
      (world) => (world.servers![0]!.roles![0]!.color = 'red'),
      /roles\[0\]\.color: must be "#rrggbb"/,
    ],
    [
      'a token that no header can carry',
      (world) => (world.bots![0]!.token = 'token of pollster'),
      /bots\[0\]\.token: must not contain spaces/,
    ],
    [
      'a slowmode that is too long',
      (world) => (world.servers![0]!.channels![0]!.slowmode = 21_601),
      /channels\[0\]\.slowmode/,
    ],
    [
      'a name that is too long',
      (world) => (world.people![0]!.display_name = 'x'.repeat(33)),
      /people\[0\]\.display_name/,
    ],
    [
      'too many bots in a server',
      (world) => {
        world.bots = Array.from({ length: 26 }, (_, i) => ({ username: `b${i}`, owner: 'ann' }))
        world.servers![0]!.bots = world.bots.map(({ username }) => username)
        world.servers![0]!.roles = []
        world.servers![0]!.channels = []
      },
      /servers\[0\]\.bots: 26 bots are too many; .*at most 25/,
    ],
  ])('with %s is refused, with the name of the field [spec: 8/bots_per_server]', (_, spoil, words) => {
    const world = whole()
    spoil(world)
    expect(() => checkWorld(world)).toThrow(
      expect.objectContaining({ code: 'ERR_WORLD', message: expect.stringMatching(words) }) as Error,
    )
  })

  it('takes an empty display name for none, as the API does', async () => {
    await using chat = await startTest({
      world: { ...whole(), people: [{ username: 'ann', display_name: '' }, { username: 'bob' }] },
    })
    expect((await chat.person('ann', 'GET', '/me')).body).toMatchObject({ person: { display_name: null } })
  })

  it('does not include tokens in errors', () => {
    const world = whole()
    world.bots![0]!.token = 'token-of-ann'
    expect(() => checkWorld(world)).toThrow(/^(?!.*token-of-ann)/)
  })

  it('names people, roles and categories in any case, also with letters beyond ASCII', async () => {
    await using chat = await startTest({
      world: {
        people: [{ username: 'Änne' }],
        bots: [
          { username: 'pollster', owner: 'ÄNNE' },
          { username: 'Straße', owner: 'Änne' },
        ],
        servers: [
          {
            name: 'Workshop',
            owner: 'änne',
            bots: ['STRASSE'],
            roles: [{ name: 'Ärzte', members: ['straße'] }],
            categories: [{ name: 'Öl' }],
            channels: [{ name: 'general', category: 'öl', private: true, roles: ['ÄRZTE'] }],
          },
        ],
      },
    })
    const { id } = chat.service.world.people['Änne']!
    const signIn = (username: string) => chat.call('POST', '/people/v1/sessions', { body: { username } })
    for (const name of ['änne', 'ÄNNE', 'A\u0308nne'])
      expect((await signIn(name)).body).toMatchObject({ person: { id, username: 'Änne' } })
    expect((await signIn('STRASSE')).body).toEqual({ error: 'username: not allowed: this is a bot' })
    await signIn('Strauss')
    expect((await signIn('strauß')).body).toMatchObject({ person: { username: 'Strauss' } })
    expect(() => checkWorld({ people: [{ username: 'Änne' }, { username: 'ÄNNE' }] })).toThrow('"änne" is used twice')
  })

  it.each(['ann', 'bob', 'Carol'])('is valid by default for a bot named %s', (name) => {
    const [bot] = checkWorld(defaultWorld(name)).bots
    expect(bot?.username).toBe(`${name}_bot`)
  })
})
