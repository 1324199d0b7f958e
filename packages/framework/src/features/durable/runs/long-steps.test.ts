import { expect, test } from 'vitest'
import { wakeDelivery } from '../../../link/run-event.ts'
import { RunStore } from '../stored/run-store.ts'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Steps that take longer than an event waits for its handler: the process may die after that.

const work = { slow: '() => new Promise((resolve) => (globalThis.open = resolve))', quick: "() => 'tea'" }
const world = globalThis as { open?: (value: string) => void }
const bots = {
  'the first step': (step: string) => ({ 'commands/go.ts': durable(`return 'got ' + (await ctx.step('x', ${step}))`) }),
  'a step after an answer': (step: string) => ({
    'commands/go.ts': durable(
      `await ctx.ask('Name?', { timeout: '3d' }); return 'got ' + (await ctx.step('x', ${step}))`,
    ),
  }),
  'a step of a further part': (step: string) => ({
    'commands/go.ts': durable(
      `if (!ctx.args.again) return ctx.continueAs({ again: 1 }); return 'got ' + (await ctx.step('x', ${step}))`,
      'args: { again: integer().optional() },',
    ).replace('{ command }', '{ command, integer }'),
  }),
}

/** Begins the run and leads it to the step, which takes a minute so far: its event counts as handled. */
async function reachStep(rig: Restarts, files: Record<string, string>) {
  const begun = await rig.start(files)
  void begun.bot.handle(message({ command: 'go' }))
  await turns()
  if (texts(begun.calls).includes('Name?')) {
    void begun.bot.handle(message({ id: id(11), content: 'Ann', created_at: new Date(rig.clock.now()).toISOString() }))
    await turns()
  }
  await rig.clock.advance(60_000)
  await turns()
  return begun
}

test.each(Object.entries(bots))('a run continues if the process dies during %s', async (_, code) => {
  const rig = new Restarts()
  await reachStep(rig, code(work.slow))
  const { bot, calls } = await rig.start(code(work.quick))
  await rig.wake(bot)
  await turns()
  expect(texts(calls)).toEqual(['got tea'])
  expect(await rig.head()).toMatchObject({ status: 'done' })
  expect(await new RunStore(rig.store).due(10)).toEqual([])
})

test.each(Object.entries(bots))('a run that is still there continues once, after %s', async (_, code) => {
  const rig = new Restarts()
  const { bot, calls } = await reachStep(rig, code(work.slow))
  await rig.wake(bot)
  expect(texts(calls).filter((text) => text !== 'Name?')).toEqual([])
  world.open!('tea')
  await turns()
  await rig.wake(bot)
  expect(texts(calls).filter((text) => text !== 'Name?')).toEqual(['got tea'])
  expect(await rig.head()).toMatchObject({ status: 'done' })
})

test('a time that has come does not wait for a run that works already', async () => {
  const rig = new Restarts()
  const code = `await ctx.sleep('20s'); return 'got ' + (await ctx.step('x', ${work.slow}))`
  const { bot, calls } = await rig.start({ 'commands/go.ts': durable(code) })
  await bot.handle(message({ command: 'go' }))
  // Read before the run is stored again.
  const [sleep] = await new RunStore(rig.store).due(10)
  await rig.clock.advance(20_000, turns)
  await rig.clock.advance(31_000, turns)
  const [working] = await new RunStore(rig.store).due(10)
  expect(working!.key).not.toBe(sleep!.key)
  const wakes = [sleep!, working!].map(async ({ key, value }) =>
    bot.handle(wakeDelivery({ ...value, file: 'commands/go.ts', due: key }, { now: rig.clock.now() })),
  )
  const ended = await Promise.race([Promise.all(wakes).then(() => 'at once'), turns().then(() => 'later')])
  world.open!('tea')
  await turns()
  expect([ended, texts(calls)]).toEqual(['at once', ['got tea']])
  expect(await new RunStore(rig.store).due(10)).toEqual([])
})
