import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { startControlled } from '../health/control/control-rig.test.fixture.ts'
import { accessKey } from './access.ts'
import { AccessWatch } from './access-watch.ts'

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
  const stored = async () => JSON.stringify((await bot.store.get(accessKey))?.value ?? null)
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
  const lost = ['the channel #c7', 'the role Mod', 'the permission timeout_members']
  expect(watch.lost).toEqual([{ server: 'Workshop', lost }])
  const view = { name: 'Workshop', roles: [], permissions: [], lost, lost_at: expect.any(String) }
  expect(watch.servers).toEqual([expect.objectContaining(view)])
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

/** A watch with a call that can fail, and its lines. */
async function startWatch(rig: ChatRig) {
  const { bot } = await startControlled(rig)
  const clock = new VirtualClock()
  const lines: string[] = []
  const line = (_: object, text: string) => void lines.push(text)
  const log = { debug() {}, info: line, warn: line, error: line }
  let fails = (_name: string) => false
  const call = ((name: string, ...given: [object]) =>
    fails(name)
      ? Promise.reject(new Error('no answer'))
      : (bot.call as unknown as (...all: unknown[]) => unknown)(name, ...given)) as Call
  const store = new MemoryStore(clock)
  const watch = new AccessWatch({ call, me: bot.me.id, store, clock, log })
  await watch.watch()
  return { bot, clock, lines, store, watch, failing: (test: typeof fails) => (fails = test) }
}

test('a look that fails is repeated after minutes, so no day is left out', async () => {
  await using rig = await ChatRig.start()
  const { clock, failing, lines, watch } = await startWatch(rig)
  using _ = watch
  failing(() => true)
  await rig.person('ann').channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(3_600_000)
  await rig.until(() => clock.waiting > 0)
  expect(lines).toEqual([])
  failing(() => false)
  await clock.advance(300_000)
  await rig.until(() => lines.length > 0)
  expect(watch.lost).toEqual([{ server: 'Workshop', lost: ['the channel #c7'] }])
})

test('a later loss is added to those of the day, and one that is undone ends', async () => {
  await using rig = await ChatRig.start()
  const { bot, clock, lines, watch } = await startWatch(rig)
  using _ = watch
  const { channels, moderation, roles } = rig.person('ann')
  const server_id = rig.service.world.servers['Workshop']!.id
  const given = { server_id, user_id: bot.me.id }
  const role_id = (await roles.create({ server_id, name: 'Mod' })).role.id
  await moderation.addRole({ ...given, role_id })
  const look = async (isSeen: () => boolean) => (await clock.advance(3_600_000), await rig.until(isSeen))
  await look(() => watch.servers?.[0]?.roles.includes('Mod') ?? false)
  await channels.delete({ channel_id: rig.channel('c7') })
  await look(() => watch.lost.length > 0)
  await moderation.removeRole({ ...given, role_id })
  await look(() => watch.lost[0]!.lost.length === 2)
  expect(watch.lost[0]!.lost).toEqual(['the channel #c7', 'the role Mod'])
  expect(lines).toHaveLength(2)
  await moderation.addRole({ ...given, role_id })
  await look(() => watch.lost[0]!.lost.length === 1)
})

test('a server whose channels the bot may not list keeps its last look, and the others are compared', async () => {
  await using rig = await ChatRig.start()
  const { bot } = await startControlled(rig)
  const clock = new VirtualClock()
  const debug: string[] = []
  const log = { debug: (_: object, text: string) => void debug.push(text), info() {}, warn() {}, error() {} }
  const { servers } = await bot.call('servers.list', {})
  let isRefused = false
  const calls: string[] = []
  const call = (async (name: string, input: Record<string, unknown>) => {
    if (name === 'servers.list') return { servers: [{ ...servers[0], id: 'other', name: 'Other' }, ...servers] }
    calls.push(String(input['server_id']))
    if (input['server_id'] !== 'other') return bot.call(name as 'servers.list', input)
    if (isRefused) throw new Error('not allowed')
    return name === 'servers.roles' ? { roles: [] } : name === 'members.get' ? { member: {} } : { channels: [] }
  }) as unknown as Call
  const store = new MemoryStore(clock)
  using watch = new AccessWatch({ call, me: bot.me.id, store, clock, log })
  await watch.watch()
  expect(watch.servers).toHaveLength(2)
  isRefused = true
  await rig.person('ann').channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(3_600_000)
  await rig.until(() => watch.lost.length > 0)
  expect(watch.lost).toEqual([{ server: 'Workshop', lost: ['the channel #c7'] }])
  expect(debug).toEqual(['the access in the server "Other" was not compared: not allowed'])
  expect(watch.servers).toHaveLength(2)

  // Only that one is asked again, until all are due.
  const asked = async (ms: number) => {
    calls.length = 0
    await clock.advance(ms)
    await rig.until(() => calls.includes('other') && clock.waiting > 0)
    return calls
  }
  expect(await asked(300_000)).toEqual(['other'])
  expect(await asked(300_000)).toEqual(['other'])
  for (let minutes = 10; minutes < 55; minutes += 5) await asked(300_000)
  expect((await asked(300_000)).filter((id) => id === 'other')).toEqual(['other'])
  expect(new Set(calls).size).toBe(2)
})

test('a loss is logged once, although it could not be stored at first', async () => {
  await using rig = await ChatRig.start()
  const { clock, lines, store, watch } = await startWatch(rig)
  using _ = watch
  const set = store.set.bind(store)
  store.set = () => Promise.reject(new Error('away'))
  await rig.person('ann').channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(3_600_000)
  await rig.until(() => clock.waiting > 0)
  store.set = set
  await clock.advance(300_000)
  await rig.until(() => watch.lost.length > 0)
  expect(lines).toHaveLength(1)
})

test('a server that was read again is read once more, if what was found could not be stored', async () => {
  await using rig = await ChatRig.start()
  const { clock, failing, lines, store, watch } = await startWatch(rig)
  using _ = watch
  failing((name) => name !== 'servers.list')
  await rig.person('ann').channels.delete({ channel_id: rig.channel('c7') })
  await clock.advance(3_600_000)
  await rig.until(() => clock.waiting > 0)
  failing(() => false)
  const set = store.set.bind(store)
  let refused = 0
  store.set = () => (refused++, Promise.reject(new Error('away')))
  await clock.advance(300_000)
  await rig.until(() => refused > 0 && clock.waiting > 0)
  store.set = set
  await clock.advance(300_000)
  await rig.until(() => clock.waiting > 0)
  expect([watch.lost.length, lines.length]).toEqual([1, 1])
})
