import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'

/** The bot has the role `movers`, above carol and below bob; `zed` is staff; the bot cannot see `Board`. */
const voiceWorld = (flags: { bot_voice?: boolean } = {}) => {
  const world = testWorld()
  const workshop = world.servers![0]!
  world.people!.push({ username: 'zed', staff: true })
  workshop.members!.push('zed')
  workshop.flags = flags
  workshop.roles = [
    { name: 'plain', members: ['carol'] },
    { name: 'movers', permissions: ['move_members'], members: ['pollster'] },
    { name: 'mods', permissions: ['move_members', 'manage_channels', 'manage_roles'], members: ['bob'] },
  ]
  workshop.channels = [
    { name: 'general' },
    { name: 'Lounge', type: 'voice' },
    { name: 'Studio', type: 'voice' },
    { name: 'Board', type: 'voice', private: true, roles: ['plain'] },
    { name: 'Booth', type: 'voice', private: true, roles: ['movers'] },
  ]
  return world
}

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => void (chat = await startTest({ world: voiceWorld() })))
afterEach(() => chat.close())

const id = (name: string) => chat.workshop.channels[name]!
const voice = (name: string, method: 'PUT' | 'DELETE', channel = 'Lounge') =>
  chat.person(name, method, `${chat.channel(channel)}/voice`)
const move = (name: string, channel: string) =>
  chat.bot('POST', `${chat.server}/voice/move`, { user_id: chat.userId(name), channel_id: id(channel) })
const disconnect = (name: string) => chat.bot('POST', `${chat.server}/voice/disconnect`, { user_id: chat.userId(name) })
const seats = async () => {
  const { voice: states } = (await chat.bot('GET', `${chat.server}/voice`)).body as {
    voice: { channel_id: string; user_ids: string[] }[]
  }
  return Object.fromEntries(states.map((each) => [each.channel_id, each.user_ids]))
}
const botEvents = async () =>
  (await chat.events())
    .filter(({ type }) => type.startsWith('voice'))
    .map((each): unknown[] => {
      const data = each.data as Record<string, string>
      return [each.type, data['user_id'], data['channel_id'], data['server_id']]
    })
const refusal = ({ status, body }: { status: number; body: unknown }) => [status, (body as { error: string }).error]

describe('sitting in voice', () => {
  it('lists the people in the channels that the bot can see [spec: 4/voice.list]', async () => {
    expect(await seats()).toEqual({ [id('Lounge')]: [], [id('Studio')]: [], [id('Booth')]: [] })
    await voice('carol', 'PUT', 'Board')
    await voice('bob', 'PUT')
    expect(await seats()).toEqual({ [id('Lounge')]: [chat.userId('bob')], [id('Studio')]: [], [id('Booth')]: [] })
    const { body } = await chat.person('carol', 'GET', chat.server)
    expect((body as { voice: unknown[] }).voice).toEqual([
      { channel_id: id('Lounge'), user_ids: [chat.userId('bob')] },
      { channel_id: id('Studio'), user_ids: [] },
      { channel_id: id('Board'), user_ids: [chat.userId('carol')] },
    ])
  })

  it('sends each event once, and a move as a leave and a join [spec: 6/voice_join, 6/voice_leave]', async () => {
    const bob = chat.userId('bob')
    await voice('bob', 'PUT')
    await voice('bob', 'PUT')
    await voice('bob', 'PUT', 'Studio')
    await voice('bob', 'DELETE')
    expect(await seats()).toMatchObject({ [id('Studio')]: [bob] })
    await voice('bob', 'DELETE', 'Studio')
    await voice('bob', 'DELETE', 'Studio')
    expect(await botEvents()).toEqual([
      ['voice_join', bob, id('Lounge'), chat.workshop.id],
      ['voice_leave', bob, id('Lounge'), chat.workshop.id],
      ['voice_join', bob, id('Studio'), chat.workshop.id],
      ['voice_leave', bob, id('Studio'), chat.workshop.id],
    ])
  })

  it('sends no events of channels that the bot cannot see [spec: 6/voice_join]', async () => {
    await voice('carol', 'PUT', 'Board')
    await voice('carol', 'DELETE', 'Board')
    expect(await botEvents()).toEqual([])
  })

  it('requires a visible voice channel and no timeout', async () => {
    expect(refusal(await voice('bob', 'PUT', 'general'))).toEqual([400, 'channel_id: is not a voice channel'])
    expect((await voice('bob', 'PUT', 'Board')).status).toBe(404)
    await chat.person('ann', 'POST', `${chat.server}/timeouts`, { user_id: chat.userId('bob'), minutes: 1 })
    expect(refusal(await voice('bob', 'PUT'))).toEqual([403, expect.stringContaining('timed out')])
  })

  it.each([
    ['leaving the server', () => chat.person('carol', 'DELETE', `${chat.server}/members/me`)],
    ['a kick', () => chat.person('ann', 'POST', `${chat.server}/kick`, { user_id: chat.userId('carol') })],
    ['a ban', () => chat.person('ann', 'POST', `${chat.server}/bans`, { user_id: chat.userId('carol') })],
    ['deleting the channel', () => chat.person('ann', 'DELETE', chat.channel('Lounge'))],
    [
      'a channel that becomes private',
      () =>
        chat.person('ann', 'PATCH', chat.channel('Lounge'), {
          private: true,
          role_ids: [chat.workshop.roles['movers']],
        }),
    ],
  ])('ends with %s [spec: 6/voice_leave]', async (_, end) => {
    await voice('carol', 'PUT')
    expect((await end()).status).toBe(200)
    expect((await botEvents()).map((each) => each[0])).toEqual(['voice_join', 'voice_leave'])
    expect(Object.values(await seats()).flat()).toEqual([])
  })

  it('ends when the role with access is deleted', async () => {
    await voice('carol', 'PUT', 'Board')
    const role = `${chat.server}/roles/${chat.workshop.roles['plain']!}`
    expect((await chat.person('ann', 'DELETE', role)).status).toBe(200)
    const { body } = await chat.person('ann', 'GET', chat.server)
    expect((body as { voice: { user_ids: string[] }[] }).voice.flatMap((each) => each.user_ids)).toEqual([])
  })

  it('ends when the role with access is removed from the person', async () => {
    await voice('carol', 'PUT', 'Board')
    const role = `${chat.server}/members/${chat.userId('carol')}/roles/${chat.workshop.roles['plain']!}`
    expect((await chat.person('ann', 'DELETE', role)).status).toBe(200)
    const { body } = await chat.person('ann', 'GET', chat.server)
    expect((body as { voice: { user_ids: string[] }[] }).voice.flatMap((each) => each.user_ids)).toEqual([])
  })
})

