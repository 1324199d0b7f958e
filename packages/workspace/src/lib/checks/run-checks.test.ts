import { expect, test } from 'vitest'
import { describeResult, describeViolations, runChecks } from './run-checks.ts'

test('returns the results of every group, and reports a check that throws as a violation', async () => {
  const reported: string[] = []
  const results = await runChecks(
    '.',
    [
      { clean: () => Promise.resolve([]), broken: () => Promise.reject(new Error('no such tool')) },
      {
        found: () =>
          Promise.resolve([
            { file: 'b.ts', line: 2, fact: 'two', fix: 'undo it' },
            { file: 'a.ts', fact: 'one', fix: 'undo it' },
          ]),
      },
    ],
    ({ name }) => reported.push(name),
  )
  expect(reported.toSorted()).toEqual(['broken', 'clean', 'found'])
  expect(describeViolations(results)).toEqual([
    '',
    'broken:',
    '  .  the check "broken" could not run: no such tool — fix the cause',
    '',
    'found:',
    '  a.ts  one — undo it',
    '  b.ts:2  two — undo it',
  ])
})

test('describes a result in one line', () => {
  expect(describeResult({ name: 'floors', violations: [], milliseconds: 1234 })).toBe('✓ floors           1.2 s')
  const violations = [{ file: 'a', fact: 'b', fix: 'c' }]
  expect(describeResult({ name: 'floors', violations, milliseconds: 0 })).toBe('✗ floors           0.0 s  1 found')
})
