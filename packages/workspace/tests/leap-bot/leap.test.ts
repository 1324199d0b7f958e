import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

test('a task runs at its own time however far the clock leaps, also in a bot that loads its buttons when they are used', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { now: '2026-03-02T06:00:00Z' })
  // Started again it loads what it uses.
  await chat.restartBot()
  await chat.clock.advance('1d')
  const told = chat.log.filter(({ level, msg }) => level === 'warn' || msg === 'good morning')
  expect(told.map(({ time, msg }) => [time, msg])).toEqual([['2026-03-02T09:00:00.000Z', 'good morning']])
})
