import { expect, test } from 'vitest'
import { RunStore } from '../stored/run-store.ts'
import { runView } from '../stored/run-view.ts'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Steps whose work never ends.

const world = globalThis as { open?: ((value: string) => void) | undefined }
const hanging = durable(`
  try { return 'got ' + (await ctx.step('fetch', () => new Promise((resolve) => (globalThis.open = resolve)))) }
  catch (error) { await ctx.reply('caught ' + error.code); throw error }`)

test('a run whose step hangs can be cancelled, and the result of the step is ignored', async () => {
  const rig = new Restarts()
  const { bot, calls, logged } = await rig.start({ 'commands/go.ts': hanging })
  const begun = message({ command: 'go' })
  const running = Promise.resolve(bot.handle(begun))
  await turns()
  await new RunStore(rig.store).request(String(begun.event.id), { action: 'cancel', reason: 'x' })
  const cancelled = rig.wake(bot)
  await turns()
  await rig.clock.advance(9000)
  await turns()
  expect(texts(calls)).toEqual([])
  await rig.clock.advance(1000)
  await Promise.all([running, cancelled])
  world.open!('late')
  await turns()
  expect(texts(calls)).toEqual(['caught ERR_RUN_CANCELLED', 'This conversation was cancelled. To start again: /go'])
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  expect(logged).toEqual([])
})

test('a run that is cancelled during a step that ends in time does nothing more', async () => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start({ 'commands/go.ts': hanging })
  const begun = message({ command: 'go' })
  const running = Promise.resolve(bot.handle(begun))
  await turns()
  const cancelled = rig.cancel(bot, begun.event.id, 'x')
  await turns()
  world.open!('tea')
  await Promise.all([running, cancelled])
  expect(texts(calls)[0]).not.toBe('got tea')
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
})

test('a run ends at its timeout although its step hangs', async () => {
  const rig = new Restarts()
  const code = hanging.replace('durable: true,', "durable: true, timeout: '1m',")
  const { bot, calls } = await rig.start({ 'commands/go.ts': code })
  const running = Promise.resolve(bot.handle(message({ command: 'go' })))
  await turns()
  await rig.clock.advance(70_000)
  await running
  expect(texts(calls)[0]).toBe('caught ERR_RUN_CANCELLED')
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
})

test('a run that sleeps for ever can be listed and cancelled', async () => {
  const rig = new Restarts()
  const code = durable('await ctx.sleep(Number.MAX_SAFE_INTEGER)')
  const { bot, logged } = await rig.start({ 'commands/go.ts': code })
  const begun = message({ command: 'go' })
  await bot.handle(begun)
  expect(runView(await rig.head())).toMatchObject({ status: 'waiting', due_at: expect.stringMatching(/^\d{4}-/) })
  await rig.cancel(bot, begun.event.id, 'x')
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  expect(logged).toEqual([])
})

test('a step that cleans up has its own time to end', async () => {
  const cleaning = durable(`
    try { await ctx.step('work', () => new Promise((resolve) => (globalThis.open = resolve))); await ctx.sleep('1h') }
    finally { await ctx.reply(await ctx.step('undo', () => new Promise((resolve) => (globalThis.open = resolve)))) }`)
  const rig = new Restarts()
  const { bot, calls } = await rig.start({ 'commands/go.ts': cleaning })
  const begun = message({ command: 'go' })
  const running = Promise.resolve(bot.handle(begun))
  await turns()
  const cancelled = rig.cancel(bot, begun.event.id, 'x')
  await turns()
  await rig.clock.advance(9000)
  world.open!('done')
  await turns()
  await rig.clock.advance(5000)
  world.open!('undone')
  await Promise.all([running, cancelled])
  expect(texts(calls)).toEqual(['undone', 'This conversation was cancelled. To start again: /go'])
})

test('a step that cleans up and hangs ends, too', async () => {
  const rig = new Restarts()
  const never = 'new Promise(() => {})'
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable(`
      try { await ctx.step('work', () => ${never}) }
      finally { await ctx.step('undo', () => ${never}).catch((error) => ctx.reply(error.code)) }`),
  })
  const begun = message({ command: 'go' })
  const running = Promise.resolve(bot.handle(begun))
  await turns()
  const cancelled = rig.cancel(bot, begun.event.id, 'x')
  await turns()
  for (let i = 0; i < 3; i++) {
    await rig.clock.advance(10_000)
    await turns()
  }
  expect(texts(calls)).toEqual(['ERR_RUN_CANCELLED', 'This conversation was cancelled. To start again: /go'])
  await Promise.all([running, cancelled])
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  await rig.clock.advance(10_000)
  expect(rig.clock.waiting).toBe(0)
})
