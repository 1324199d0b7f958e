import { expect, test } from 'vitest'
import { succeeded, summarizeTests } from './test-report.ts'

function file(name: string, statuses: string[], status = statuses.includes('failed') ? 'failed' : 'passed') {
  return { name, status, assertionResults: statuses.map((each, at) => ({ fullName: `test ${at}`, status: each })) }
}
const ok = { exitCode: 0, skipFails: false }

test('counts passed and failed tests of all files', () => {
  const summary = summarizeTests(
    { testResults: [file('a', ['passed', 'passed']), file('b', ['failed', 'passed'])] },
    { ...ok, exitCode: 1 },
  )
  expect(summary).toEqual({ passed: 3, failed: 1, skipped: [] })
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
  expect(summarizeTests(report, ok)).toEqual({ passed: 1, failed: 0, skipped: ['a: test 1', 'a: test 2'] })
  expect(summarizeTests(report, { ...ok, skipFails: true })).toMatchObject({ passed: 1, failed: 2 })
})

test('fails a run without tests', () => {
  expect(succeeded(summarizeTests({ testResults: [] }, ok))).toBe(false)
})
