import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('a task runs at its own time however far the clock leaps, also in a bot that loads its buttons when they are used', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { now: '2026-03-02T06:00:00Z' })
  // Started again it loads what it uses.
  await chat.restartBot()
  await chat.clock.advance('1d')
  const told = chat.log.filter(({ level, msg }) => level === 'warn' || msg === 'good morning')
  expect(told.map(({ time, msg }) => [time, msg])).toEqual([['2026-03-02T09:00:00.000Z', 'good morning']])
})

test('time waits for a command that is still being loaded, and for what its handler reads first', async () => {
  for (let bot = 1; bot <= 3; bot++) {
    await using chat = await startTestBot(new URL('.', import.meta.url))
    await chat.faults({ endpoint: 'messages.create', latency: { seconds: 5 } })
    const late = chat.person('ann').says('/slow')
    await chat.clock.advance({ seconds: 5 })
    expect(await late).toHaveReplied('At last.')
  }
})

test('an act waits for a command that takes longer to load than handlers are waited for', async () => {
  for (let bot = 1; bot <= 2; bot++) {
    await using chat = await startTestBot(new URL('.', import.meta.url), { env: { SLOW_LOAD_MS: '1300' } })
    expect(await chat.person('ann').says('/slow')).toHaveReplied('At last.')
  }
})
