import { expect, test } from 'vitest'
import { failedResults, stepFields, TIMELINE_VERSION } from './timeline.ts'

// Recorded timelines outlive a release: readers of other versions rely on these names.
test('the format has version 1, and each kind of step has these fields', () => {
  expect(TIMELINE_VERSION).toBe(1)
  expect(stepFields).toEqual({
    received: ['lateMs', 'attempt'],
    queued: ['behind'],
    matched: ['file', 'near'],
    unmatched: ['reason', 'near', 'file', 'rule', 'to', 'missed'],
    continued: ['run', 'file', 'answer', 'restarted'],
    middleware: ['file'],
    guard: ['file', 'rule', 'passed', 'leftMs'],
    handler: ['file', 'input'],
    state: ['action', 'key', 'before', 'after'],
    wait: ['for', 'untilMs', 'what', 'name', 'unanswered'],
    call: [
      'name',
      'input',
      'answers',
      'ok',
      'status',
      'code',
      'error',
      'created',
      'held_until',
      'attempts',
      'response',
    ],
    finished: ['result', 'error'],
  })
})

test('an event failed if its handler threw, was too slow, ended its thread, or used up its attempts', () => {
  expect([...failedResults]).toEqual(['error', 'timed_out', 'crashed', 'dead_lettered'])
})
