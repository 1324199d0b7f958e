import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('runs a task at its scheduled time however far the clock jumps, also in a bot that loads buttons on first use', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { now: '2026-03-02T06:00:00Z' })
  // Started again, the bot loads files on first use.
  await chat.restartBot()
  await chat.clock.advance('1d')
  const told = chat.log.filter(({ level, msg }) => level === 'warn' || msg === 'good morning')
  expect(told.map(({ time, msg }) => [time, msg])).toEqual([['2026-03-02T09:00:00.000Z', 'good morning']])
})

test('the clock waits for a command that is still loading, and for the first reads of its handler', async () => {
  for (let bot = 1; bot <= 3; bot++) {
    await using chat = await startTestBot(new URL('.', import.meta.url))
    await chat.faults({ endpoint: 'messages.create', latency: { seconds: 5 } })
    const late = chat.person('ann').says('/slow')
    await chat.clock.advance({ seconds: 5 })
    expect(await late).toHaveReplied('At last.')
  }
})

test('an action waits for a command that loads more slowly than the time limit for handlers', async () => {
  for (let bot = 1; bot <= 2; bot++) {
    await using chat = await startTestBot(new URL('.', import.meta.url), { env: { SLOW_LOAD_MS: '1300' } })
    expect(await chat.person('ann').says('/slow')).toHaveReplied('At last.')
  }
})
