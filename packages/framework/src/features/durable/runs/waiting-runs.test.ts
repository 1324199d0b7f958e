import { expect, test } from 'vitest'
import { wakeDelivery } from '../../../link/run-event.ts'
import { click, deliver, id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Runs that wait: how they are stored, continue, and are dropped from memory.

test('a run that continues while its wait is being stored is not dropped, and does nothing twice', async () => {
  const world = globalThis as { step?: (() => Promise<void>) | undefined }
  const rig = new Restarts()
  const set = rig.store.set.bind(rig.store)
  let stored!: () => void
  const isStored = new Promise<void>((resolve) => (stored = resolve))
  rig.store.set = async (key, ...rest) => {
    if (key.startsWith('run:head:')) await isStored
    return set(key, ...rest)
  }
  let runs = 0
  let end!: () => void
  const ended = new Promise<void>((resolve) => (end = resolve))
  world.step = () => (runs++, ended)
  try {
    const { bot, calls } = await rig.start({
      'commands/go.ts': durable(
        "await ctx.sleep('2ms'); await ctx.step('long', () => globalThis.step()); return 'done'",
      ),
    })
    const begun = bot.handle(message({ command: 'go' }))
    await turns()
    await rig.clock.advance(2)
    await turns()
    expect(runs).toBe(1)
    stored()
    await turns()
    await rig.clock.advance(60_000)
    const waking = rig.wake(bot)
    await turns()
    end()
    await Promise.all([begun, waking])
    await turns()
    expect([runs, texts(calls)]).toEqual([1, ['done']])
    expect(await rig.head()).toMatchObject({ status: 'done', waits: [] })
  } finally {
    delete world.step
  }
})

test('large results next to an open wait do not end a run that continues after a restart', async () => {
  const rig = new Restarts()
  const files = {
    'commands/go.ts': durable(`
      await Promise.all([ctx.sleep('1h'), ctx.step('load', () => 'x'.repeat(300_000))])`),
  }
  const first = await rig.start(files)
  await first.bot.handle(message({ command: 'go' }))
  const { bot, logged } = await rig.start(files)
  await rig.clock.advance(3_600_000)
  await rig.wake(bot)
  expect(logged).toEqual([])
  expect(await rig.head()).toMatchObject({ status: 'done' })
})

test('an expired approval names its whole timeout, even after a click that did not count', async () => {
  const rig = new Restarts()
  const approval = durable(`
    const by = guard({ describe: 'only managers', check: () => false, refusal: 'Ask a manager.' })
    await ctx.approve({ in: '${id(20)}', title: 'May I?', by, timeout: '3d' })`).replace(
    '{ command }',
    '{ command, guard }',
  )
  const { bot, calls } = await rig.start({ 'commands/go.ts': approval })
  const begun = message({ command: 'go' })
  await bot.handle(begun)
  await rig.clock.advance(2 * 86_400_000)
  const click = { message_id: id(501), channel_id: id(20), user_id: id(41), username: 'bob', id: id(50), token: 't' }
  const { event: answer } = deliver('interaction', { ...click, custom_id: 'x' })
  const wake = { run: String(begun.event.id), file: 'commands/go.ts', answer }
  await bot.handle(wakeDelivery(wake, { now: rig.clock.now() }))
  await rig.clock.advance(86_400_000)
  await rig.wake(bot)
  expect(texts(calls)).toEqual(['May I?', 'No answer came within 3 days. To start again: /go'])
  expect(calls.map(([name]) => name)).toContain('interactions.callback')
})

const guarded = (run: string, options?: string) => durable(run, options).replace('{ command }', '{ command, guard }')
const step = "await ctx.step('old', () => 1);"

test('ctx.continueAs next to a question that is not posted yet blocks no later event', async () => {
  const rig = new Restarts()
  const run =
    "if (ctx.args.round === 1) await Promise.all([ctx.ask('Word?'), ctx.continueAs({ round: 2 })]); return 'done'"
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable(run, 'args: { round: integer().default(1) },').replace(
      '{ command }',
      '{ command, integer }',
    ),
    'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
  })
  await bot.handle(message({ command: 'go' }))
  await bot.handle(message({ content: 'tea' }))
  expect(texts(calls).slice(-2)).toEqual(['done', 'heard tea'])
})

test('a run that ends while it posts a question blocks no later event', async () => {
  const approve = `await ctx.approve({ in: '${id(20)}', title: 'May I?', by: guard({ describe: 'x', refusal: '', check: () => true }) })`
  for (const question of ["await ctx.ask('Word?')", "await ctx.choose('Which?', ['a'])", approve]) {
    const rig = new Restarts()
    const files = (before: string, options?: string) => ({
      'commands/go.ts': guarded(`${before} ${question}`, options),
      'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
    })
    const first = await rig.start(files(step))
    const begun = message({ command: 'go' })
    await first.bot.handle(begun)
    const { bot, calls } = await rig.start(files('', 'version: 2,'))
    const { event: answer } = message({ content: 'tea' })
    await bot.handle(
      wakeDelivery({ run: String(begun.event.id), file: 'commands/go.ts', answer }, { now: rig.clock.now() }),
    )
    await bot.handle(message({ content: 'coffee' }))
    await bot.handle(click('?a'))
    expect(texts(calls)).toEqual([expect.stringMatching(/^This bot was updated/), 'heard tea', 'heard coffee'])
    expect(calls.map(([name]) => name)).toContain('interactions.callback')
  }
})

test('a run that has ended stays ended, although a question is open and a step ends while its end is being stored', async () => {
  const world = globalThis as { step?: (() => Promise<void>) | undefined }
  const rig = new Restarts()
  const set = rig.store.set.bind(rig.store)
  let stored!: () => void
  const isStored = new Promise<void>((resolve) => (stored = resolve))
  let over!: () => void
  const isOver = new Promise<void>((resolve) => (over = resolve))
  rig.store.set = async (key, value, ...rest) => {
    if ((value as { status?: string }).status === 'done') await isStored
    return set(key, value, ...rest)
  }
  world.step = () => isOver
  try {
    const steps = "ctx.step('slow', () => globalThis.step()), ctx.step('quick', () => 1)"
    const { bot } = await rig.start({ 'commands/go.ts': durable(`await Promise.race([ctx.ask('Name?'), ${steps}])`) })
    const begun = bot.handle(message({ command: 'go' }))
    await turns()
    over()
    await turns()
    stored()
    await begun
    await turns()
    expect(await rig.head()).toMatchObject({ status: 'done', waits: [] })
    expect(await rig.store.list('run:key:')).toEqual([])
  } finally {
    delete world.step
  }
})

test('a run whose file is gone is reported once, however often it is woken', async () => {
  const rig = new Restarts()
  const { bot: former } = await rig.start({ 'commands/go.ts': durable("await ctx.sleep('1h'); return 'done'") })
  await former.handle(message({ command: 'go' }))
  const { bot, logged } = await rig.start({ 'commands/other.ts': durable('') })
  await rig.clock.advance(3_600_000)
  for (let i = 0; i < 3; i++) {
    await rig.wake(bot)
    await rig.clock.advance(30_000)
  }
  expect(logged).toEqual([expect.stringMatching(/^commands\/go\.ts is gone: run \d+ waits until it exists again$/)])
  const { bot: again, calls } = await rig.start({ 'commands/go.ts': durable("await ctx.sleep('1h'); return 'done'") })
  await rig.wake(again)
  expect(texts(calls)).toEqual(['done'])
})
