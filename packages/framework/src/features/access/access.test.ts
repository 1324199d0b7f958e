import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { lossesOf } from './access.ts'
import { AccessWatch } from './access-watch.ts'

const DAY_MS = 86_400_000

test('a loss is reported for a day, also if the clock was set back since', () => {
  const access = { name: 'Workshop', channels: {}, roles: {}, permissions: [] }
  const nowMs = 10 * DAY_MS
  const loss = { key: 'role:1', text: 'the role Mod', atMs: 100 * DAY_MS }
  const stored = { servers: { x: access }, lost: { x: { name: 'Workshop', losses: [loss] } } }
  const { losses } = lossesOf('x', { stored, access, nowMs })
  expect(losses).toEqual([{ ...loss, atMs: nowMs }])
  const next = { servers: { x: access }, lost: { x: { name: 'Workshop', losses } } }
  expect(lossesOf('x', { stored: next, access, nowMs: nowMs + DAY_MS }).losses).toEqual([])
})

test('a server without a name is named by its id: only that is certain', async () => {
  let channels = [{ id: 'c', name: 'news' }]
  const call = (async (name: string) => {
    if (name === 'servers.list') return { servers: [{ id: 'x' }] }
    if (name === 'channels.listOfServer') return { channels }
    return name === 'servers.roles' ? { roles: [] } : { member: {} }
  }) as unknown as Call
  const clock = new VirtualClock()
  const lines: string[] = []
  const line = (_: object, text: string) => void lines.push(text)
  const log = { debug: line, info: line, warn: line, error: line }
  using watch = new AccessWatch({ call, me: 'me', store: new MemoryStore(clock), clock, log })
  await watch.watch()
  channels = []
  await clock.advance(DAY_MS / 24)
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(watch.lost).toEqual([{ server: 'x', lost: ['the channel #news'] }])
  expect(lines[0]).toMatch(/^in the server "x" the bot has lost the channel #news;/)
})
