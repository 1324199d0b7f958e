import { resolve } from 'node:path'
import { dirname } from 'node:path/posix'
import { isTemplate } from '../packages.ts'
import { assertRan, fromRoot, runTool } from '../run-tool.ts'
import { sourceFiles } from '../source-files.ts'
import type { Violation } from '../checks/violation.ts'

/** `a/b.ts(3,5): error TS2322: …`; without a file if the projects themselves are wrong. Further lines with explanations are indented. */
const MISTAKE = /^(?:(?<file>.+?)\((?<line>\d+),\d+\): )?error (?<code>TS\d+): (?<fact>.*)$/

/** Compiles every TypeScript project, like `npm run build`. Projects are found by listing, so that none can be forgotten. */
export async function checkTypes(root: string): Promise<Violation[]> {
  const files = await sourceFiles(root)
  const projects = files.filter((path) => /(?:^|\/)tsconfig\.json$/.test(path) && !isTemplate(path)).map(dirname)
  if (projects.length === 0) return []
  // One thread checks while others parse and write, so that few types are computed twice.
  const args = ['-b', '--pretty', 'false', '--checkers', '1', '--builders', '2', ...projects]
  const result = await runTool('ts7', 'bin/tsc', args, { cwd: root })
  const violations = result.stdout.split('\n').flatMap((text) => describe(root, text))
  assertRan('tsc', result, violations)
  return violations
}

function describe(root: string, text: string): Violation[] {
  const { file, line, code, fact = '' } = MISTAKE.exec(text.trimEnd())?.groups ?? {}
  if (code === undefined) return []
  return [
    {
      file: file === undefined ? 'tsconfig.json' : fromRoot(root, resolve(root, file)),
      ...(line === undefined ? {} : { line: Number(line) }),
      fact: fact.replace(/\.$/, ''),
      fix: `correct the types (${code})`,
    },
  ]
}
