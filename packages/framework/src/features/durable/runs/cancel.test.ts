import { expect, test } from 'vitest'
import { message, start } from '../../../tests/loaded-bot.test.fixture.ts'
import { RunStore } from '../stored/run-store.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Runs that are cancelled: from outside, and at the end of their timeout.

const cleaning = durable(`
  try { await ctx.ask('Word?', { timeout: '1d' }) }
  catch (error) { await ctx.step('note', () => error.code); throw error }
  finally { await ctx.send(ctx.channel_id, 'cleaned up') }`)

test('a cancelled handler gets an error where it waits, cleans up, and its user is notified', async () => {
  const rig = new Restarts()
  const { bot, calls, logged } = await rig.start({ 'commands/go.ts': cleaning })
  const { event } = message({ command: 'go' })
  const delivery = { event, attempt: 1 }
  await bot.handle(delivery)
  await rig.cancel(bot, event.id, 'asked by an operator')
  expect(texts(calls)).toEqual(['Word?', 'cleaned up', 'This conversation was cancelled. To start again: /go'])
  expect(await rig.head()).toMatchObject({ status: 'cancelled', waits: [], error: 'asked by an operator' })
  await turns()
  expect(await rig.store.list('run:log:')).toEqual([])
  await rig.cancel(bot, event.id, 'again')
  await rig.cancel(bot, 99, 'no such run')
  expect(await rig.head()).toMatchObject({ error: 'asked by an operator' })
  expect(logged).toEqual([])
})

test('a run can be cancelled after a restart, and the next answer is an ordinary message', async () => {
  const rig = new Restarts()
  const files = { 'commands/go.ts': cleaning, 'events/message.ts': "export default (ctx) => 'heard ' + ctx.content" }
  const first = await rig.start(files)
  const delivery = message({ command: 'go' })
  await first.bot.handle(delivery)
  const { bot, calls } = await rig.start(files)
  await rig.cancel(bot, delivery.event.id, 'no longer needed')
  await bot.handle(message({ content: 'tea' }))
  expect(texts(calls)).toEqual(['cleaned up', 'This conversation was cancelled. To start again: /go', 'heard tea'])
})

test('a cancelled handler cannot wait again, and may end with an answer of its own', async () => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable(`
      const codes = []
      for (const wait of [() => ctx.sleep('1d'), () => ctx.ask('Word?'), () => ctx.sleep('1s')])
        await wait().catch((error) => codes.push(error.code))
      return codes.join()`),
  })
  const delivery = message({ command: 'go' })
  await bot.handle(delivery)
  await rig.cancel(bot, delivery.event.id, 'x')
  expect(texts(calls)).toEqual(['Word?', 'ERR_RUN_CANCELLED,ERR_RUN_CANCELLED,ERR_RUN_CANCELLED'])
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
})

test('a cancelled choice loses its buttons', async () => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start({ 'commands/go.ts': durable("await ctx.choose('Which?', ['a'])") })
  const delivery = message({ command: 'go' })
  await bot.handle(delivery)
  await rig.cancel(bot, delivery.event.id, 'x')
  expect(calls.find(([name]) => name === 'messages.update')?.[1]).toMatchObject({ components: null })
})

test('a run whose code has changed or is gone can be cancelled', async () => {
  for (const [after, said] of [
    [
      { 'commands/go.ts': durable("await ctx.step('other', () => 1)") },
      ['This conversation was cancelled. To start again: /go'],
    ],
    [{ 'commands/else.ts': durable('') }, []],
  ] as const) {
    const rig = new Restarts()
    const first = await rig.start({ 'commands/go.ts': cleaning })
    const delivery = message({ command: 'go' })
    await first.bot.handle(delivery)
    const { bot, calls } = await rig.start(after)
    await rig.cancel(bot, delivery.event.id, 'obsolete')
    expect(texts(calls)).toEqual(said)
    expect(await rig.head()).toMatchObject({ status: 'cancelled', error: 'obsolete' })
  }
})

test('a run ends at its timeout, even after a restart', async () => {
  const files = { 'commands/go.ts': durable("await ctx.ask('Word?', { timeout: '30d' })", "timeout: '7d',") }
  for (const restart of [false, true]) {
    const rig = new Restarts()
    let { bot, calls } = await rig.start(files)
    await bot.handle(message({ command: 'go' }))
    await rig.clock.advance(6 * 86_400_000)
    if (restart) ({ bot, calls } = await rig.start(files))
    expect((await rig.head()).status).toBe('waiting')
    await rig.clock.advance(86_400_000)
    await rig.wake(bot)
    expect(texts(calls).at(-1)).toBe(
      'This conversation took longer than 7 days, so it was stopped. To start again: /go',
    )
    expect(await rig.head()).toMatchObject({
      status: 'cancelled',
      error: 'This conversation took longer than 7 days, so it was stopped.',
    })
  }
})

test('a run that is retried has the whole of its timeout again', async () => {
  const failing = durable(
    "await ctx.ask('Word?', { timeout: '30d' }); await ctx.step('x', () => { throw new Error('x') })",
    "timeout: '7d',",
  )
  const rig = new Restarts()
  const { bot, calls } = await rig.start({ 'commands/go.ts': failing })
  await bot.handle(message({ command: 'go' }))
  await rig.clock.advance(6 * 86_400_000)
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea', created_at: new Date(rig.clock.now()).toISOString() }))
  const failed = await rig.head()
  expect(failed.status).toBe('failed')
  await new RunStore(rig.store).request(failed.id, { action: 'retry' })
  await rig.wake(bot)
  await rig.clock.advance(6 * 86_400_000)
  expect((await rig.head()).status).toBe('waiting')
  await rig.clock.advance(86_400_000)
  await rig.wake(bot)
  expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  expect(texts(calls).at(-1)).toBe('This conversation took longer than 7 days, so it was stopped. To start again: /go')
})

test('rejects an invalid timeout, and names the file', async () => {
  const wrong = (options: string) => start({ 'commands/go.ts': durable('', options) })
  await expect(wrong("timeout: 'soon',")).rejects.toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringMatching(/^commands\/go\.ts: timeout must be a duration/) as string,
  })
  await expect(wrong("timeout: '1d', durable: undefined,")).rejects.toMatchObject({
    message: expect.stringMatching(/^commands\/go\.ts: timeout has an effect only on durable handlers/) as string,
  })
})

test('a request to cancel a run that is being retried is not lost', async () => {
  const gate = globalThis as { gate?: Promise<void> | undefined }
  const rig = new Restarts()
  const run =
    "if (!globalThis.gate) throw new Error('x'); await ctx.step('slow', () => globalThis.gate); await ctx.sleep('1h')"
  const { bot } = await rig.start({ 'commands/go.ts': durable(run) })
  const delivery = message({ command: 'go' })
  await bot.handle(delivery)
  const runs = new RunStore(rig.store)
  const id = String(delivery.event.id)
  await runs.request(id, { action: 'retry' })
  let open!: () => void
  gate.gate = new Promise((resolve) => (open = resolve))
  try {
    const retrying = rig.wake(bot)
    await turns()
    await runs.request(id, { action: 'cancel' })
    open()
    await retrying
    expect(await runs.isRequested(id, 'cancel')).toBe(true)
    await rig.wake(bot)
    expect(await rig.head()).toMatchObject({ status: 'cancelled' })
    expect(await runs.isRequested(id, 'cancel')).toBe(false)
  } finally {
    delete gate.gate
  }
})
