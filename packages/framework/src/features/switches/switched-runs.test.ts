import { expect, test } from 'vitest'
import { durable, Restarts, texts, turns } from '../durable/runs/restarts.test.fixture.ts'
import { wakeDelivery } from '../../link/run-event.ts'
import { message } from '../../tests/loaded-bot.test.fixture.ts'

// Switches for runs that go on.

const off = (name: string) => ({ off: [{ name, sinceMs: 0 }] })
const refusal = 'This command is switched off for now.'

test('a durable run whose process died inside its first step goes on', async () => {
  const rig = new Restarts()
  const files = (step: string) => ({
    'commands/go.ts': durable(
      `await ctx.step('first', () => 1); await ctx.step('second', () => ${step}); return 'done'`,
    ),
  })
  const first = await rig.start(files('new Promise(() => {})'))
  const begun = message({ command: 'go' })
  void first.bot.handle(begun)
  await turns()
  expect(await rig.store.list('run:log:')).not.toEqual([])
  const { bot, calls } = await rig.start(files('2'))
  await bot.handle({ ...begun, attempt: 2, ...off('/go') })
  expect(texts(calls)).toEqual(['done'])
  expect(await rig.store.list('run:log:')).toEqual([])
  // A new one does not begin, nor does one that had not recorded anything.
  await bot.handle({ ...message({ command: 'go' }), ...off('/go') })
  await bot.handle({ ...message({ command: 'go' }), attempt: 2, ...off('/go') })
  expect(texts(calls)).toEqual(['done', refusal, refusal])
})

test('an event that is not the answer of a run after all is refused', async () => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start({
    'commands/go.ts': durable("return 'done'"),
    'commands/roll.ts': "export default () => 'rolled'",
  })
  const answer = message({ command: 'roll' }).event
  const wake = wakeDelivery({ run: '7', file: 'commands/go.ts', answer }, { now: rig.clock.now() })
  await bot.handle({ ...wake, ...off('/roll') })
  expect(texts(calls)).toEqual([refusal])
  await bot.handle(wake)
  expect(texts(calls)).toEqual([refusal, 'rolled'])
})
