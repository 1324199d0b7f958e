import { dirname } from 'node:path/posix'
import { isTemplate } from './packages.ts'
import { assertRan, runTool } from './run-tool.ts'
import { sourceFiles } from './source-files.ts'
import type { Violation } from './violation.ts'

const ERROR = /^(?:(?<file>[^\s(][^(\n]*)\((?<line>\d+),\d+\): )?error (?<code>TS\d+): (?<fact>.*)$/gm

/** Every TypeScript project of the repository compiles. They are found by listing, so that a new one cannot be forgotten. */
export async function checkTypes(root: string): Promise<Violation[]> {
  const projects = (await sourceFiles(root)).filter((path) => /(?:^|\/)tsconfig\.json$/.test(path) && !isTemplate(path))
  if (projects.length === 0) return []
  const result = await runTool('typescript', 'bin/tsc', ['-b', '--pretty', 'false', ...projects.map(dirname)], root)
  const violations = [...result.stdout.matchAll(ERROR)].map(({ groups }) => {
    const { file = 'tsconfig.json', line, code = '', fact = '' } = groups ?? {}
    return {
      file,
      ...(line ? { line: Number(line) } : {}),
      fact: fact.replace(/\.$/, ''),
      fix: `correct the types (${code})`,
    }
  })
  assertRan('tsc', result, violations)
  return violations
}
