import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ClickAnswers } from './click-answers.ts'

function rig() {
  const clock = new VirtualClock()
  const answers = new ClickAnswers(clock)
  return { clock, answers, open: (id: string, leftMs = 900_000) => answers.open(id, leftMs) }
}

test('a click that is not counted has all its answers, and can always be answered', () => {
  const { answers } = rig()
  expect([answers.used('x'), answers.left('x'), answers.answered('x')]).toEqual([0, 10, false])
  for (let n = 0; n < 11; n++) answers.take('x')
  answers.giveBack('x')
  expect([answers.used('x'), answers.left('x')]).toEqual([0, 10])
})

test('a click accepts ten answers; one that was not used can be taken again', () => {
  const { answers, open } = rig()
  open('x')
  expect([answers.used('x'), answers.left('x'), answers.answered('x')]).toEqual([0, 10, false])
  answers.giveBack('x')
  expect(answers.used('x')).toBe(0)
  for (let n = 1; n <= 10; n++) {
    answers.take('x')
    expect([answers.used('x'), answers.left('x'), answers.answered('x')]).toEqual([n, 10 - n, false])
  }
  expect(() => answers.take('x')).toThrow(expect.objectContaining({ code: 'ERR_ANSWERS_USED_UP', status: 0 }))
  answers.giveBack('x')
  // Opening it again changes nothing.
  open('x')
  expect(answers.left('x')).toBe(1)
  answers.take('x')
  expect(answers.left('x')).toBe(0)
  answers.close('x')
  expect(answers.left('x')).toBe(10)
})

test('a click expires at its time, and after 15 minutes at the latest', async () => {
  const { clock, answers, open } = rig()
  open('soon', 1000)
  open('late', 1e9)
  await clock.advance(999)
  answers.take('soon')
  await clock.advance(1)
  expect(answers.left('soon')).toBe(0)
  expect(() => answers.take('soon')).toThrow(
    expect.objectContaining({ code: 'ERR_INTERACTION_EXPIRED', endpoint: 'interactions.callback' }),
  )
  await clock.advance(900_000 - 1001)
  expect(answers.left('late')).toBe(10)
  await clock.advance(1)
  expect(answers.left('late')).toBe(0)
})

test('expired clicks are forgotten when another one arrives', async () => {
  const { clock, answers, open } = rig()
  for (const id of ['a', 'b']) open(id, 1000)
  open('c', 2000)
  for (const id of ['a', 'b', 'c']) answers.take(id)
  await clock.advance(1000)
  expect(answers.used('a')).toBe(1)
  open('d')
  expect(['a', 'b', 'c'].map((id) => answers.used(id))).toEqual([0, 0, 1])
})

test('a click is answered once the service has accepted an answer; one under way is not accepted yet', () => {
  const { answers, open } = rig()
  open('x')
  answers.take('x')
  expect([answers.answering('x'), answers.answered('x')]).toEqual([false, false])
  answers.leaves('x')
  answers.leaves('x')
  answers.arrived('x', false)
  expect([answers.answering('x'), answers.answered('x')]).toEqual([true, false])
  answers.arrived('x', true)
  expect([answers.answering('x'), answers.answered('x')]).toEqual([false, true])
  answers.leaves('x')
  answers.arrived('x', false)
  expect([answers.answering('x'), answers.answered('x')]).toEqual([false, true])
  // Clicks that are not counted.
  answers.leaves('y')
  answers.arrived('y', true)
  expect([answers.answering('y'), answers.answered('y')]).toEqual([false, false])
})

test('an answer counts for its click in whatever case its id is written [spec: decisions/52]', () => {
  const { answers, open } = rig()
  const id = '0194f3a0-aaaa-7abc-8def-0123456789ab'
  const upper = id.toUpperCase()
  open(id)
  answers.take(upper)
  answers.leaves(upper)
  expect([answers.used(id), answers.answering(id), answers.answered(id)]).toEqual([1, true, false])
  answers.arrived(upper, true)
  expect([answers.left(id), answers.answering(id), answers.answered(id)]).toEqual([9, false, true])
})
