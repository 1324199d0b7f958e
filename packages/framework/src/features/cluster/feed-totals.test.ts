import { expect, test } from 'vitest'
import { FeedTotals } from './feed-totals.ts'

const counts = { polls: 3, pollFailures: 1, received: 2, duplicates: 0, malformed: 0, started: 2, finished: 2 }
const term = { ...counts, setAside: 0, waiting: 0, running: 0, cursor: 7, skipped: 0 }

test('why a poll of a former term failed is not reported for ever', () => {
  const totals = new FeedTotals()
  totals.add({ ...term, pollFailure: 'the service does not respond' })
  expect(totals.with(undefined)).not.toHaveProperty('pollFailure')
  expect(totals.with(term)).toEqual({ ...term, polls: 6, pollFailures: 2, received: 4 })
})
