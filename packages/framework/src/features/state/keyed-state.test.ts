import { VirtualClock } from '@botwright/clock'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Log } from '../../author/ports.ts'
import { StateAreas } from '../../author/state/areas.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { type HasState, state } from '../../index.ts'

function rig() {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const warnings: string[] = []
  const log: Log = { debug() {}, info() {}, error() {}, warn: (_facts, message) => void warnings.push(message) }
  const ctx: HasState = { state: new StateAreas(new Map(), { host: { store, clock, log }, owner: {} }) }
  return { clock, store, warnings, ctx }
}

interface Rsvp {
  going: string[]
}

const rsvps = state<Rsvp>({ per: 'key', name: 'rsvps', initial: { going: [] } })

test('stores a value for each key', async () => {
  const { ctx, store } = rig()
  await rsvps.at(ctx, 'party').update(({ going }) => ({ going: [...going, 'ann'] }))
  expect(await rsvps.at(ctx, 'party').get()).toEqual({ going: ['ann'] })
  expect(await rsvps.at(ctx, 'Party').get()).toEqual({ going: [] })
  expect((await store.list('')).map(({ key }) => key)).toEqual(['state:key:rsvps:party'])
  expect(await rsvps.at(ctx, 'party').delete()).toBe(true)
  expect(() => rsvps.at(ctx, '')).toThrow('state "rsvps": the key must be a text that is not empty')
})

test('lists and counts by prefix, in pages', async () => {
  const { ctx } = rig()
  const keys = ['a:1', 'a:2', 'a:3', 'a%3A1', 'ab', 'b:1', 'state:user:x:y', 'x/state:key:rsvps:z']
  for (const key of keys) await rsvps.at(ctx, key).set({ going: [key] })
  const all = await rsvps.list(ctx)
  expect(all.map(({ key }) => key).sort()).toEqual(keys.toSorted())
  expect(all.every(({ key, value }) => value.going[0] === key)).toBe(true)
  const keysOf = async (...options: [Parameters<typeof rsvps.list>[1]]) =>
    (await rsvps.list(ctx, ...options)).map(({ key }) => key)
  expect(await keysOf({ prefix: 'a:' })).toEqual(['a:1', 'a:2', 'a:3'])
  expect(await keysOf({ prefix: 'a:', limit: 2 })).toEqual(['a:1', 'a:2'])
  expect(await keysOf({ prefix: 'a:', limit: 2, after: 'a:2' })).toEqual(['a:3'])
  expect(await keysOf({ prefix: 'a:', limit: 2, offset: 1 })).toEqual(['a:2', 'a:3'])
  expect(await keysOf({ prefix: 'a:', after: '' })).toEqual(['a:1', 'a:2', 'a:3'])
  const wrong = 'state "rsvps": limit and offset must be numbers from 0'
  for (const one of [{ offset: -1 }, { offset: NaN }, { limit: -1 }, { limit: NaN }])
    await expect(rsvps.list(ctx, one)).rejects.toThrow(wrong)
  expect(await rsvps.count(ctx)).toBe(8)
  expect(await rsvps.count(ctx, { prefix: 'a:' })).toBe(3)
  const [first] = await rsvps.list(ctx, { prefix: 'a:', limit: 1 })
  expect(await rsvps.count(ctx, { prefix: 'a:', after: first!.key })).toBe(2)
  expect(await rsvps.count(ctx, { after: 'zzz' })).toBe(0)
})

test('counts more values than it reads at once', async () => {
  const { ctx } = rig()
  for (let i = 0; i < 2001; i++) await rsvps.at(ctx, String(i)).set({ going: [] })
  expect(await rsvps.count(ctx)).toBe(2001)
  const [, second] = await rsvps.list(ctx, { limit: 2 })
  expect(await rsvps.count(ctx, { after: second!.key })).toBe(1999)
})

test('values expire, and later ones that do not fit are omitted from lists', async () => {
  const { clock, ctx, store, warnings } = rig()
  const polls = state({ per: 'key', name: 'polls', schema: z.object({ votes: z.int() }), expires: '1h' })
  await polls.at(ctx, 'old').set({ votes: 1 })
  await polls.at(ctx, 'kept').set({ votes: 2 }, { expires: '1d' })
  await store.set('state:key:polls:odd', { v: 1, value: 'odd' })
  expect(await polls.list(ctx)).toHaveLength(2)
  expect(warnings).toEqual([expect.stringContaining('state "polls": the value of odd no longer matches its schema')])
  await clock.advance(3_600_000)
  expect((await polls.list(ctx)).map(({ key }) => key)).toEqual(['kept'])
  expect(await polls.count(ctx, { prefix: 'o' })).toBe(1)
})

/** Compiled, and never run. */
const compiled = (ctx: HasState) => {
  expectTypeOf(rsvps.at(ctx, 'x').get()).toEqualTypeOf<Promise<Rsvp>>()
  const bare = state<Rsvp>({ per: 'key' })
  expectTypeOf(bare.at(ctx, 'x').get).returns.toEqualTypeOf<Promise<Rsvp | undefined>>()
  const user = state<Rsvp>({ scope: 'user', initial: { going: [] } })
  expectTypeOf(user.of(ctx).get).returns.toEqualTypeOf<Promise<Rsvp>>()
  expectTypeOf<typeof user.scope>().toEqualTypeOf<'user'>()
  const member = state<number>({ scope: 'member' })
  expectTypeOf(member.of(ctx).get).returns.toEqualTypeOf<Promise<number | undefined>>()
  expectTypeOf(member.list).returns.resolves.items.toHaveProperty('owner').toEqualTypeOf<{
    server_id: string
    user_id: string
  }>()
  const migrated = state<number>({ scope: 'bot', initial: 0, version: 2, migrate: { 1: (old: string) => old.length } })
  expectTypeOf(migrated.of(ctx).get).returns.toEqualTypeOf<Promise<number>>()
  const inferred = state({ per: 'key', initial: [] as string[] })
  expectTypeOf(inferred.at(ctx, 'x').get).returns.toEqualTypeOf<Promise<string[]>>()
  const checked = state({ per: 'key', schema: z.object({ at: z.string() }) })
  expectTypeOf(checked.at(ctx, 'x').get).returns.toEqualTypeOf<Promise<{ at: string } | undefined>>()
  // @ts-expect-error a value of another type
  void rsvps.at(ctx, 'x').set({ gone: [] })
  // @ts-expect-error no type of values
  state({ per: 'key' })
  // @ts-expect-error no type of values
  state({ scope: 'user' })
  // @ts-expect-error the last step does not return a current value
  state({ per: 'key', version: 2, initial: 0, migrate: { 1: (old: number) => `${old}` } })
}

test('has at most one type argument', () => {
  expect(compiled).toBeTypeOf('function')
})

test.each([
  [{ per: 'keys' }, 'state("x"): per must be \'key\''],
  [{ per: 'key', scope: 'user' }, 'state("x"): has both scope and per; use only one'],
  [{ scope: 'key' }, 'state("x"): scope must be one of user, channel, server, member, bot'],
  [{ per: 'key', expire: '1h' }, 'state("x"): unknown field "expire"; did you mean expires?'],
])('rejects %o', (options, problem) => {
  expect(() => state({ name: 'x', initial: 1, ...options } as never)).toThrow(problem)
})
