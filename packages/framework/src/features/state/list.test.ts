import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Log } from '../../author/ports.ts'
import { StateAreas } from '../../author/state/areas.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { type HasState, state } from './owned-state.ts'

const ann = { user_id: 'ann', channel_id: 'c1', server_id: 's1' }

function rig() {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const warnings: string[] = []
  const log: Log = { debug() {}, info() {}, error() {}, warn: (_facts, message) => void warnings.push(message) }
  const ctxOf = (owner: object): HasState => ({
    state: new StateAreas(new Map(), { host: { store, clock, log }, owner }),
  })
  return { store, warnings, ctxOf, ctx: ctxOf(ann) }
}

const points = state({
  scope: 'member',
  name: 'points',
  schema: z.object({ total: z.int(), notes: z.array(z.string()).default([]) }),
  initial: { total: 0, notes: [] },
})

test('top returns the largest values of a server first', async () => {
  const { ctx, ctxOf } = rig()
  for (let i = 0; i < 30; i++)
    await points.of(ctxOf({ ...ann, user_id: `u${i}` })).set({ total: (i * 7) % 30, notes: [] })
  await points.of(ctxOf({ ...ann, server_id: 's2' })).set({ total: 999, notes: [] })
  const top = await points.top(ctx, { by: (p) => p.total, limit: 3 })
  expect(top.map(({ owner, value }) => [owner.user_id, value.total])).toEqual([
    ['u17', 29],
    ['u4', 28],
    ['u21', 27],
  ])
  expect(await points.top(ctx, { by: (p) => p.total, server_id: 's2' })).toHaveLength(1)
})

test('top lists values without a number last: a rate of 0 games is NaN', async () => {
  const { ctx, ctxOf } = rig()
  const totals = [1, NaN, 3, 2, NaN, 4]
  for (const i of totals.keys()) await points.of(ctxOf({ ...ann, user_id: `u${i}` })).set({ total: i, notes: [] })
  const top = await points.top(ctx, { by: ({ total }) => totals[total]! })
  expect(top.map(({ value }) => totals[value.total])).toEqual([4, 3, 2, 1, NaN, NaN])
})

test('a list without a limit has 100 values, also if it is passed as undefined', async () => {
  const { ctx, store } = rig()
  const value = { v: 1, value: { total: 1, notes: [] } }
  for (let i = 0; i < 101; i++) await store.set(`state:member:points:s1:u${i}`, value)
  for (const options of [undefined, {}, { limit: undefined! }])
    expect(await points.list(ctx, options)).toHaveLength(100)
})

test('reads a list page by page', async () => {
  const { ctx, ctxOf } = rig()
  for (let i = 0; i < 5; i++) await points.of(ctxOf({ ...ann, user_id: `u${i}` })).set({ total: i, notes: [] })
  const first = await points.list(ctx, { limit: 2 })
  expect(first.map(({ owner }) => owner)).toEqual([
    { server_id: 's1', user_id: 'u0' },
    { server_id: 's1', user_id: 'u1' },
  ])
  const second = await points.list(ctx, { after: first[1]!.owner })
  expect(second.map(({ value }) => value.total)).toEqual([2, 3, 4])
})

test('skips and reports a broken value, and lists the others', async () => {
  const { ctx, ctxOf, store, warnings } = rig()
  await points.of(ctx).set({ total: 1, notes: [] })
  await store.set('state:member:points:s1:zoe', { v: 1, value: { total: '?' } })
  expect(await points.list(ctxOf(ann))).toHaveLength(1)
  expect(warnings).toEqual([expect.stringMatching(/omitted from a list: state "points": the value of s1:zoe/)])
  // Others take their places in a page.
  for (const broken of ['a', 'aa']) await store.set(`state:member:points:s1:${broken}`, { v: 1, value: '?' })
  expect(await points.list(ctx, { limit: 1 })).toMatchObject([{ owner: { user_id: 'ann' } }])
})
