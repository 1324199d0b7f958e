import { expect, test } from 'vitest'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { RunStore } from '../stored/run-store.ts'
import { durable, Restarts, texts } from './restarts.test.fixture.ts'

// `ctx.once` and `ctx.schedule` in durable handlers, which do as in others.

const DAY_MS = 24 * 60 * 60_000
const world = globalThis as { charge?: (() => unknown) | undefined }

/** Runs a handler whose process dies during its first charge, and returns what the next process sent and how often it charged. */
async function interrupted(run: string) {
  const rig = new Restarts()
  const files = { 'commands/go.ts': durable(run) }
  const delivery = message({ command: 'go' })
  let charges = 0
  try {
    const first = await rig.start(files)
    await new Promise<void>((resolve) => {
      world.charge = () => (charges++, resolve(), new Promise(() => {}))
      void first.bot.handle(delivery)
    })
    world.charge = () => ++charges
    const { bot, calls } = await rig.start(files)
    await bot.handle({ event: delivery.event, attempt: 2 })
    return { said: texts(calls), charges }
  } finally {
    delete world.charge
  }
}

const charge = (options = '') => `
  const work = () => globalThis.charge()
  try { return 'charged ' + (await ctx.once('charge', work${options})) }
  catch (error) { return error.code }`

test('ctx.once does not repeat work that a crash has interrupted, unless it may', async () => {
  expect(await interrupted(charge())).toEqual({ said: ['ERR_UNKNOWN_OUTCOME'], charges: 1 })
  expect(await interrupted(charge(", { unsure: 'again' }"))).toEqual({ said: ['charged 2'], charges: 2 })
  // `ctx.step` does.
  expect(await interrupted(charge().replace('ctx.once', 'ctx.step'))).toEqual({ said: ['charged 2'], charges: 2 })
})

test('ctx.once does work of the same key once, also when a failed run is retried, and repeats work that has failed', async () => {
  const rig = new Restarts()
  let charges = 0
  let fails = true
  world.charge = () => {
    if (charges++ === 0) throw new Error('no connection')
    return charges
  }
  const broken = globalThis as { broken?: () => void }
  broken.broken = () => {
    if (fails) throw new Error('broken')
  }
  try {
    const files = {
      'commands/go.ts': durable(`
        const work = () => globalThis.charge()
        await ctx.once('charge', work).catch(() => {})
        const both = await Promise.all([ctx.once('charge', work), ctx.once('charge', work)])
        await ctx.step('broken', () => globalThis.broken())
        return both.join()`),
    }
    const { bot, calls } = await rig.start(files)
    const delivery = message({ command: 'go' })
    await bot.handle(delivery)
    expect((await rig.head()).status).toBe('failed')
    fails = false
    await bot.handle(delivery)
    expect(texts(calls).at(-1)).toBe('2,2')
    expect(charges).toBe(2)
  } finally {
    delete world.charge
    delete broken.broken
  }
})

test('ctx.once does not repeat work when a run is retried after months', async () => {
  const rig = new Restarts()
  let charges = 0
  world.charge = () => ++charges
  try {
    const code = (end: string) => ({
      'commands/go.ts': durable(`
        const number = await ctx.once('charge', () => globalThis.charge())
        await ctx.sleep('90d')
        ${end}
        return 'charge ' + number`),
    })
    const { bot } = await rig.start(code("throw new Error('broken')"))
    const { event } = message({ command: 'go' })
    await bot.handle({ event, attempt: 1 })
    await rig.clock.advance(90 * DAY_MS)
    await rig.wake(bot)
    expect(await rig.head()).toMatchObject({ status: 'failed' })
    const { bot: fixed, calls } = await rig.start(code(''))
    await new RunStore(rig.store).request(String(event.id), { action: 'retry' })
    await rig.wake(fixed)
    await rig.clock.advance(90 * DAY_MS)
    await rig.wake(fixed)
    expect(texts(calls)).toEqual(['charge 1'])
  } finally {
    delete world.charge
  }
})

test('ctx.schedule rejects a task that does not exist, and schedules others once', async () => {
  const rig = new Restarts()
  const files = {
    'tasks/real.ts': "import { task } from 'botwright'\nexport default task({ run: () => {} })",
    'commands/go.ts': durable(`
      const missing = await ctx.schedule('nosuch', { in: '1h' }).catch((error) => error.message)
      const [one, two] = [await ctx.schedule('real', { in: '1h' }), await ctx.schedule('real', { in: '1h' })]
      await ctx.ask('Go on?', { timeout: '1h' })
      return [missing, one !== two, (await ctx.scheduled('real')).length, await ctx.unschedule(one)].join()`),
  }
  const first = await rig.start(files)
  await first.bot.handle(message({ command: 'go' }))
  const { bot, calls } = await rig.start(files)
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'yes' }))
  expect(texts(calls)).toEqual(['there is no tasks/nosuch.ts: create it, or correct the name,true,2,true'])
  expect(await rig.store.list('task:timer:')).toHaveLength(1)
})
