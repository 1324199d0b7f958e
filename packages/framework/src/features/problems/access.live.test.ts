import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { startControlled } from '../health/control/control-rig.test.fixture.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { AccessWatch } from './access.ts'

const DAY_MS = 86_400_000

test('a channel and a permission that the bot has lost since yesterday are one line, and a loss for a day', async () => {
  await using rig = await ChatRig.start()
  const { bot } = await startControlled(rig)
  const { moderation, roles, channels } = rig.person('ann')
  const server_id = rig.service.world.servers['Workshop']!.id
  const given = { server_id, user_id: bot.me.id }
  const role_id = (await roles.create({ server_id, name: 'Mod', permissions: ['timeout_members'] })).role.id
  await moderation.addRole({ ...given, role_id })
  // A health port is enough for the first look.
  const stored = async () => JSON.stringify((await bot.store.get('access:servers'))?.value ?? null)
  await rig.until(async () => (await stored()) !== 'null')

  const clock = new VirtualClock()
  const lines: string[] = []
  const line = (_: object, text: string) => void lines.push(text)
  const log = { debug: line, info: line, warn: line, error: line }
  using watch = new AccessWatch({ call: bot.call, me: bot.me.id, store: bot.store, clock, log })
  await watch.watch()
  expect(await stored()).toContain('timeout_members')
  expect([...lines, ...watch.lost]).toEqual([])

  await moderation.removeRole({ ...given, role_id })
  await channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(DAY_MS)
  await rig.until(() => watch.lost.length > 0)
  const lost = ['the channel #c7', 'the permission timeout_members']
  expect(watch.lost).toMatchObject([{ server: 'Workshop', lost }])
  expect(lines).toEqual([
    `in the server "Workshop" the bot has lost ${lost.join(', ')}; ask a manager of the server to give its role or channel back, unless that was intended`,
  ])

  // A restart within the day keeps the loss.
  using next = new AccessWatch({ call: bot.call, me: bot.me.id, store: bot.store, clock, log })
  await next.watch()
  expect(next.lost).toHaveLength(1)
  await clock.advance(DAY_MS)
  await rig.until(() => next.lost.length === 0)
  expect(lines).toHaveLength(1)
})

test('a comparison that fails is repeated after an hour', async () => {
  await using rig = await ChatRig.start()
  const { bot } = await startControlled(rig)
  const clock = new VirtualClock()
  const lines: string[] = []
  const line = (_: object, text: string) => void lines.push(text)
  const log = { debug: line, info: line, warn: line, error: line }
  let isDown = true
  const call = ((name: 'servers.list', input: object) =>
    isDown ? Promise.reject(new Error('no answer')) : bot.call(name, input)) as unknown as typeof bot.call
  const store = new MemoryStore(clock)
  using watch = new AccessWatch({ call, me: bot.me.id, store, clock, log })
  await watch.watch()
  expect(lines).toEqual(['the access in the servers was not compared: no answer'])
  isDown = false
  await clock.advance(3_600_000)
  await rig.until(async () => (await store.get('access:servers')) !== undefined)
  expect(lines).toHaveLength(1)
})

test('a server whose channels the bot may not list keeps what was known, and the others are compared', async () => {
  await using rig = await ChatRig.start()
  const { bot } = await startControlled(rig)
  const { channels } = rig.person('ann')
  const clock = new VirtualClock()
  const lines: string[] = []
  const line = (_: object, text: string) => void lines.push(text)
  const log = { debug: line, info: line, warn: line, error: line }
  const servers = (await bot.call('servers.list', {})).servers
  let refused = ''
  const call = (async (op: string, args: Record<string, unknown>) => {
    if (op === 'servers.list') return { servers: [{ ...servers[0], id: 'other', name: 'Other' }, ...servers] }
    if (args['server_id'] === 'other') {
      if (refused !== '') throw new Error(refused)
      return op === 'servers.roles' ? { roles: [] } : op === 'members.get' ? { member: {} } : { channels: [] }
    }
    return await bot.call(op as 'servers.list', args)
  }) as unknown as Call
  using watch = new AccessWatch({ call, me: bot.me.id, store: bot.store, clock, log })
  await watch.watch()
  expect(watch.lost).toEqual([])

  refused = 'you may not list the channels of this server'
  await channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(DAY_MS)
  await rig.until(() => watch.lost.length > 0)
  expect(watch.lost).toMatchObject([{ server: 'Workshop', lost: ['the channel #c7'] }])
  expect(lines.filter((text) => text.includes('Other'))).toEqual([
    `the access in the server "Other" was not compared: ${refused}`,
  ])
  expect(JSON.stringify((await bot.store.get('access:servers'))?.value)).toContain('"Other"')
})
