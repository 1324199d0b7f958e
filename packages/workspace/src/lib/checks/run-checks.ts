import { formatViolation, type Check, type Violation } from './violation.ts'

/** The violations that a check found, and its duration. */
export interface CheckResult {
  name: string
  violations: Violation[]
  milliseconds: number
}

/**
 * Runs the groups in parallel and the checks of a group one after the other, so that two heavy tools share two cores.
 * Calls `report` after each check. A check that throws counts as a violation.
 */
export async function runChecks(
  root: string,
  groups: Record<string, Check>[],
  report: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results = await Promise.all(
    groups.map(async (group) => {
      const done: CheckResult[] = []
      for (const [name, check] of Object.entries(group)) {
        const result = await runCheck(root, name, check)
        report(result)
        done.push(result)
      }
      return done
    }),
  )
  return results.flat()
}

async function runCheck(root: string, name: string, check: Check): Promise<CheckResult> {
  const start = performance.now()
  const violations = await check(root).catch((error: unknown): Violation[] => [
    {
      file: '.',
      fact: `the check "${name}" could not run: ${error instanceof Error ? error.message : String(error)}`,
      fix: 'fix the cause',
    },
  ])
  return { name, violations, milliseconds: performance.now() - start }
}

/** `✓ floors          0.3 s` */
export function describeResult({ name, violations, milliseconds }: CheckResult): string {
  const mark = violations.length === 0 ? '✓' : '✗'
  const count = violations.length === 0 ? '' : `  ${violations.length} found`
  return `${mark} ${name.padEnd(14)} ${(milliseconds / 1000).toFixed(1).padStart(5)} s${count}`
}

/** Every violation on its own line, sorted by file. */
export function describeViolations(results: CheckResult[]): string[] {
  return results.flatMap(({ name, violations }) => {
    if (violations.length === 0) return []
    const sorted = violations.toSorted((a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0))
    return ['', `${name}:`, ...sorted.map((violation) => `  ${formatViolation(violation)}`)]
  })
}
