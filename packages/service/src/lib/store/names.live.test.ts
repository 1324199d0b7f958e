import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRefused, type Spec, startSpec } from '../spec/rig.test.fixture.ts'
import { startService } from '../start/start-service.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

/** Displays as "moderator", but is a different text. */
const hostile = 'mod\u202Eerator'
const family = '👩‍👩‍👧'

let bots = 0
/** Every call that sets a name; `strict` names are those that others type. */
const calls: [what: string, field: string, call: (name: string) => ReturnType<Spec['call']>, strict?: 'strict'][] = [
  ['a person', 'username', (username) => chat.call('POST', '/people/v1/sessions', { body: { username } }), 'strict'],
  ['a bot', 'username', (username) => chat.person('paula', 'POST', '/bots', { username }), 'strict'],
  [
    'a new bot',
    'display_name',
    (name) => chat.person('paula', 'POST', '/bots', { username: `bot${(bots += 1)}`, display_name: name }),
  ],
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

  it.each(calls)('%s follows the content rules: %s', async (_, field, call) => {
    // The third violation within an hour is a ban.
    await chat.clock.advance(60 * 60_000)
    expectRefused(await call('slur-for-tests'), 400, `${field}: contains a blocked word`)
  })

  it.each(calls)(
    '%s has at most as many characters as its limit, in composed letters: %s',
    async (what, field, call, strict) => {
      const most = field !== 'name' ? 32 : what === 'a channel webhook' ? 80 : 100
      const tooLong = `${field}: must be ${strict ? '1 to 32 characters' : `at most ${most} characters`}`
      expectRefused(await call('\u{1F642}'.repeat(most + 1)), 400, tooLong)
      // One character as it is typed, and two in its composed form.
      expectRefused(await call('\u0958'.repeat(most)), 400, tooLong)
      for (const name of ['\u{1F642}', 'e\u0301']) {
        const { status, body } = await call(name.repeat(most))
        // A person has the same name.
        if (strict && status === 400) expect(body).toEqual({ error: 'username: is already taken' })
        else expect(status).toBe(200)
      }
    },
  )

  it.each(calls)('%s does not consist of spaces: %s', async (_, field, call) => {
    for (const blank of [' ', '\u3000\u2003']) expectRefused(await call(blank), 400, `${field}: must `)
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
