import { type Clock, VirtualClock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { defaults } from '../../author/config/config.ts'
import { deadLetter, type DispatcherOptions, limitLifecycle } from './dispatcher.ts'

/** Sets an event aside; returns what was stored, observed and logged. */
function setAside(id: number) {
  const seen: unknown[] = []
  const event = { id, type: 'message', data: {}, created_at: '2026-01-01T00:00:00Z' } as BotEvent
  const options = {
    log: { error: (_: object, text: string) => void seen.push(text) },
    observer: { outcome: (outcome: object) => void seen.push(outcome) },
    onDeadLetter: async (...given: unknown[]) => seen.push(given) > 0,
  } as unknown as DispatcherOptions
  deadLetter(options, event, { reason: 'its worker died', file: 'events/message.ts' })
  return { seen, event }
}

test('an event that is set aside is stored, observed and logged', () => {
  const { seen, event } = setAside(7)
  expect(seen).toEqual([
    [event, 'its worker died'],
    {
      ...{ eventId: 7, type: 'message', file: 'events/message.ts', result: 'dead_lettered' },
      error: { message: 'its worker died', at: 'events/message.ts', reference: '' },
    },
    expect.stringMatching(/^event 7 \(message\) is set aside: its worker died; framework replay 7 runs it again/),
  ])
})

test("an event of the bot's own is not set aside", () => {
  expect(setAside(0).seen).toEqual([])
})

/** Runs a lifecycle file with a limit. Returns the clock of the limit, and what is logged. */
function limited(running: Promise<void>) {
  const base = new VirtualClock()
  const timers: boolean[] = []
  const clock: Clock = {
    now: () => base.now(),
    monotonic: () => base.monotonic(),
    after: (ms, fire, options) => {
      timers.push(options?.keepAlive === true)
      return base.after(ms, fire)
    },
  }
  const logged: string[] = []
  const log = { error: (_: object, text: string) => void logged.push(text) }
  const options = { clock, log, config: defaults } as unknown as DispatcherOptions
  return { base, logged, timers, ended: limitLifecycle(options, 'shutdown', running) }
}

test('a lifecycle file that never ends keeps the process alive until it is logged', async () => {
  const { base, ended, logged, timers } = limited(new Promise(() => {}))
  expect(timers).toEqual([true])
  await base.advance(60_000)
  await ended
  expect(logged).toEqual([
    expect.stringMatching(/^events\/shutdown\.ts: did not end within 60 s; the bot stops without/),
  ])
})

test.each([
  ['ends', () => Promise.resolve()],
  ['is abandoned with its code', () => Promise.reject(new Error('another instance has taken over'))],
])('a lifecycle file that %s is not logged as late', async (_how, run) => {
  const { base, ended, logged } = limited(run())
  await ended
  await base.advance(60_000)
  expect([logged, base.waiting]).toEqual([[], 0])
})
