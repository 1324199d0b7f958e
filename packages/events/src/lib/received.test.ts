import { describe, expect, it } from 'vitest'
import { Received } from './received.ts'

const finish = (received: Received<string>, id: number) => {
  received.open.delete(id)
  return received.advance()
}

describe('the cursor', () => {
  it('moves along the received ids, and not past an open one', () => {
    const received = new Received<string>({ after: 10 }, [])
    received.reached(30)
    for (const id of [20, 30]) received.add(id, `${id}`)
    expect(received.advance()).toBe(10)
    expect(finish(received, 30)).toBe(10)
    expect(finish(received, 20)).toBe(30)
  })

  it('reaches the end of the page once all its events are finished, whatever their order', () => {
    const received = new Received<string>({ after: 1 }, [])
    received.reached(50)
    for (const id of [40, 20, 30]) received.add(id, `${id}`)
    expect(finish(received, 20)).toBe(20)
    expect(finish(received, 40)).toBe(20)
    expect(finish(received, 30)).toBe(50)
  })

  it('does not move for ids that no poll has confirmed', () => {
    const received = new Received<string>({ after: 1 }, [])
    received.add(7, '7')
    expect(finish(received, 7)).toBe(1)
    received.reached(6)
    expect(received.advance()).toBe(6)
    expect(received.isKnown(7)).toBe(true)
    received.reached(7)
    expect(received.advance()).toBe(7)
  })

  it('sorts early ids into the order of the page', () => {
    const received = new Received<string>({ after: 1 }, [])
    for (const id of [9, 5, 7]) received.add(id, `${id}`)
    received.reached(8)
    received.add(6, '6')
    expect(finish(received, 7)).toBe(1)
    expect(finish(received, 5)).toBe(5)
    expect(finish(received, 6)).toBe(8)
    received.reached(9)
    expect(received.advance()).toBe(8)
    expect(finish(received, 9)).toBe(9)
  })

  it('does not move back for ids that were finished before a restart', () => {
    const received = new Received<string>({ after: 10 }, [5, 12])
    received.add(11, '11')
    received.reached(12)
    expect(received.advance()).toBe(10)
    expect(finish(received, 11)).toBe(12)
  })

  it('is correct after more ids than it keeps in memory', () => {
    const received = new Received<string>({ after: 0 }, [])
    received.reached(10_001)
    for (let id = 1; id <= 10_001; id++) received.add(id, `${id}`)
    for (let id = 1; id <= 5000; id++) received.open.delete(id)
    expect(received.advance()).toBe(5000)
    for (let id = 5001; id <= 10_000; id++) expect(finish(received, id)).toBe(id)
    expect(received.isKnown(10_001)).toBe(true)
    expect(finish(received, 10_001)).toBe(10_001)
  })
})

describe('known ids', () => {
  it('are those at or below the cursor, and those received', () => {
    const received = new Received<string>({ after: 10 }, [14])
    received.reached(12)
    received.add(12, '12')
    expect([9, 10, 11, 12, 13, 14, 15].filter((id) => received.isKnown(id))).toEqual([9, 10, 12, 14])
    received.open.delete(12)
    received.advance()
    expect(received.isKnown(11)).toBe(true)
  })

  it('are forgotten by a reset', () => {
    const received = new Received<string>({ after: 10 }, [40])
    received.reached(30)
    for (const id of [20, 50]) received.add(id, `${id}`)
    received.reset(3)
    expect([received.cursor, received.polled]).toEqual([3, 3])
    expect([3, 4, 20, 40, 50].filter((id) => received.isKnown(id))).toEqual([3])
    received.reached(60)
    expect(received.advance()).toBe(60)
  })
})

it('the oldest is the open entry that was received first', () => {
  const received = new Received<string>({ after: 1 }, [])
  expect(received.oldest).toBeUndefined()
  received.add(9, 'first')
  received.add(5, 'second')
  expect(received.oldest).toBe('first')
  received.open.delete(9)
  expect(received.oldest).toBe('second')
})
