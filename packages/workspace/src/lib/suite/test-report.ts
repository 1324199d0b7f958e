import type { Tier } from './tiers.ts'

/** The parts of vitest's JSON report that are read. */
export interface TestReport {
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { fullName: string; status: string; tags?: string[] }[]
  }[]
}

/** The numbers of a run. */
export interface TestSummary {
  passed: number
  failed: number
  /** The tests that did not run although they were selected. */
  skipped: string[]
  /** The number of tests that each tier has and this run left out. */
  leftOut: ReadonlyMap<string, number>
}

/**
 * Counts the tests of a run. A file that does not load is one failure, and so is a non-zero exit code without a failed test
 * (an unhandled rejection). With `skipFails` (CI), a skipped test is a failure.
 */
export function summarizeTests(
  report: TestReport,
  options: { exitCode: number | null; skipFails: boolean; leftOut: readonly Tier[] },
): TestSummary {
  let passed = 0
  let failed = 0
  const skipped: string[] = []
  const leftOut = new Map<string, number>()
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter(({ status }) => status === 'failed').length
    failed += file.status === 'failed' && failures === 0 ? 1 : failures
    passed += file.assertionResults.filter(({ status }) => status === 'passed').length
    for (const { fullName, status, tags } of file.assertionResults) {
      if (status === 'passed' || status === 'failed') continue
      const tier = options.leftOut.find(({ name }) => tags?.includes(name))
      if (tier) leftOut.set(tier.name, (leftOut.get(tier.name) ?? 0) + 1)
      else skipped.push(`${file.name}: ${fullName}`)
    }
  }
  if (options.skipFails) failed += skipped.length
  if (failed === 0 && options.exitCode !== 0) failed = 1
  return { passed, failed, skipped, leftOut }
}

/** A run without tests does not succeed. */
export function succeeded({ passed, failed }: TestSummary): boolean {
  return passed > 0 && failed === 0
}

/** Lists the tiers that the run left out, a line for each, and names the command that runs them. */
export function describeLeftOut({ leftOut }: TestSummary, tiers: readonly Tier[]): string[] {
  if (leftOut.size === 0) return []
  const lines = tiers.flatMap(({ name, description }) => {
    const count = leftOut.get(name)
    return count === undefined ? [] : [`  ${String(count).padStart(4)}  ${name.padEnd(24)} ${description}`]
  })
  return ['', 'Left out of this run; npm test -- --all runs everything:', ...lines]
}
