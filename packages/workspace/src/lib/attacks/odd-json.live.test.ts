import { afterAll, expect, test } from 'vitest'
import { closeAgent } from '../fuzz/schema-calls.test.fixture.ts'
import { faultOf, sendOddJson } from './odd-json.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// The short form; packages/workspace/soak/odd-json.mjs sends any number of calls.
const CALLS = 600

afterAll(closeAgent)

test(
  'odd JSON, queries and paths on all routes: no response of 500, and a refused call stores nothing',
  slow,
  async () => {
    const seed = Number(process.env['SEED'] ?? 1)
    const { operations, statuses, stored, faults } = await sendOddJson(CALLS, seed)
    expect(faults, `seed ${seed}`).toEqual([])
    // Each route is called several times, and not all calls are refused.
    expect(operations).toBeGreaterThan(90)
    expect(statuses.get(200)).toBeGreaterThan(CALLS / 20)
    expect(stored).toBeGreaterThan(10)
    expect(statuses.get(400)).toBeGreaterThan(CALLS / 10)
  },
)

test.each([
  [{ status: 500, body: '{"error":"x"}' }, false, /status 500/],
  [{ status: 503, body: '{"error":"x"}' }, false, /status 503/],
  [{ status: 400, body: '{"error":"x"}' }, true, /something was stored/],
  [{ status: 400, body: '<html>' }, false, /without JSON/],
  [{ status: 400, body: '{"error":"x"}' }, false, undefined],
  [{ status: 200, body: '{}' }, true, undefined],
])('the judge of %j, with something stored: %s', (answer, stored, fault) => {
  const found = faultOf({ path: '/v1/me' }, answer, stored)
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(fault)
})
