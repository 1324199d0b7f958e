import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
let bob: Awaited<ReturnType<typeof openPage>>
let carol: Awaited<ReturnType<typeof openPage>>
beforeEach(async () => {
  const world = testWorld()
  world.servers![0]!.channels!.find(({ name }) => name === 'staff')!.roles = ['mods']
  chat = await startTest({ world })
  bob = await openPage(chat, 'bob')
  carol = await openPage(chat, 'carol')
  await Promise.all([bob.news(), carol.news()])
})
afterEach(async () => {
  bob.close()
  carol.close()
  await chat.close()
})

const ann = (method: string, path: string, body?: unknown) => chat.person('ann', method, path, body)
const types = (news: { type: string }[]) => news.map(({ type }) => type)
const place = (channel: string) => ({ channel_id: chat.workshop.channels[channel]!, server_id: chat.workshop.id })

describe('only the pages of people who can see a private channel receive', () => {
  it('its messages, reactions, pins and changes', async () => {
    const path = chat.channel('staff')
    const { id } = (await ann('POST', `${path}/messages`, { content: 'secret' })).body as { id: string }
    await ann('PUT', `${path}/messages/${id}/reactions/${encodeURIComponent('👍')}`)
    await ann('PUT', `${path}/messages/${id}/pin`)
    await ann('PATCH', `${path}/messages/${id}`, { content: 'still secret' })
    await ann('DELETE', `${path}/messages/${id}`)
    await ann('PATCH', path, { name: 'office' })
    const heard = await bob.news()
    expect(types(heard)).toEqual([
      'message_create',
      'reaction_add',
      'message_update',
      'message_update',
      'message_delete',
      'channel_update',
    ])
    expect(heard[2]!.data).toMatchObject({ message: { pinned: true, edited_at: null } })
    expect(await carol.news()).toEqual([])
  })

  it('a deletion when a channel becomes private, and a creation when it opens', async () => {
    const { mods } = chat.workshop.roles
    await ann('PATCH', chat.channel('random'), { private: true, role_ids: [mods] })
    expect(types(await bob.news())).toEqual(['channel_update'])
    const gone = await carol.news()
    expect(gone.map(({ type, data }) => [type, data])).toEqual([['channel_delete', place('random')]])
    await ann('POST', `${chat.channel('random')}/messages`, { content: 'secret' })
    await ann('PATCH', chat.channel('random'), { private: false })
    expect(types(await bob.news())).toEqual(['message_create', 'channel_update'])
    const back = await carol.news()
    expect(back.map(({ type }) => type)).toEqual(['channel_create'])
    expect(back[0]!.data).toMatchObject({ ...place('random'), channel: { name: 'random', private: false } })
  })

  it('the channels that appear or disappear with a role', async () => {
    const role = `${chat.server}/members/${chat.userId('carol')}/roles/${chat.workshop.roles['mods']!}`
    await ann('PUT', role)
    const given = await carol.news()
    expect(types(given)).toEqual(['channel_create', 'member_update'])
    expect(given[0]!.data).toMatchObject({ ...place('staff'), channel: { name: 'staff' } })
    expect(given[1]!.data).toMatchObject({
      member: { user_id: chat.userId('carol'), roles: [chat.workshop.roles['mods']] },
    })
    expect(types(await bob.news())).toEqual(['member_update'])
    await ann('DELETE', role)
    expect(types(await carol.news())).toEqual(['channel_delete', 'member_update'])
  })
})

