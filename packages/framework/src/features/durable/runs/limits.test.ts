import { expect, test } from 'vitest'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Runs that reach a limit of their record, and run again.

test.each([
  ['bytes', "await ctx.step('load', () => 'x'.repeat(300_000)); await ctx.step('use', () => 1)"],
  ['steps', "await Promise.all(Array.from({ length: 1001 }, (_, i) => ctx.step('s' + i, () => i)))"],
])('a run that ends at the limit of %s ends so again, if its end could not be stored', async (_, code) => {
  const rig = new Restarts()
  const set = rig.store.set.bind(rig.store)
  let fails = true
  rig.store.set = (key, ...rest) =>
    fails && key.startsWith('run:head:') ? Promise.reject(new Error('disk full')) : set(key, ...rest)
  const { bot, calls, logged } = await rig.start({ 'commands/go.ts': durable(code) })
  const ended = bot.handle(message({ command: 'go' }))
  while (logged.length < 2) await turns()
  fails = false
  await rig.clock.advance(30_000)
  await ended
  expect(texts(calls)).toEqual([expect.stringMatching(/^Something went wrong/)])
  expect(logged.filter((line) => !line.includes('a run has at most 1000 steps'))).toEqual([
    expect.stringContaining('disk full'),
  ])
  expect(await rig.head()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('a run has at most') as string,
  })
})