describe('the bot', () => {
  it('moves and disconnects people below its role [spec: 4/voice.move, 4/voice.disconnect]', async () => {
    await voice('carol', 'PUT')
    expect((await move('carol', 'Studio')).body).toEqual({ ok: true })
    expect(await seats()).toMatchObject({ [id('Studio')]: [chat.userId('carol')] })
    expect((await move('carol', 'Studio')).body).toEqual({ ok: true })
    expect((await disconnect('carol')).body).toEqual({ ok: true })
    expect((await botEvents()).map((each) => each[0])).toEqual([
      'voice_join',
      'voice_leave',
      'voice_join',
      'voice_leave',
    ])
  })

  it('cannot act on people with an equal or higher role, owners or staff [spec: 7/403]', async () => {
    for (const name of ['ann', 'bob', 'zed']) await voice(name, 'PUT')
    for (const [name, why] of [
      ['ann', 'owner'],
      ['bob', 'a role above'],
      ['zed', 'staff'],
    ] as const) {
      expect(refusal(await move(name, 'Studio'))).toEqual([403, expect.stringContaining(why)])
      expect(refusal(await disconnect(name))).toEqual([403, expect.stringContaining(why)])
    }
    expect(await seats()).toMatchObject({ [id('Lounge')]: expect.any(Array), [id('Studio')]: [] })
  })

  it('requires the permission, visibility of both channels, and access for the person [spec: 7/404]', async () => {
    expect(refusal(await move('carol', 'Studio'))).toEqual([404, expect.stringContaining('user_id')])
    expect(refusal(await disconnect('carol'))).toEqual([404, expect.stringContaining('user_id')])
    await voice('carol', 'PUT', 'Board')
    expect(refusal(await move('carol', 'Studio'))).toEqual([404, expect.stringContaining('user_id')])
    expect(refusal(await disconnect('carol'))).toEqual([404, expect.stringContaining('user_id')])
    await voice('carol', 'PUT')
    expect(refusal(await move('carol', 'Board'))).toEqual([404, expect.stringContaining('channel_id')])
    expect(refusal(await move('carol', 'Booth'))).toEqual([403, expect.stringContaining('has no access')])
    expect(refusal(await move('carol', 'general'))).toEqual([400, 'channel_id: must be a voice channel'])
    const body = { user_id: chat.userId('ann') }
    expect(refusal(await chat.bot('POST', `${chat.server}/voice/move`, body))).toEqual([
      400,
      expect.stringContaining('channel_id'),
    ])
    const unknown = '00000000-0000-0000-0000-000000000001'
    const missing = await chat.bot('POST', `${chat.server}/voice/disconnect`, { user_id: unknown })
    expect(refusal(missing)).toEqual([404, 'member not found'])
    await chat.person('ann', 'DELETE', `${chat.server}/members/${chat.botId}/roles/${chat.workshop.roles['movers']!}`)
    expect(refusal(await disconnect('carol'))).toEqual([403, expect.stringContaining('move_members')])
  })

  it('is limited to 30 moves and disconnects a minute in total [spec: 8/voice_moves, 7/429]', async () => {
    for (let made = 0; made < limits.voice_moves.requests; made += 2) {
      await voice('carol', 'PUT')
      expect((await move('carol', 'Studio')).status).toBe(200)
      expect((await disconnect('carol')).status).toBe(200)
    }
    await voice('carol', 'PUT')
    for (const refused of [await disconnect('carol'), await move('carol', 'Studio')]) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    }
    await chat.clock.advance(limits.voice_moves.seconds * 1000)
    expect((await disconnect('carol')).status).toBe(200)
  })

  it('is limited to 60 lookups a minute, also in a burst [spec: 8/voice_lookups, 7/429]', async () => {
    const look = () => chat.bot('GET', `${chat.server}/voice`)
    const looks = await Promise.all(Array.from({ length: limits.voice_lookups.requests + 5 }, look))
    expect(looks.filter(({ status }) => status === 200)).toHaveLength(limits.voice_lookups.requests)
    expect(looks.filter(({ status }) => status === 429)).toHaveLength(5)
    await chat.clock.advance(limits.voice_lookups.seconds * 1000)
    expect((await look()).status).toBe(200)
  })
})

it('a server without the flag hides voice from bots, not from people', async () => {
  await chat.close()
  chat = await startTest({ world: voiceWorld({ bot_voice: false }) })
  expect(refusal(await chat.bot('GET', `${chat.server}/voice`))).toEqual([403, expect.stringContaining('bot_voice')])
  expect((await voice('carol', 'PUT')).status).toBe(200)
  for (const refused of [await move('carol', 'Studio'), await disconnect('carol')]) {
    expect(refusal(refused)).toEqual([403, expect.stringContaining('bot_voice')])
  }
  expect(await botEvents()).toEqual([])
})
