import { expect, test } from 'vitest'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { wakeDelivery } from '../../../link/run-event.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

test('a write that fails after the answer has ended the run leaves nothing of it, and both answers are settled', async () => {
  const rig = new Restarts()
  const { set } = rig.store
  let fail: ((error: Error) => void) | undefined
  let holds = false
  rig.store.set = (...given) => {
    if (!holds || !given[0].startsWith('run:head:')) return set.apply(rig.store, given)
    holds = false
    return new Promise((_resolve, reject) => (fail = reject))
  }
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable(
      "const name = await ctx.ask('Name?', { timeout: '1h' }); return name + (await ctx.ask('Age?', { timeout: '1h' }))",
    ),
  })
  const says = (n: number, content: string) => {
    const created_at = new Date(rig.clock.now()).toISOString()
    return Promise.resolve(bot.handle(message({ id: id(n), content, created_at })))
  }
  await bot.handle(message({ command: 'go' }))
  holds = true
  const settled: string[] = []
  void says(11, 'Ann').then(() => settled.push('Ann'))
  await turns()
  expect(fail).toBeDefined()
  void says(12, '7').then(() => settled.push('7'))
  await turns()
  fail!(new Error('no connection'))
  await turns()
  await rig.clock.advance(61_000)
  await turns()
  expect(texts(calls)).toEqual(['Name?', 'Age?', 'Ann7'])
  expect(await rig.head()).toMatchObject({ status: 'done' })
  expect(settled.sort()).toEqual(['7', 'Ann'])
  expect((await rig.store.list('run:')).map(({ key }) => key).filter((key) => /log|key|due/.test(key))).toEqual([])
})

test('an answer that is passed to a run while its wait is being stored reaches it', async () => {
  const rig = new Restarts()
  const { set } = rig.store
  let release: (() => void) | undefined
  rig.store.set = async (...given) => {
    if (given[0].startsWith('run:head:')) await new Promise<void>((resolve) => (release ??= resolve))
    return set.apply(rig.store, given)
  }
  const file = 'commands/go.ts'
  const { bot, calls } = await rig.start({ [file]: durable("return 'got ' + (await ctx.ask('Name?'))") })
  const begun = message({ command: 'go' })
  const beginning = bot.handle(begun)
  await turns()
  expect(texts(calls)).toEqual(['Name?'])
  const { event } = message({ id: id(11), content: 'Ann', created_at: new Date(rig.clock.now()).toISOString() })
  const passing = bot.handle(
    wakeDelivery({ run: String(begun.event.id), file, answer: event }, { now: rig.clock.now() }),
  )
  await turns()
  rig.store.set = set
  release!()
  await beginning
  await passing
  expect(texts(calls)).toEqual(['Name?', 'got Ann'])
})
