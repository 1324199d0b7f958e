import type { BotEvent } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { leaderJournal, type Position } from './journal.ts'

const message = (id: number): BotEvent => ({ id, type: 'message', data: {}, created_at: '2026-01-01T00:00:00.000Z' })

function journalOf(position?: Position) {
  const moves: [Position, boolean][] = []
  const done: number[] = []
  const aside: [BotEvent, string][] = []
  const journal = leaderJournal({
    position,
    moved: (to, reset) => void moves.push([to, reset]),
    offersDone: (ids) => void done.push(...ids),
    setAside: (event, reason) => void aside.push([event, reason]),
    countSetAside: () => aside.length,
  })
  return { journal, moves, done, aside }
}

test('a feed goes on from the position that was saved, and a first one has none', () => {
  expect(journalOf().journal.cursor()).toBeUndefined()
  const { journal } = journalOf({ after: 7, savedAtMs: 5, era: 2 })
  expect(journal.cursor()).toEqual({ after: 7, savedAtMs: 5, era: 2 })
})

test('each new position is handed on, in the era of its ids', () => {
  const { journal, moves } = journalOf({ after: 7, savedAtMs: 5, era: 2 })
  expect(journal.commit({ started: [{ key: '8@2', attempt: 1 }] })).toBe(true)
  expect(moves).toEqual([])
  journal.commit({ done: ['8@2'], cursor: { after: 8, savedAtMs: 6, era: 2 } })
  expect(moves).toEqual([[{ after: 8, savedAtMs: 6, era: 2 }, false]])
  expect(journal.cursor()).toEqual({ after: 8, savedAtMs: 6, era: 2 })
  journal.commit({ reset: true, cursor: { after: 3, savedAtMs: 7, era: 3 } })
  expect(moves.at(-1)).toEqual([{ after: 3, savedAtMs: 7, era: 3 }, true])
})

test('a copy of a webhook is given up when it is published', () => {
  const { journal, done } = journalOf()
  journal.commit({ offered: [message(1), message(2)] })
  expect([journal.holds(message(1)), journal.holds(message(2))]).toEqual([true, true])
  journal.commit({ done: [2, 9] })
  expect(done).toEqual([2])
  expect([journal.holds(message(1)), journal.holds(message(2))]).toEqual([true, false])
})

test('events that are set aside go to the shared list', () => {
  const { journal, aside } = journalOf()
  journal.commit({ setAside: [{ event: message(4), reason: 'why', atMs: 1 }] })
  expect(journal.setAside(message(5), 'because')).toBe(true)
  expect(aside.map(([{ id }, why]) => [id, why])).toEqual([
    [4, 'why'],
    [5, 'because'],
  ])
  expect(journal.countSetAside()).toBe(2)
  expect(journal.listSetAside()).toEqual([])
})

test('a closed journal takes nothing more', () => {
  const { journal, moves } = journalOf()
  journal.close()
  expect(journal.commit({ cursor: { after: 1, savedAtMs: 1 } })).toBe(false)
  expect(moves).toEqual([])
})
