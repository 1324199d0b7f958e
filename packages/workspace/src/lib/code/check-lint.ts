import { assertRan, programOf, runTool } from '../run-tool.ts'
import type { Violation } from '../checks/violation.ts'

/** The parts of oxlint's `--format json` that are read here. */
interface Report {
  diagnostics: {
    message: string
    /** `typescript(no-floating-promises)`; missing for syntax errors and unused directives. */
    code?: string
    filename?: string
    labels: { span: { line: number } }[]
  }[]
}

/**
 * Reports errors and warnings of oxlint alike. The rules are in `.oxlintrc.json`. Typed rules read the built declarations, so
 * compile the projects first.
 */
export async function checkLint(root: string): Promise<Violation[]> {
  const args = ['--format', 'json', '--disable-nested-config', '--no-error-on-unmatched-pattern']
  // Otherwise, oxlint searches for it from the linted folder.
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

/** Output that is not JSON is an error about the configuration, or of the typed part of the linter. */
function read(text: string): Report {
  if (!text.trimStart().startsWith('{')) throw new Error(text.replace(/\s+/g, ' ').trim())
  return JSON.parse(text) as Report
}
