import { VirtualClock } from '@botwright/clock'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Log } from '../../author/ports.ts'
import { StateAreas } from '../../author/state/areas.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { type HasState, state } from './owned-state.ts'

const ann = { user_id: 'ann', channel_id: 'c1', server_id: 's1' }

function rig(owner: object = ann) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const warnings: string[] = []
  const log: Log = { debug() {}, info() {}, error() {}, warn: (_facts, message) => void warnings.push(message) }
  const ctxOf = (one: object): HasState => ({
    state: new StateAreas(new Map(), { host: { store, clock, log }, owner: one }),
  })
  return { clock, store, warnings, ctxOf, ctx: ctxOf(owner) }
}

const points = state({
  scope: 'member',
  name: 'points',
  schema: z.object({ total: z.int(), notes: z.array(z.string()).default([]) }),
  initial: { total: 0, notes: [] },
})

describe('a declared state', () => {
  test('lists owners with the ids of its scope', async () => {
    const { ctx } = rig()
    await points.of(ctx).update((before) => ({ ...before, total: 3 }))
    const [entry] = await points.list(ctx)
    expectTypeOf(entry!.owner).toEqualTypeOf<{ server_id: string; user_id: string }>()
    expect(Object.keys(entry!.owner).sort()).toEqual(['server_id', 'user_id'])
  })

  test('starts with its own copy of the initial value', async () => {
    const { ctx } = rig()
    const first = await points.of(ctx).get()
    expectTypeOf(first).toEqualTypeOf<{ total: number; notes: string[] }>()
    first.notes.push('mine')
    expect(await points.of(ctx).get()).toEqual({ total: 0, notes: [] })
    const bare = state({ scope: 'bot', name: 'bare', schema: z.string() })
    const none = await bare.of(ctx).get()
    expectTypeOf(none).toEqualTypeOf<string | undefined>()
    expect(none).toBeUndefined()
  })

  test('stores a value for each owner', async () => {
    const { ctx, ctxOf } = rig()
    await points.of(ctx).set({ total: 3, notes: [] })
    expect((await points.of(ctxOf({ ...ann, user_id: 'bob' })).get()).total).toBe(0)
    expect((await points.of(ctxOf({ ...ann, server_id: 's2' })).get()).total).toBe(0)
    expect((await points.of(ctx, { user_id: 'bob' }).get()).total).toBe(0)
    expect((await points.of(ctxOf({ ...ann, channel_id: 'c2' })).get()).total).toBe(3)
    expect(await points.of(ctx).delete()).toBe(true)
    expect(await points.of(ctx).delete()).toBe(false)
    expect((await points.of(ctx).get()).total).toBe(0)
  })

  test('distinguishes owners whose ids contain : and %', async () => {
    const { ctxOf } = rig()
    const owners = [
      { server_id: 'a:b', user_id: 'c' },
      { server_id: 'a', user_id: 'b:c' },
      { server_id: 'a%3Ab', user_id: 'c' },
    ]
    for (const [i, owner] of owners.entries()) await points.of(ctxOf(owner)).set({ total: i + 1, notes: [] })
    for (const [i, owner] of owners.entries()) {
      expect((await points.of(ctxOf(owner)).get()).total).toBe(i + 1)
      expect(await points.list(ctxOf(owner))).toEqual([{ owner, value: { total: i + 1, notes: [] } }])
    }
  })

  test('updateWith changes the value atomically and returns a result', async () => {
    const { ctx } = rig()
    const spend = (cost: number) =>
      points.of(ctx).updateWith((before) => {
        if (before.total < cost) return { result: 'too dear' as const }
        return { value: { ...before, total: before.total - cost }, result: 'bought' as const }
      })
    expectTypeOf(spend).returns.toEqualTypeOf<Promise<'too dear' | 'bought'>>()
    expect(await spend(2)).toBe('too dear')
    expect(await points.list(ctx)).toEqual([])
    await points.of(ctx).set({ total: 5, notes: [] })
    expect(await Promise.all([spend(2), spend(2), spend(2)])).toEqual(['bought', 'bought', 'too dear'])
    expect((await points.of(ctx).get()).total).toBe(1)
    // @ts-expect-error Type 'string' is not assignable to type 'number'.
    const wrong = points.of(ctx).updateWith(() => ({ value: { total: 'many', notes: [] }, result: 1 }))
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_STATE_VALUE' })
    expect(await ctx.state.user.updateWith('visits', (n) => ({ value: Number(n ?? 0) + 1, result: n }))).toBeUndefined()
    expect(await ctx.state.user.get('visits')).toBe(1)
  })

  test('update changes the given value, or stores the returned one', async () => {
    const { ctx } = rig()
    expect(await points.of(ctx).update((p) => ({ ...p, total: p.total + 1 }))).toEqual({ total: 1, notes: [] })
    await points.of(ctx).update((p) => void p.notes.push('x'))
    await points.of(ctx).update(async (p) => {
      await Promise.resolve()
      p.total += 1
    })
    expect(await points.of(ctx).get()).toEqual({ total: 2, notes: ['x'] })
  })

  test('a failed update changes nothing, and the next one runs', async () => {
    const { ctx } = rig()
    const fail = () => {
      throw new RangeError('no')
    }
    await expect(points.of(ctx).update(fail)).rejects.toThrow(RangeError)
    await expect(points.of(ctx).update((p) => ({ ...p, total: 0.5 }))).rejects.toMatchObject({
      code: 'ERR_STATE_VALUE',
    })
    expect((await points.of(ctx).update((p) => void p.total++)).total).toBe(1)
  })

  test('loses none of many concurrent updates, including asynchronous ones', async () => {
    const { ctx } = rig()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        points.of(ctx).update(
          i % 10 === 0
            ? async (p) => {
                await Promise.resolve()
                p.total++
              }
            : (p) => void p.total++,
        ),
      ),
    )
    expect((await points.of(ctx).get()).total).toBe(100)
  })

  test('rejects an update that updates its own value, instead of waiting forever', async () => {
    const { ctx } = rig()
    const again = () =>
      points.of(ctx).update(async (p) => {
        await points.of(ctx).update((inner) => void inner.total++)
        return p
      })
    await expect(again()).rejects.toMatchObject({ code: 'ERR_STATE', message: expect.stringMatching(/"points"/) })
  })

  test('rejects an invalid value, naming the state, the owner and the field', async () => {
    const { ctx, store } = rig()
    // @ts-expect-error total is a number
    await expect(points.of(ctx).set({ total: 'many', notes: [] })).rejects.toMatchObject({
      code: 'ERR_STATE_VALUE',
      message: expect.stringMatching(
        /^state "points": the value of s1:ann cannot be set: total must be a number, but is "many"$/,
      ),
    })
    await store.set('state:member:points:s1:ann', { v: 1, value: { total: 'many' } })
    await expect(points.of(ctx).get()).rejects.toThrow(
      /state "points": the value of s1:ann no longer matches its schema \(raise version to 2, and add migrate\[1\]\): total must be a number, but is "many"$/,
    )
    await store.set('state:member:points:s1:ann', 'garbage')
    await expect(points.of(ctx).get()).rejects.toMatchObject({ code: 'ERR_STATE_VALUE' })
  })

  test('rejects values that JSON cannot represent when they are set', async () => {
    const { ctx } = rig()
    const refused = async (setting: Promise<unknown>, fact: string) => {
      const { code, message } = await setting.then(
        () => ({ code: '', message: '' }),
        (error: unknown) => error as { code: string; message: string },
      )
      expect(code).toBe('ERR_STATE_VALUE')
      expect(message).toContain(fact)
    }
    const { user } = ctx.state
    await refused(
      user.set('seen', { by: [new Set(['ann'])] }),
      'state "seen": the value of ann cannot be set: by.0 is a Set, which JSON cannot store',
    )
    await refused(user.set('seen', new Date(0)), 'it is a Date, which')
    await refused(user.set('seen', { mean: 0 / 0 }), 'mean is NaN, which')
    await refused(user.set('seen', { run: () => 1 }), 'run is a function, which')
    await refused(user.set('seen', undefined), 'cannot be set to undefined: use delete() to remove it')
    expect(await user.get('seen')).toBeUndefined()
    // An undefined field counts as missing.
    await user.set('seen', { by: null, at: undefined })
    expect(await user.get('seen')).toEqual({ by: null })

    const born = state({ scope: 'user', name: 'born', schema: z.object({ at: z.date() }) })
    await refused(
      born.of(ctx).set({ at: new Date(0) }),
      'its schema does not accept it after a round trip through JSON: at must be a date, but is "1970-01-01T00:00:00.000Z". The schema must accept its own output, as z.coerce.date() does',
    )
    expect(await born.of(ctx).get()).toBeUndefined()
    const met = state({ scope: 'user', name: 'met', schema: z.object({ at: z.coerce.date() }) })
    await met.of(ctx).set({ at: new Date(0) })
    expect(await met.of(ctx).get()).toEqual({ at: new Date(0) })
  })

  test('reports that a direct message has no server', async () => {
    const { ctx, ctxOf } = rig({ user_id: 'ann', channel_id: 'dm' })
    const prefix = state({ scope: 'server', name: 'prefix', initial: '!' })
    expect(() => prefix.of(ctx)).toThrow(/"prefix" is stored per server, and this event has no server \(it is a direct/)
    expect(await prefix.of(ctx, { server_id: 's9' }).get()).toBe('!')
    await expect(points.list(ctx)).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    await expect(ctx.state.server.get('x')).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    expect(() => points.of(ctxOf({}))).toThrow('has no server')
    const own = state({ scope: 'user', name: 'own', initial: 1 })
    expect(() => own.of(ctxOf({ user_id: '' }))).toThrow('"own" is stored per user, and this event has no user')
  })

  test('treats __proto__ as an ordinary field and name', async () => {
    const { ctx } = rig()
    const any = state({ scope: 'user', name: '__proto__', schema: z.record(z.string(), z.unknown()), initial: {} })
    const value = JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>
    await ctx.state.user.set('__proto__', value)
    expect(JSON.stringify(await ctx.state.user.get('__proto__'))).toBe('{"__proto__":{"admin":true}}')
    expect(((await any.of(ctx).get()) as { admin?: boolean }).admin).toBeUndefined()
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('expires; each write restarts the time', async () => {
    const { ctx, clock } = rig()
    const mood = state({ scope: 'user', name: 'mood', initial: 'calm', expires: '1h' })
    await mood.of(ctx).set('glad')
    await clock.advance(50 * 60_000)
    await mood.of(ctx).update((now) => `very ${now}`)
    await clock.advance(50 * 60_000)
    expect(await mood.of(ctx).get()).toBe('very glad')
    await clock.advance(10 * 60_000)
    expect(await mood.of(ctx).get()).toBe('calm')
    await ctx.state.user.set('once', 1, { expires: '10s' })
    await ctx.state.user.update('once', (n) => (n as number) + 1)
    await clock.advance(10_000)
    expect(await ctx.state.user.get('once')).toBeUndefined()
    await expect(ctx.state.user.set('x', 1, { expires: 'soon' as '1s' })).rejects.toThrow(/expires must be a duration/)
  })
})

describe('versions', () => {
  const v1 = state({ scope: 'user', name: 'profile', schema: z.object({ name: z.string() }) })
  const v3 = state({
    scope: 'user',
    name: 'profile',
    version: 3,
    schema: z.object({ first: z.string(), last: z.string(), visits: z.int() }),
    migrate: {
      1: ({ name }: { name: string }) => {
        const [first = '', last = ''] = name.split(' ')
        return { first, last }
      },
      2: (old: { first: string; last: string }) => ({ ...old, visits: 0 }),
    },
  })

  test('migrates an older value step by step when it is read; the next write stores it', async () => {
    const { ctx, store } = rig()
    await v1.of(ctx).set({ name: 'Ann Lee' })
    expect(await v3.of(ctx).get()).toEqual({ first: 'Ann', last: 'Lee', visits: 0 })
    expect(await store.get('state:user:profile:ann')).toMatchObject({ value: { v: 1 } })
    await v3.of(ctx).update((p) => void (p!.visits += 1))
    expect(await store.get('state:user:profile:ann')).toMatchObject({ value: { v: 3, value: { visits: 1 } } })
    expect(await v3.list(ctx)).toHaveLength(1)
  })

  test('rejects a value of a newer version', async () => {
    const { ctx } = rig()
    await v3.of(ctx).set({ first: 'Ann', last: 'Lee', visits: 2 })
    await expect(v1.of(ctx).get()).rejects.toThrow(/was written by a newer version of the bot \(3; this one is 1\)/)
  })

  test('a migration may be asynchronous', async () => {
    const { ctx, store } = rig()
    await store.set('state:bot:tea:', { v: 1, value: 'mint' })
    const tea = state({
      scope: 'bot',
      name: 'tea',
      version: 3,
      initial: { tea: '', cups: 0 },
      migrate: { 1: async (old: string) => ({ tea: old }), 2: (old: { tea: string }) => ({ ...old, cups: 6 }) },
    })
    expect(await tea.of(ctx).get()).toEqual({ tea: 'mint', cups: 6 })
  })

  test('reports an invalid value after a migration as a fault of the last step', async () => {
    const { ctx } = rig()
    await state({ scope: 'user', name: 'tea', schema: z.string() }).of(ctx).set('mint')
    const schema = z.object({ tea: z.string(), cups: z.number() })
    // @ts-expect-error Property 'cups' is missing: the result of the last step must match the schema.
    const v2 = state({ scope: 'user', name: 'tea', version: 2, schema, migrate: { 1: (tea: string) => ({ tea }) } })
    await expect(v2.of(ctx).get()).rejects.toThrow(
      'was written by version 1, and the result of migrate[1] does not match the schema (correct that step): cups must be a number, but is missing',
    )
  })

  test('the result of each migration must match the input of the next one, and finally the schema', async () => {
    const schema = z.object({ tea: z.string(), cups: z.number().default(6) })
    const options = { scope: 'user', name: 'steps', version: 3, schema } as const
    const toSecond = (tea: string) => ({ tea })
    // Fields with a default may be omitted.
    state({ ...options, migrate: { 1: toSecond, 2: async (old: { tea: string }) => Promise.resolve(old) } })
    // @ts-expect-error '{ tea: string }' does not match the input of step 2.
    state({ ...options, migrate: { 1: toSecond, 2: (old: { name: string }) => ({ tea: old.name }) } })
    // @ts-expect-error 'number' does not match the schema.
    state({ ...options, migrate: { 1: toSecond, 2: () => 6 } })
    // @ts-expect-error 'string' is not the type of the values.
    state({ scope: 'user', name: 'plain', version: 2, initial: 0, migrate: { 1: (old: number) => `${old}` } })
    const plain = state({ scope: 'user', name: 'plain', version: 2, initial: 0, migrate: { 1: (old: string) => +old } })
    expectTypeOf(await plain.of(rig().ctx).get()).toEqualTypeOf<number>()
  })

  test('an error in a migration names its step', async () => {
    const { ctx, store } = rig()
    await store.set('state:user:profile:ann', { v: 1, value: {} })
    await expect(v3.of(ctx).get()).rejects.toThrow(/state "profile": .* could not be migrated from version 1/)
  })

  test('rejects a missing migration where the state is declared', () => {
    const of = (version: number, migrate = {}) => state({ scope: 'bot', name: 'x', version, migrate, initial: 1 })
    expect(() => of(2)).toThrow(/migrate has no step 1: values written by version 1 could not be read/)
    expect(() => of(1, { 1: () => 1 })).toThrow(/migrate has a step 1/)
    expect(() => of(0)).toThrow(/version must be a whole number/)
  })
})

test('ctx.state stores plain values by name, in every scope', async () => {
  const { ctx, ctxOf } = rig()
  await ctx.state.user.set('color', 'red')
  await ctx.state.channel.set('color', 'blue')
  await ctx.state.bot.update('starts', (n) => ((n as number | undefined) ?? 0) + 1)
  const other = ctxOf({ ...ann, channel_id: 'c2' })
  expect(await other.state.user.get('color')).toBe('red')
  expect(await other.state.channel.get('color')).toBeUndefined()
  expect(await other.state.bot.get('starts')).toBe(1)
  expect(await other.state.for({ channel_id: 'c1' }).channel.get('color')).toBe('blue')
  expect(await ctx.state.user.delete('color')).toBe(true)
  expectTypeOf(ctx.state.user.get('color')).toEqualTypeOf<Promise<unknown>>()
})

test('rejects an unknown scope and an initial value that cannot be stored where they are declared', () => {
  const of = (given: object) => () => state({ scope: 'user', name: 'x', initial: 1, ...given } as never)
  expect(of({ scope: 'person' })).toThrow('state("x"): scope must be one of user, channel, server, member, bot')
  expect(of({ initial: { seen: new Map() } })).toThrow(
    'state("x"): initial: seen is a Map, which JSON cannot store; keep plain data',
  )
})

test('a state without a name and a file gets an error with the fix', () => {
  const { ctx } = rig()
  expect(() => state({ scope: 'bot', initial: 1 }).of(ctx)).toThrow(/make it the default export of a file under state/)
})