describe('every page of a server receives', () => {
  it('changes of channels, categories and roles', async () => {
    const made = (await ann('POST', `${chat.server}/categories`, { name: 'Talk' })).body as { category: { id: string } }
    const category = `${chat.server}/categories/${made.category.id}`
    await chat.person('ann', 'POST', `${chat.server}/channels`, { name: 'new', category_id: made.category.id })
    await chat.person('ann', 'POST', `${chat.server}/roles`, { name: 'helpers' })
    await ann('PATCH', category, { name: 'Chat' })
    await ann('DELETE', category)
    await ann('DELETE', chat.channel('random'))
    const heard = (await carol.news()).filter(({ type }) => type !== 'server_update')
    expect(types(heard)).toEqual([
      'category_create',
      'channel_create',
      'role_create',
      'category_update',
      'category_delete',
      'channel_delete',
    ])
    expect(heard[0]!.data).toMatchObject({ server_id: chat.workshop.id, category: { name: 'Talk' } })
    expect(heard[1]!.data).toMatchObject({ channel: { name: 'new', category: { name: 'Talk' } } })
    expect(heard[2]!.data).toMatchObject({ role: { name: 'helpers', permissions: [] } })
  })

  it('nicknames, timeouts, joins and kicks', async () => {
    const user_id = chat.userId('bob')
    await ann('PATCH', `${chat.server}/members/${user_id}`, { nickname: 'Bobby' })
    await ann('POST', `${chat.server}/timeouts`, { user_id, minutes: 5 })
    await ann('POST', `${chat.server}/kick`, { user_id })
    const heard = await carol.news()
    expect(types(heard)).toEqual(['member_update', 'member_update', 'member_leave'])
    expect(heard[1]!.data).toMatchObject({ member: { nickname: 'Bobby', timeout_until: expect.any(String) as string } })
    expect((await bob.until('member_leave')).data).toMatchObject({ user_id })
    await chat.person('bob', 'PUT', `${chat.server}/members/me`)
    expect(types(await carol.news())).toEqual(['member_join'])
  })

  it('names and pictures of people and bots, and the commands of bots', async () => {
    await ann('PATCH', '/me', { display_name: 'Ann A.' })
    await chat.bot('PATCH', '/me', { bio: 'counts' })
    await chat.bot('PUT', '/commands', { commands: [{ name: 'poll', description: 'asks' }] })
    const heard = await carol.news()
    expect(types(heard)).toEqual(['user_update', 'user_update', 'bot_update'])
    expect(heard[0]!.data).toMatchObject({ user: { id: chat.userId('ann'), display_name: 'Ann A.' } })
    expect(heard[2]!.data).toMatchObject({ bot: { id: chat.botId, commands: [{ name: 'poll' }] } })
  })

  it('the people in voice, until 10 seconds after their last page has closed', async () => {
    await chat.person('bob', 'PUT', `${chat.channel('Lounge')}/voice`)
    expect((await carol.until('voice')).data).toEqual({ ...place('Lounge'), user_ids: [chat.userId('bob')] })
    bob.close()
    // The 10 seconds start when the service notices the closed connection, which depends on the network.
    await expect
      .poll(async () => {
        await chat.clock.advance(10_000)
        const { voice } = (await ann('GET', chat.server)).body as { voice: { user_ids: string[] }[] }
        return voice.flatMap(({ user_ids }) => user_ids)
      })
      .toEqual([])
    expect((await carol.until('voice')).data).toEqual({ ...place('Lounge'), user_ids: [] })
  })
})

it('only the two users receive their direct messages', async () => {
  const opened = await chat.bot('POST', `/users/${chat.userId('bob')}/dm`)
  const { channel_id } = opened.body as { channel_id: string }
  await chat.bot('POST', `/channels/${channel_id}/messages`, { content: 'psst' })
  const heard = await bob.news()
  expect(types(heard)).toEqual(['dm_create', 'message_create'])
  expect(heard[0]!.data).toMatchObject({ channel_id, server_id: null, user: { id: chat.botId, bot: true } })
  expect(await carol.news()).toEqual([])
})

it('a page of a person without a common server receives nothing', async () => {
  const { token } = (await chat.call('POST', '/people/v1/sessions', { body: { username: 'dan' } })).body as {
    token: string
  }
  chat.service.world.people['dan'] = { id: '', token }
  const dan = await openPage(chat, 'dan')
  await ann('POST', `${chat.channel('general')}/messages`, { content: 'x' })
  await ann('PATCH', '/me', { display_name: 'Ann A.' })
  await ann('POST', `${chat.server}/roles`, { name: 'helpers' })
  await carol.news()
  await chat.call('PUT', `/people/v1${chat.server}/members/me`, { auth: `Person ${token}` })
  expect(types(await dan.news())).toEqual(['member_join'])
  dan.close()
})
