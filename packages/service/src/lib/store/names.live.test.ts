import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRefused, type Spec, startSpec } from '../spec/rig.test.fixture.ts'
import { startService } from '../start/start-service.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

/** Displays as "moderator", but is a different text. */
const hostile = 'mod\u202Eerator'
const family = '👩‍👩‍👧'

/** Every call that sets a name; `strict` names are those that others type. */
const calls: [what: string, field: string, call: (name: string) => ReturnType<Spec['call']>, strict?: 'strict'][] = [
  ['a person', 'username', (username) => chat.call('POST', '/people/v1/sessions', { body: { username } }), 'strict'],
  ['a bot', 'username', (username) => chat.person('paula', 'POST', '/bots', { username }), 'strict'],
  ['a new bot', 'display_name', (name) => chat.person('sam', 'POST', '/bots', { username: 'x', display_name: name })],
  ['an own bot', 'display_name', (name) => chat.person('ann', 'PATCH', ownBot(), { display_name: name })],
  ['oneself', 'display_name', (name) => chat.person('ann', 'PATCH', '/me', { display_name: name })],
  ['itself', 'display_name', (name) => chat.helper('PATCH', '/me', { display_name: name })],
  ['a member', 'nickname', (nickname) => chat.helper('PATCH', `${chat.server}/members/${id('carol')}`, { nickname })],
  ['a server', 'name', (name) => chat.person('ann', 'POST', '/servers', { name })],
  ['an old server', 'name', (name) => chat.person('ann', 'PATCH', chat.server, { name })],
  ['a role', 'name', (name) => chat.person('ann', 'POST', `${chat.server}/roles`, { name })],
  ['an old role', 'name', (name) => chat.person('ann', 'PATCH', `${chat.server}/roles/${chat.role('crew')}`, { name })],
  ['a channel', 'name', (name) => chat.helper('POST', `${chat.server}/channels`, { name })],
  ['an old channel', 'name', (name) => chat.helper('PATCH', chat.channel('work'), { name })],
  ['a category', 'name', (name) => chat.helper('POST', `${chat.server}/categories`, { name })],
  [
    'an old category',
    'name',
    (name) => chat.helper('PATCH', `${chat.server}/categories/${chat.category('Talk')}`, { name }),
  ],
  ['a channel webhook', 'name', (name) => chat.person('ann', 'POST', `${chat.channel('general')}/webhooks`, { name })],
]
const id = (name: string) => chat.userId(name)
const ownBot = () => `/bots/${chat.helperId}`

describe('the name of', () => {
  it.each(calls)('%s cannot contain hidden characters: %s', async (_, field, call, strict) => {
    expectRefused(
      await call(hostile),
      400,
      `${field}: must not contain U+202E: names cannot have control, bidirectional`,
    )
    const withJoiners = await call(family)
    if (strict) expectRefused(withJoiners, 400, `${field}: must not contain U+200D`)
    else expect(withJoiners.status).toBe(200)
  })

  it('the author of a channel webhook post cannot contain hidden characters', async () => {
    const { url } = (await chat.person('ann', 'POST', `${chat.channel('general')}/webhooks`, { name: 'news' })).body
    const post = (username: string) =>
      fetch(url as string, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'x', username }),
      })
    const refused = await post(hostile)
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { code: 50035, message: expect.stringContaining('username: must not contain U+202E') },
    ])
    expect((await post(family)).status).toBe(204)
  })

  it('items in a world cannot contain hidden characters', async () => {
    const server = { owner: 'ann', roles: [{ name: `r${hostile}` }], name: 'x' }
    for (const world of [
      { people: [{ username: hostile }] },
      { people: [{ username: 'ann', display_name: hostile }] },
      { people: [{ username: 'ann' }], servers: [server] },
    ]) {
      await expect(startService({ port: 0, world })).rejects.toThrow(/must not contain U\+202E/)
    }
  })
})
