/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyId, anyTime, expectOk, expectRefused, type Spec, startSpec, unknown } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const dm = (name: string, call: Spec['bot'] = chat.bot) => call('POST', `/users/${chat.userId(name)}/dm`)

describe('profiles', () => {
  it('have exactly these fields, for people and bots, also without a common server [spec: 4/users.get, decisions/14]', async () => {
    const ann = {
      id: chat.userId('ann'),
      username: 'ann',
      display_name: null,
      bio: '',
      avatar_url: null,
      banner_url: null,
      bot: false,
      created_at: anyTime,
    }
    expectOk(await chat.bot('GET', `/users/${ann.id}`), ann)
    expectOk(await chat.stranger('GET', `/users/${ann.id}`), ann)
    await chat.person('ann', 'PATCH', '/me', { display_name: 'Ann', bio: 'owner' })
    expectOk(await chat.bot('GET', `/users/${ann.id}`), { ...ann, display_name: 'Ann', bio: 'owner' })
    expect((await chat.bot('GET', `/users/${chat.helperId}`)).body).toMatchObject({ username: 'helper', bot: true })
  })

  it('return 404 for an unknown user and 400 for an invalid id [spec: 4/users.get]', async () => {
    expectRefused(await chat.bot('GET', `/users/${unknown}`), 404, 'user not found')
    expectRefused(await chat.bot('GET', '/users/ann'), 400, 'user_id: must be a UUID')
  })
})

describe('direct messages', () => {
  it('are created once per pair and found again from both sides [spec: 4/users.dm]', async () => {
    const { status, body } = await dm('bob')
    expect([status, body]).toEqual([200, { channel_id: anyId }])
    expectOk(await dm('bob'), body)
    expectOk(await chat.person('bob', 'POST', `/users/${chat.botId}/dm`), body)
    expect((await dm('carol')).body).not.toEqual(body)
    expect((await dm('bob', chat.helper)).body).not.toEqual(body)
  })

  it('work in both directions and are visible only to the two users [spec: 4/users.dm, 6/message]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    const { channel_id } = (await dm('eve')).body as { channel_id: string }
    const path = `/channels/${channel_id}/messages`
    expect((await chat.bot('POST', path, { content: 'hello' })).body).toMatchObject({
      server_id: null,
      channel_name: null,
    })
    expect((await chat.person('eve', 'POST', path, { content: 'hi' })).status).toBe(200)
    expect((await chat.person('eve', 'GET', path)).body.messages).toMatchObject([
      { content: 'hello' },
      { content: 'hi' },
    ])
    expect((await chat.events()).map(({ data }) => [data.content, data.server_id])).toEqual([['hi', null]])
    expect(await helperHears()).toEqual([])
    expectRefused(await chat.helper('GET', path), 404, 'channel not found')
    expectRefused(await chat.person('ann', 'GET', path), 404, 'channel not found')
    expect((await chat.bot('GET', '/channels')).body.channels).not.toContainEqual(
      expect.objectContaining({ id: channel_id }),
    )
  })

  it("respect the person's setting [spec: 4/users.dm, 7/403]", async () => {
    await chat.person('carol', 'PATCH', '/me', { accepts_dms: false })
    expectRefused(await dm('carol'), 403, 'does not accept direct messages')
    expect((await dm('bob')).status).toBe(200)
    await chat.person('carol', 'PATCH', '/me', { accepts_dms: true })
    expect((await dm('carol')).status).toBe(200)
  })

  it('require another, existing user [spec: 4/users.dm]', async () => {
    expectRefused(await chat.bot('POST', `/users/${chat.botId}/dm`), 400, 'user_id')
    expectRefused(await chat.bot('POST', `/users/${unknown}/dm`), 404, 'user not found')
  })

  it('count towards the limit of 30 messages a minute [spec: 8/messages]', async () => {
    const { channel_id } = (await dm('bob')).body as { channel_id: string }
    const send = (i: number) => chat.bot('POST', `/channels/${channel_id}/messages`, { content: `${i}` })
    for (let i = 0; i < 15; i++) {
      expect((await send(i)).status).toBe(200)
      expect((await chat.send({ content: `${i}` })).status).toBe(200)
    }
    expect((await send(16)).status).toBe(429)
    expect((await chat.send({ content: '16' })).status).toBe(429)
  })
})
