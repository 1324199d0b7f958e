import { assertRan, programOf, runTool } from '../run-tool.ts'
import type { Violation } from '../violation.ts'

/** What oxlint writes with `--format json`, as far as it is read here. */
interface Report {
  diagnostics: {
    message: string
    /** `typescript(no-floating-promises)`; none for what cannot be parsed, and for an unused directive. */
    code?: string
    filename?: string
    labels: { span: { line: number } }[]
  }[]
}

/**
 * oxlint says nothing at all: a warning counts like an error. The rules are those of `.oxlintrc.json`; those that need types read the
 * built declarations, so the projects are compiled before.
 */
export async function checkLint(root: string): Promise<Violation[]> {
  const args = ['--format', 'json', '--disable-nested-config', '--no-error-on-unmatched-pattern']
  // It would be looked for from the folder that is linted.
  const env = { OXLINT_TSGOLINT_PATH: programOf('oxlint-tsgolint', 'bin/tsgolint.js') }
  const result = await runTool('oxlint', 'bin/oxlint', args, { cwd: root, env })
  const violations = read(result.stdout).diagnostics.map(({ message, code, filename = '.', labels: [label] }) => ({
    file: filename,
    ...(label === undefined ? {} : { line: label.span.line }),
    fact: message.replace(/\s+/g, ' ').replace(/\.$/, ''),
    fix:
      code === undefined
        ? 'correct the syntax or the directive'
        : `follow the rule ${code.replace(/\((.*)\)$/, '/$1')}`,
  }))
  assertRan('oxlint', result, violations)
  return violations
}

/** What is no report is a complaint about the configuration, or about the types' part of the linter. */
function read(text: string): Report {
  if (!text.trimStart().startsWith('{')) throw new Error(text.replace(/\s+/g, ' ').trim())
  return JSON.parse(text) as Report
}
