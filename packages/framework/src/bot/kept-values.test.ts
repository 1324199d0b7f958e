import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MemoryStore } from '../author/state/memory-store.ts'
import { StateAreas } from '../author/state/areas.ts'
import { state } from '../features/state/state.ts'
import type { Context } from '../author/context.ts'
import type { DurableMembers } from '../author/durable.ts'
import { message, start, write } from '../tests/loaded-bot.test.fixture.ts'
import { durable, texts } from '../features/durable/runs/restarts.test.fixture.ts'

// Values of an author that are stored as JSON: those that would come back as something else are refused at once.

const world = globalThis as { given?: unknown }

const circle: Record<string, unknown> = {}
circle['self'] = [circle]
class Money {
  amount = 2
}

const changed: [unknown, string][] = [
  [new Date(0), 'it is a Date'],
  [{ at: [new Date(0)] }, 'at.0 is a Date'],
  [new Map([['a', 1]]), 'it is a Map'],
  [{ seen: new Set([1]) }, 'seen is a Set'],
  [{ mean: NaN }, 'mean is NaN'],
  [-Infinity, 'it is -Infinity'],
  [{ price: new Money() }, 'price is a Money'],
  [() => 1, 'it is a function'],
  [{ big: 10n }, 'big is a bigint'],
  [circle, 'self.0 is an object that contains itself'],
  [Buffer.from('abc'), 'it is a Uint8Array'],
  [new URL('https://x.example/'), 'it is a URL'],
  [{ a: [1, undefined] }, 'a.1 is undefined'],
  [Array.from({ length: 1 }), '0 is undefined'],
  [Object.assign([], { length: 1 }), '0 is undefined'],
  [new Error('x'), 'it is an Error'],
]
const storable = ['text', 0, true, null, undefined, { a: [{ b: null }], absent: undefined }, Object.create(null), []]

/** The answer of a command that gives this value to the framework. */
async function answerTo(given: unknown, code: string, schema = ''): Promise<unknown> {
  world.given = given
  const ring = `import { task } from 'botwright'
    import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
    export default task({ ${schema} run() {} })`
  const { bot, calls } = await start({ 'commands/go.ts': code, 'tasks/ring.ts': ring })
  await bot.handle(message({ command: 'go' }))
  return texts(calls)[0]
}

const caught = (work: string) =>
  `try { await ${work}; return 'stored' } catch (error) { return error.code + ' ' + error.message }`
const plain = (work: string) => `export default async (ctx) => { ${caught(work)} }`
const step = durable(caught("ctx.step('book', () => globalThis.given)"))
const once = plain("ctx.once('pay', () => globalThis.given)")
const schedule = plain("ctx.schedule('ring', { in: '1h' }, globalThis.given)")
const durableSchedule = durable(caught("ctx.schedule('ring', { in: '1h' }, globalThis.given)"))

test.each(changed)('ctx.step refuses %o', async (given, fact) => {
  expect(await answerTo(given, step)).toBe(
    `ERR_INVALID_REQUEST commands/go.ts: ctx.step("book"): ${fact}, which JSON cannot store; return plain data`,
  )
})

test.each(changed)('ctx.once refuses %o', async (given, fact) => {
  expect(await answerTo(given, once)).toBe(
    `ERR_INVALID_REQUEST once("pay"): ${fact}, which JSON cannot store; return plain data`,
  )
})

test.each(changed)('ctx.schedule refuses %o', async (given, fact) => {
  const text = `ERR_INVALID_REQUEST schedule("ring"): the payload cannot be stored: ${fact}, which JSON cannot store; pass plain data, or give the task a payload schema that reads it back, as z.coerce.date() does`
  expect(await answerTo(given, schedule)).toBe(text)
  expect(await answerTo(given, durableSchedule)).toBe(text)
})

test.each([step, once, schedule, durableSchedule])('plain data is stored (%#)', async (code) => {
  for (const given of storable) expect(await answerTo(given, code)).toBe('stored')
})

test("a task's schema decides which payloads can be scheduled", async () => {
  const reads = 'payload: z.object({ at: z.coerce.date() }),'
  expect(await answerTo({ at: new Date(0) }, schedule, reads)).toBe('stored')
  expect(await answerTo({ at: 'soon' }, schedule, reads)).toMatch(
    /^ERR_INVALID_REQUEST schedule\("ring"\): the payload cannot be stored: at /,
  )
  expect(await answerTo({ at: new Date(0) }, schedule, 'payload: z.object({ at: z.date() }),')).toBe(
    'ERR_INVALID_REQUEST schedule("ring"): the payload cannot be stored: at must be a date, but is "1970-01-01T00:00:00.000Z"',
  )
})

test('a schema that accepts anything does not let a state change what it stores', async () => {
  const clock = new VirtualClock()
  const none = () => {}
  const host = { store: new MemoryStore(clock), clock, log: { debug: none, info: none, warn: none, error: none } }
  const ctx = { state: new StateAreas(new Map(), { host, owner: { user_id: 'ann' } }) }
  const any = state({ scope: 'user', name: 'any', schema: z.object({ at: z.coerce.date().optional(), rest: z.any() }) })
  await expect(any.of(ctx).set({ at: new Date(0), rest: new Map() })).rejects.toMatchObject({
    code: 'ERR_STATE_VALUE',
    message: expect.stringContaining('cannot be set: rest is a Map, which JSON cannot store'),
  })
  await any.of(ctx).set({ at: new Date(0), rest: { a: undefined, b: [1] } })
  expect(await any.of(ctx).get()).toEqual({ at: new Date(0), rest: { b: [1] } })
})

test('the types of ctx.step and ctx.once refuse what JSON changes', () => {
  const types = async (ctx: Context & DurableMembers) => {
    const booking: { days: number; names: string[]; note?: string } = await ctx.step('a', async () => ({
      ...{ days: 1, names: ['x'] },
    }))
    const none: void = await ctx.step('a', async () => {})
    const count: number | undefined = await ctx.once('a', () => (booking.days > 1 ? 1 : undefined))
    // @ts-expect-error Type 'Date' is not assignable to type …
    await ctx.step('a', () => new Date())
    // @ts-expect-error Type 'Map<string, number>' is not assignable to type …
    await ctx.step('a', async () => ({ seen: new Map<string, number>() }))
    // @ts-expect-error Type 'bigint' is not assignable to type …
    await ctx.once('a', () => 1n)
    return [none, count]
  }
  expect(types).toBeTypeOf('function')
})

test("a plugin's own store refuses what JSON changes", async () => {
  const files = {
    'greeter/context.ts': `import { context } from 'botwright'
      export default context(({ store }) => ({ save: () => (value) => store.set('seen', value) }))`,
    'commands/go.ts': plain('ctx.save(globalThis.given)'),
  }
  const { root, manifest } = await write(files)
  const entries = manifest.entries.filter(({ kind }) => kind === 'command')
  const mounts = [{ name: 'greeter', package: 'greeter', context: 'greeter/context.ts' }]
  const modules = Object.fromEntries(Object.keys(files).map((file) => [file, join(root, file)]))
  const source = { root, modules, manifest: { entries, plugins: mounts } }
  const { bot, calls } = await start({}, source, { plugins: { greeter: { options: {} } } })
  for (const given of [{ at: new Date(0) }, { at: 0 }]) {
    world.given = given
    await bot.handle(message({ command: 'go' }))
  }
  expect(texts(calls)).toEqual([
    'ERR_INVALID_REQUEST plugins.greeter: store.set("seen"): at is a Date, which JSON cannot store; pass plain data',
    'stored',
  ])
})
