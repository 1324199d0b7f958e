import { expect, test } from 'vitest'
import { describeLeftOut, succeeded, summarizeTests } from './test-report.ts'

function file(name: string, statuses: string[], status = statuses.includes('failed') ? 'failed' : 'passed') {
  return { name, status, assertionResults: statuses.map((each, at) => ({ fullName: `test ${at}`, status: each })) }
}
const ok = { exitCode: 0, skipFails: false, leftOut: [] }

test('counts passed and failed tests of all files', () => {
  const summary = summarizeTests(
    { testResults: [file('a', ['passed', 'passed']), file('b', ['failed', 'passed'])] },
    { ...ok, exitCode: 1 },
  )
  expect(summary).toEqual({ passed: 3, failed: 1, skipped: [], leftOut: new Map() })
  expect(succeeded(summary)).toBe(false)
})

test('counts a file that does not load as a failure', () => {
  const summary = summarizeTests(
    { testResults: [file('a', ['passed']), file('b', [], 'failed')] },
    { ...ok, exitCode: 1 },
  )
  expect(summary).toMatchObject({ passed: 1, failed: 1 })
})

test('counts a non-zero exit code without a failed test as a failure', () => {
  expect(summarizeTests({ testResults: [file('a', ['passed'])] }, { ...ok, exitCode: 1 })).toMatchObject({ failed: 1 })
  expect(summarizeTests({ testResults: [file('a', ['passed'])] }, { ...ok, exitCode: null })).toMatchObject({
    failed: 1,
  })
})

test('lists skipped tests, and fails them in CI', () => {
  const report = { testResults: [file('a', ['passed', 'skipped', 'todo'])] }
  expect(summarizeTests(report, ok)).toMatchObject({ passed: 1, failed: 0, skipped: ['a: test 1', 'a: test 2'] })
  expect(summarizeTests(report, { ...ok, skipFails: true })).toMatchObject({ passed: 1, failed: 2 })
})

test('counts the tests that a tier leaves out, and neither skips nor fails them', () => {
  const tier = { name: 'all/seeds', description: '20 seeds stand for 1,000' } as const
  const tagged = { name: 'a', status: 'passed', assertionResults: [] as object[] }
  for (const status of ['passed', 'skipped', 'skipped', 'failed'])
    tagged.assertionResults.push({ fullName: 'test', status, tags: ['all/seeds'] })
  const report = { testResults: [file('b', ['skipped']), tagged] } as Parameters<typeof summarizeTests>[0]
  const summary = summarizeTests(report, { exitCode: 1, skipFails: true, leftOut: [tier] })
  expect(summary).toEqual({ passed: 1, failed: 2, skipped: ['b: test 0'], leftOut: new Map([['all/seeds', 2]]) })
  expect(describeLeftOut(summary, [tier])).toEqual([
    '',
    'Left out of this run; npm test -- --all runs everything:',
    '     2  all/seeds                20 seeds stand for 1,000',
  ])
  // With --all, nothing may be left out.
  expect(summarizeTests(report, { ...ok, skipFails: true })).toMatchObject({ failed: 4, leftOut: new Map() })
  expect(describeLeftOut({ ...summary, leftOut: new Map() }, [tier])).toEqual([])
})

test('fails a run without tests', () => {
  expect(succeeded(summarizeTests({ testResults: [] }, ok))).toBe(false)
})
