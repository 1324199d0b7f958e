import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { AnswerBook } from './answer-book.ts'

function rig() {
  const clock = new VirtualClock()
  const book = new AnswerBook(clock)
  return { clock, book, open: (id: string, leftMs = 900_000) => book.open(id, leftMs) }
}

test('a click that is not counted has all its answers, and can always be answered', () => {
  const { book } = rig()
  expect([book.used('x'), book.left('x'), book.answered('x')]).toEqual([0, 10, false])
  for (let n = 0; n < 11; n++) book.take('x')
  book.giveBack('x')
  expect([book.used('x'), book.left('x')]).toEqual([0, 10])
})

test('a click accepts ten answers; one that was not used can be taken again', () => {
  const { book, open } = rig()
  open('x')
  expect([book.used('x'), book.left('x'), book.answered('x')]).toEqual([0, 10, false])
  book.giveBack('x')
  expect(book.used('x')).toBe(0)
  for (let n = 1; n <= 10; n++) {
    book.take('x')
    expect([book.used('x'), book.left('x'), book.answered('x')]).toEqual([n, 10 - n, false])
  }
  expect(() => book.take('x')).toThrow(expect.objectContaining({ code: 'ERR_ANSWERS_USED_UP', status: 0 }))
  book.giveBack('x')
  // Opening it again changes nothing.
  open('x')
  expect(book.left('x')).toBe(1)
  book.take('x')
  expect(book.left('x')).toBe(0)
  book.close('x')
  expect(book.left('x')).toBe(10)
})

test('a click expires at its time, and after 15 minutes at the latest', async () => {
  const { clock, book, open } = rig()
  open('soon', 1000)
  open('late', 1e9)
  await clock.advance(999)
  book.take('soon')
  await clock.advance(1)
  expect(book.left('soon')).toBe(0)
  expect(() => book.take('soon')).toThrow(
    expect.objectContaining({ code: 'ERR_INTERACTION_EXPIRED', endpoint: 'interactions.callback' }),
  )
  await clock.advance(900_000 - 1001)
  expect(book.left('late')).toBe(10)
  await clock.advance(1)
  expect(book.left('late')).toBe(0)
})

test('expired clicks are forgotten when another one arrives', async () => {
  const { clock, book, open } = rig()
  for (const id of ['a', 'b']) open(id, 1000)
  open('c', 2000)
  for (const id of ['a', 'b', 'c']) book.take(id)
  await clock.advance(1000)
  expect(book.used('a')).toBe(1)
  open('d')
  expect(['a', 'b', 'c'].map((id) => book.used(id))).toEqual([0, 0, 1])
})

test('a click is answered once the service has accepted an answer; one under way is not accepted yet', () => {
  const { book, open } = rig()
  open('x')
  book.take('x')
  expect([book.answering('x'), book.answered('x')]).toEqual([false, false])
  book.leaves('x')
  book.leaves('x')
  book.arrived('x', false)
  expect([book.answering('x'), book.answered('x')]).toEqual([true, false])
  book.arrived('x', true)
  expect([book.answering('x'), book.answered('x')]).toEqual([false, true])
  book.leaves('x')
  book.arrived('x', false)
  expect([book.answering('x'), book.answered('x')]).toEqual([false, true])
  // Clicks that are not counted.
  book.leaves('y')
  book.arrived('y', true)
  expect([book.answering('y'), book.answered('y')]).toEqual([false, false])
})

test('an answer counts for its click in whatever case its id is written [spec: decisions/52]', () => {
  const { book, open } = rig()
  const id = '0194f3a0-aaaa-7abc-8def-0123456789ab'
  const upper = id.toUpperCase()
  open(id)
  book.take(upper)
  book.leaves(upper)
  expect([book.used(id), book.answering(id), book.answered(id)]).toEqual([1, true, false])
  book.arrived(upper, true)
  expect([book.left(id), book.answering(id), book.answered(id)]).toEqual([9, false, true])
})
