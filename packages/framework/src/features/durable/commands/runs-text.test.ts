import { expect, test } from 'vitest'
import type { RunView } from '../stored/run-view.ts'
import { detailOf, runText, shortDetail, stepsOf } from './runs-text.ts'

const nowMs = new Date(2026, 10, 25, 9, 30).getTime()
const at = (...time: [number, number, number, number, number]) => new Date(...time).toISOString()
const view = (facts: Partial<RunView>): RunView & { bot_id: string } => ({
  ...{ id: '5', file: 'commands/leave.ts', status: 'waiting', bot_id: 'b1', steps: 3 },
  ...{ started_at: at(2026, 10, 25, 9, 0), since: at(2026, 10, 25, 9, 10), waits_for: null, due_at: null },
  ...facts,
})

test('names the answer that a run waits for, and the time that is left', () => {
  const answer = view({ waits_for: 'answer', answer: 'a click in #managers', due_at: at(2026, 10, 28, 9, 30) })
  expect(detailOf(answer, nowMs)).toBe('a click in #managers, 3 days left')
  expect(detailOf({ ...answer, due_at: at(2026, 10, 25, 9, 0) }, nowMs)).toBe('a click in #managers, due now')
})

test('names the local time until which a run sleeps, with the date on another day', () => {
  const today = view({ waits_for: 'time', due_at: at(2026, 10, 25, 14, 5) })
  expect(detailOf(today, nowMs)).toBe('until 14:05, 4 h 35 min left')
  const later = view({ waits_for: 'time', due_at: at(2026, 10, 26, 9, 30) })
  expect(detailOf(later, nowMs)).toBe('until 2026-11-26 09:30, 1 day left')
})

test('cuts a long reason only in the list', () => {
  const error = `commands/leave.ts:8: step 2 is step "a", but the record has ${'x'.repeat(100)}\nsecond line`
  const failed = view({ status: 'failed', error })
  expect(shortDetail(failed, nowMs)).toBe(`${error.slice(0, 80)}…`)
  expect(detailOf(failed, nowMs)).toBe(error)
  expect(shortDetail(view({ status: 'failed', error: 'a\nb' }), nowMs)).toBe('a')
})

test('shows the facts of a run in one column', () => {
  const lines = runText(view({ status: 'done', note: 'no answer came in time', channel_id: 'c1' }), [], nowMs)
  expect(lines.split('\n')).toEqual([
    'Run        5',
    'Status     done',
    'Reason     no answer came in time',
    'File       commands/leave.ts',
    'Started    2026-11-25 09:00:00 (30 min ago)',
    'Ended      2026-11-25 09:10:00 (20 min ago)',
    'Steps      3 (only waiting and failed runs keep them)',
    'Channel    c1',
    'Bot        b1',
  ])
})

test('a step that ended because the run was cancelled is shown as cancelled', () => {
  const cancelled = { reason: 'cancelled by an operator', words: 'x' }
  const steps = stepsOf([
    {
      t: 'intent',
      step: 1,
      kind: 'sleep',
      name: 'sleep',
      place: 'commands/leave.ts:3',
      atMs: nowMs,
      data: { dueMs: nowMs },
    },
    { t: 'result', step: 1, atMs: nowMs, cancelled },
  ])
  expect(runText(view({ status: 'failed' }), steps, nowMs)).toMatch(/ cancelled: cancelled by an operator$/)
})
