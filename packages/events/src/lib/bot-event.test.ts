import { describe, expect, it } from 'vitest'
import { isEventId, isShallow, laneKey, MAX_DEPTH, readEvent } from './bot-event.ts'
import { message } from './rig.test.fixture.ts'

const nowMs = Date.parse('2026-02-03T04:05:06.000Z')
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

describe('reading an event', () => {
  it('returns a complete event as it is', () => {
    const event = { ...message(7), later: 1 }
    expect(readEvent(event, nowMs)).toBe(event)
  })

  it.each([[undefined], [null], [5]])(
    'fills in the time of arrival for created_at %j, and empty data',
    (created_at) => {
      expect(readEvent({ id: 7, type: 'x', created_at }, nowMs)).toEqual({
        id: 7,
        type: 'x',
        data: {},
        created_at: '2026-02-03T04:05:06.000Z',
      })
      expect(readEvent({ id: 7, type: 'x', data: { a: 1 }, created_at }, nowMs)).toMatchObject({ data: { a: 1 } })
    },
  )

  it('keeps the time of an event without data', () => {
    const created_at = '2026-01-01T00:00:00Z'
    expect(readEvent({ id: 7, type: 'x', data: null, created_at, later: 1 }, nowMs)).toEqual({
      id: 7,
      type: 'x',
      data: {},
      created_at,
      later: 1,
    })
  })

  it.each<[unknown, string]>([
    [null, 'it is not an object'],
    [[], 'it is not an object'],
    ['x', 'it is not an object'],
    [{ type: 'x', data: {} }, 'its id is not a positive integer'],
    [{ id: 7, data: {} }, 'its type is not a string (event 7)'],
    [{ id: 7, type: '', data: {} }, 'its type is not a string (event 7)'],
    [{ id: 7, type: 'x', data: [] }, 'its data is not an object (event 7)'],
    [{ id: 7, type: 'x', data: 'x' }, 'its data is not an object (event 7)'],
    [{ id: 7, type: 'x', data: { a: nested(MAX_DEPTH) } }, 'it is nested deeper than 128 (event 7)'],
  ])('%#: returns the reason if it is unusable', (value, reason) => {
    expect(readEvent(value, nowMs)).toBe(reason)
  })

  it('accepts ids that are positive safe integers', () => {
    const ids = [-1, 0, 1, 1.5, '1', NaN, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    expect(ids.filter(isEventId)).toEqual([1, Number.MAX_SAFE_INTEGER])
  })

  it('accepts objects and arrays up to the maximum depth', () => {
    for (const [value, levels] of [
      ['x', 0],
      [null, 0],
      [{ a: 'x', b: null }, 1],
      [[[]], 2],
      [{ a: 'x', b: [{}] }, 3],
    ] as const) {
      expect(isShallow(value, levels)).toBe(true)
      if (levels > 0) expect(isShallow(value, levels - 1)).toBe(false)
    }
    expect(isShallow(nested(MAX_DEPTH))).toBe(true)
    expect(isShallow(nested(MAX_DEPTH + 1))).toBe(false)
  })
})

it('events of one channel share a queue, and so do clicks on one message', () => {
  const keyOf = (type: string, data: Record<string, unknown>) => laneKey({ ...message(1), type, data })
  expect(keyOf('message', { channel_id: 'c', message_id: 'm' })).toBe('c')
  expect(keyOf('interaction', { channel_id: 'c', message_id: 'm' })).toBe('click:m')
  expect(keyOf('interaction', { channel_id: 'c', message_id: 5 })).toBe('c')
  expect(keyOf('member_join', { channel_id: null, server_id: 's' })).toBe('s:member_join')
  expect(keyOf('member_join', { server_id: {} })).toBe('null:member_join')
})
