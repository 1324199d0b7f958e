import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from './violation.ts'

const TRACES: { pattern: RegExp; fact: string; fix: string }[] = [
  {
    pattern: /(?<![\w.-])\/(?:work|tmp\/bash[\w.-]*|home\/[\w.-]+|root|Users\/[\w.-]+)\/[\w.-]/g,
    fact: 'a path of one machine',
    fix: 'use a path from the repository, or os.tmpdir()',
  },
  {
    pattern: /https?:\/\/[\w.-]*(?:registry|artifactory|nexus|verdaccio)[\w.-]*/gi,
    fact: 'the address of a package registry',
    fix: "let npm's configuration choose the registry",
  },
  {
    pattern: /"resolved": "(?:https?:|file:)/g,
    fact: 'a download address in the lock file',
    fix: 'run `npm install --omit-lockfile-registry-resolved`',
  },
]

/** Rejects paths of a developer's machine and addresses of package registries. */
export async function checkTraces(root: string): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const file of await sourceFiles(root)) {
    const text = await readText(root, file)
    if (text.includes('\0')) continue
    for (const { pattern, fact, fix } of TRACES) {
      for (const match of text.matchAll(pattern)) violations.push({ file, line: lineAt(text, match.index), fact, fix })
    }
  }
  return violations
}
