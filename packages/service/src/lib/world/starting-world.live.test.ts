import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defaultWorld } from './default-world.ts'
import { type ServiceOptions, startService } from '../start/start-service.ts'
import { checkWorld, type World } from './world.ts'

/** A service in a world, and calls as one of its people; a new name is a new person. */
async function start(options: ServiceOptions) {
  const service = await startService({ port: 0, ...options })
  const call = async <T>(path: string, init: RequestInit = {}, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Person ${token}` }) }
    const answer = await fetch(`${service.url}/people/v1${path}`, { ...init, headers })
    return { status: answer.status, body: (await answer.json()) as T }
  }
  const as = async <T>(username: string, method: string, path: string, body?: object) => {
    const signIn = { method: 'POST', body: JSON.stringify({ username }) }
    const { token } = (await call<{ token: string }>('/sessions', signIn)).body
    return call<T>(path, { method, ...(body && { body: JSON.stringify(body) }) }, token)
  }
  const worldOf = async (botId: string, owner: string) =>
    (await as<{ world: World | null }>(owner, 'GET', `/bots/${botId}/world`)).body.world
  const makeBot = async (owner: string, username: string) =>
    (await as<{ bot: { id: string } }>(owner, 'POST', '/bots', { username })).body.bot.id
  return { service, as, worldOf, makeBot, [Symbol.asyncDispose]: () => service.close() }
}

const station: World = {
  people: [{ username: 'zoe', token: 'token-of-zoe', tier: 'paid', accepts_dms: false }, { username: 'yan' }],
  bots: [
    { username: 'porter', owner: 'zoe', token: 'token-of-porter' },
    {
      username: 'guard',
      owner: 'zoe',
      approved: true,
      event_webhook: { url: 'https://example.com/hook', secret: 'a secret of the webhook' },
    },
  ],
  servers: [
    { name: 'Station', owner: 'zoe', members: ['yan', 'porter'], channels: [{ name: 'hall', slowmode: 5 }] },
    { name: 'Depot', owner: 'zoe' },
  ],
  content_rules: { words: ['plum'] },
}
const withoutSecrets = {
  ...station,
  people: [{ username: 'zoe', tier: 'paid' as const, accepts_dms: false }, { username: 'yan' }],
  bots: [
    { username: 'porter', owner: 'zoe' },
    { username: 'guard', owner: 'zoe', approved: true },
  ],
}

it('returns the world that the service began with to the owner of a bot, that bot first, without secrets', async () => {
  await using chat = await start({ world: station })
  const { porter, guard } = chat.service.world.bots
  expect(await chat.worldOf(porter!.id, 'zoe')).toEqual(withoutSecrets)
  expect(await chat.worldOf(guard!.id, 'zoe')).toEqual({ ...withoutSecrets, bots: withoutSecrets.bots.toReversed() })
  expect((await chat.as('yan', 'GET', `/bots/${porter!.id}/world`)).status).toBe(404)
})

it('adds a bot that was made later, its owner and the servers that it is in', async () => {
  await using chat = await start({ world: station })
  const id = await chat.makeBot('zoe', 'clerk')
  const { status } = await chat.as('zoe', 'PUT', `/servers/${chat.service.world.servers['Depot']!.id}/bots/${id}`)
  const world = (await chat.worldOf(id, 'zoe'))!
  expect([status, world.bots!.map(({ username }) => username)]).toEqual([200, ['clerk', 'porter', 'guard']])
  expect(world.servers!.map(({ bots = [] }) => bots)).toEqual([[], ['clerk']])
  const ofNewcomer = (await chat.worldOf(await chat.makeBot('wim', 'helper'), 'wim'))!
  expect(ofNewcomer.people!.map(({ username }) => username)).toEqual(['zoe', 'yan', 'wim'])
  expect(() => checkWorld(ofNewcomer)).not.toThrow()
  expect(() => checkWorld(world)).not.toThrow()
})

it('returns null for the default world and for one without people: the test kit has a world for these', async () => {
  await using usual = await start({ world: defaultWorld('helper', 'token-of-helper') })
  expect(await usual.worldOf(usual.service.world.bots['helper']!.id, 'ann')).toBeNull()
  await using empty = await start({})
  expect(await empty.worldOf(await empty.makeBot('wim', 'clerk'), 'wim')).toBeNull()
})

it('keeps the world in the data file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-world-'))
  try {
    const data = join(folder, 'chat.db')
    await (await startService({ port: 0, data, world: station })).close()
    await using chat = await start({ data, world: defaultWorld('other') })
    expect(await chat.worldOf(chat.service.world.bots['porter']!.id, 'zoe')).toEqual(withoutSecrets)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
