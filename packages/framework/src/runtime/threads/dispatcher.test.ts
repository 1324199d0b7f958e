import type { BotEvent } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { deadLetter, type DispatcherOptions } from './dispatcher.ts'

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
