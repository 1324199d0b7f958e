import { expect, test } from 'vitest'
import { answerMark, withAnswers } from './answers.ts'

test('a mark takes something that the bot has named', () => {
  const answers = ['Loan 12 of the "red drill" begins.', 'Something went wrong (ref 482a).']
  expect(withAnswers(`/return ${answerMark(1)}`, answers)).toBe('/return red drill')
  expect(withAnswers(`/return ${answerMark(2)}`, answers)).toBe('/return 12')
  expect(withAnswers(`/return ${answerMark(3)}`, answers)).toMatch(/^\/return (?!ref)\p{L}+$/u)
})

test('answers without names are read as words, and no answer at all is a word too', () => {
  expect(withAnswers(answerMark(1), ['You have it.'])).toBe('have')
  expect(withAnswers(answerMark(1), [])).toBe('it')
  expect(withAnswers('no mark', ['You have it.'])).toBe('no mark')
})
