import { assertRan, runTool } from './run-tool.ts'
import type { Violation } from './violation.ts'

const SYNTAX_ERROR = /^\[error\] (?<file>[^:\n]+): (?<fact>\w*Error: .*?)(?: \((?<line>\d+):\d+\))?$/gm

/** Prettier would change nothing. */
export async function checkFormat(root: string): Promise<Violation[]> {
  const result = await runTool('prettier', 'bin/prettier.cjs', ['--list-different', '--no-color', '.'], root)
  const different = result.stdout.split('\n').filter((file) => file !== '')
  const violations: Violation[] = different.map((file) => ({
    file,
    fact: 'is not formatted',
    fix: `npx prettier --write ${file}`,
  }))
  for (const { groups } of result.stderr.matchAll(SYNTAX_ERROR)) {
    const { file = '', fact = '', line } = groups ?? {}
    violations.push({ file, ...(line ? { line: Number(line) } : {}), fact, fix: 'correct the syntax' })
  }
  assertRan('prettier', result, violations)
  return violations
}
