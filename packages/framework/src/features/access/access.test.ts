import { expect, test } from 'vitest'
import { lossesOf } from './access.ts'

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
