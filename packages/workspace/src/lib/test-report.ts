/** The parts of vitest's JSON report that are read. */
export interface TestReport {
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

/** The numbers of a run; `skipped` names every test that did not run. */
export interface TestSummary {
  passed: number
  failed: number
  skipped: string[]
}

/**
 * Counts the tests of a run. A file that does not load is one failure, and so is a non-zero exit code without a failed test
 * (an unhandled rejection). With `skipFails` (CI), a skipped test is a failure.
 */
export function summarizeTests(
  report: TestReport,
  options: { exitCode: number | null; skipFails: boolean },
): TestSummary {
  let passed = 0
  let failed = 0
  const skipped: string[] = []
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter(({ status }) => status === 'failed').length
    failed += file.status === 'failed' && failures === 0 ? 1 : failures
    passed += file.assertionResults.filter(({ status }) => status === 'passed').length
    for (const { fullName, status } of file.assertionResults) {
      if (status !== 'passed' && status !== 'failed') skipped.push(`${file.name}: ${fullName}`)
    }
  }
  if (options.skipFails) failed += skipped.length
  if (failed === 0 && options.exitCode !== 0) failed = 1
  return { passed, failed, skipped }
}

/** A run without tests does not succeed. */
export function succeeded({ passed, failed }: TestSummary): boolean {
  return passed > 0 && failed === 0
}
