import { assertRan, fromRoot, runTool } from './run-tool.ts'
import type { Violation } from './violation.ts'

interface Report {
  filePath: string
  messages: { line?: number; message: string; ruleId: string | null }[]
}

/** ESLint says nothing at all: a warning counts like an error. */
export async function checkLint(root: string): Promise<Violation[]> {
  const args = ['--config', '.config/eslint.config.mjs', '--max-warnings', '0', '--format', 'json', '.']
  const result = await runTool('eslint', 'bin/eslint.js', args, root)
  const violations = readReport(root, result.stdout)
  assertRan('eslint', result, violations)
  return violations
}

function readReport(root: string, stdout: string): Violation[] {
  // Nothing but an empty output is expected when ESLint itself fails, for instance over its configuration.
  if (!stdout.startsWith('[')) return []
  return (JSON.parse(stdout) as Report[]).flatMap(({ filePath, messages }) =>
    messages.map(({ line, message, ruleId }) => ({
      file: fromRoot(root, filePath),
      ...(line === undefined ? {} : { line }),
      fact: message.replace(/\s+/g, ' ').replace(/\.$/, ''),
      fix: ruleId === null ? 'correct the syntax or the lint configuration' : `follow the rule ${ruleId}`,
    })),
  )
}
