import { stripVTControlCharacters } from 'node:util'
import { assertRan, runTool } from '../run-tool.ts'
import type { Violation } from '../checks/violation.ts'

/** For a syntax error, oxfmt prints a code frame (in colors if CI is set): the fact, and below it `[the/file.mjs:1:7]`. */
const UNREADABLE = /[x×] (.*)\n[^\n]*\[(.+?):(\d+):\d+\]/g

/** Reports files that the formatter would change. `.oxfmtrc.json` has its style and the ignored files. */
export async function checkFormat(root: string): Promise<Violation[]> {
  const args = ['--list-different', '--disable-nested-config', '--no-error-on-unmatched-pattern']
  const result = await runTool('oxfmt', 'bin/oxfmt', args, { cwd: root })
  const different = result.stdout.split('\n').filter((file) => file !== '')
  const violations = [
    ...different.map((file) => ({ file, fact: 'is not formatted', fix: `npx oxfmt ${file}` })),
    ...[...stripVTControlCharacters(result.stderr).matchAll(UNREADABLE)].map(([, fact = '', file = '.', line]) => ({
      file,
      line: Number(line),
      fact,
      fix: 'correct the syntax',
    })),
  ]
  assertRan('oxfmt', result, violations)
  return violations
}
