import { expect, test } from 'vitest'
import { describeResult, describeViolations, runChecks } from './run-checks.ts'

test('results come from every group, and a check that throws is a violation', async () => {
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
    '  .  the check "broken" could not run: no such tool — correct what it names',
    '',
    'found:',
    '  a.ts  one — undo it',
    '  b.ts:2  two — undo it',
  ])
})

test('one line says how a check went', () => {
  expect(describeResult({ name: 'floors', violations: [], milliseconds: 1234 })).toBe('✓ floors           1.2 s')
  const violations = [{ file: 'a', fact: 'b', fix: 'c' }]
  expect(describeResult({ name: 'floors', violations, milliseconds: 0 })).toBe('✗ floors           0.0 s  1 found')
})
