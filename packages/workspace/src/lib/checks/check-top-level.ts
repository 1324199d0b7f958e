import { sourceFiles } from '../source-files.ts'
import type { Violation } from './violation.ts'

const ALLOWED = new Set([
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE'],
  ...['packages', 'templates', 'create-bot', 'examples'],
])

/** The top level is fixed: put configuration into dotfiles and everything else into a package. */
export async function checkTopLevel(root: string): Promise<Violation[]> {
  const names = new Set((await sourceFiles(root)).map((path) => path.split('/')[0] ?? path))
  return [...names]
    .filter((name) => !name.startsWith('.') && !ALLOWED.has(name))
    .map((name) => ({
      file: name,
      fact: 'does not belong in the top-level folder',
      fix: `move it into a package, or into .config; only these are allowed: ${[...ALLOWED].join(', ')}, and dotfiles`,
    }))
}
