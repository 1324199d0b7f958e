import { expect, test } from 'vitest'
import { faults } from './faults.test.fixture.ts'
import { firstViolation, simulate } from './simulate.test.fixture.ts'

// The long form: packages/workspace/soak/cluster/simulate.mjs

const LONG = { tags: 'all/seeds' }

function expectNothingLost(from: number, to: number): void {
  let repeats = 0
  for (let seed = from; seed <= to; seed++) {
    const { violations, repeats: some } = simulate(seed)
    expect(violations, `seed ${seed}`).toEqual([])
    repeats += some
  }
  // Otherwise nothing has failed.
  expect(repeats).toBeGreaterThan(to - from)
}

function expectNoRepeats(from: number, to: number): void {
  for (let seed = from; seed <= to; seed++)
    expect(simulate(seed, { graceful: true }).violations, `seed ${seed}`).toEqual([])
}

test('loses, reorders and doubles no event, and marks every repeat, whatever fails', () => expectNothingLost(1, 20))
test('loses nothing with more seeds', LONG, () => expectNothingLost(21, 200))

test('repeats no event and fails no click when instances join and leave', () => expectNoRepeats(1, 20))
test('repeats nothing with more seeds', LONG, () => expectNoRepeats(21, 200))

test('the same seed gives the same trace', () => {
  const { trace } = simulate(7)
  expect(trace.length).toBeGreaterThan(100)
  expect(simulate(7).trace).toEqual(trace)
  expect(simulate(8).trace).not.toEqual(trace)
})

/** The first seed finds both. */
const QUICK = ['a commit does not note what begins', 'a partition is never released']

function expectFound(name: string): void {
  expect(firstViolation(faults[name]!, { seeds: 1000 })).toMatchObject({ violation: expect.any(String) as string })
}

test.each(QUICK)('finds a planted fault: %s', expectFound)
test.each(Object.keys(faults).filter((name) => !QUICK.includes(name)))('finds a planted fault: %s', LONG, expectFound)
