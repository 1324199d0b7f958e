import { assertRan, runTool } from '../run-tool.ts'
import type { Violation } from '../checks/violation.ts'

interface Issue {
  name: string
  line?: number
}

/** The parts of knip's `--reporter json` that are read here: per file, a list for each kind of issue. */
interface Report {
  issues: ({ file: string } & Record<string, Issue[]>)[]
}

const FIXES: Readonly<Record<string, [fact: (name: string) => string, fix: string]>> = {
  files: [() => 'no program, test or script imports this file', 'delete it, or name its entry in .config/knip.json'],
  exports: [(name) => `no other file uses the export ${name}`, 'remove "export", or delete it if nothing uses it'],
  types: [(name) => `no other file uses the type ${name}`, 'remove "export", or delete it if nothing uses it'],
  dependencies: [(name) => `nothing imports the dependency ${name}`, 'remove it'],
  devDependencies: [(name) => `nothing imports the dependency ${name}`, 'remove it'],
}

/** Reports files, exports and dependencies that nothing uses, with knip. `.config/knip.json` names the entries. */
export async function checkUnused(root: string): Promise<Violation[]> {
  const args = ['--config', '.config/knip.json', '--reporter', 'json', '--no-progress', '--no-config-hints']
  const result = await runTool('knip', 'bin/knip.js', args, { cwd: root })
  const violations = read(result.stdout).issues.flatMap(({ file, ...kinds }) =>
    Object.entries(FIXES).flatMap(([kind, [fact, fix]]) =>
      (kinds[kind] ?? []).map(({ name, line }) => ({
        file,
        ...(line === undefined ? {} : { line }),
        fact: fact(name),
        fix,
      })),
    ),
  )
  assertRan('knip', result, violations)
  return violations
}

/** Output that is not JSON is an error: `assertRan` reports it. */
function read(text: string): Report {
  return text.trimStart().startsWith('{') ? (JSON.parse(text) as Report) : { issues: [] }
}
