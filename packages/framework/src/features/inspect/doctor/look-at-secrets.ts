import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, warning } from './finding.ts'

/** Everyone who can read the repository can read a token in it. Git itself decides which files it contains. */
export async function lookAtSecrets(root: string): Promise<Finding[]> {
  if (!existsSync(join(root, '.env'))) return []
  if ((await git(root, 'ls-files', '--error-unmatch', '.env')) === 0)
    return [
      warning(
        'secrets',
        '.env contains the token and is in the repository',
        'add .env to .gitignore, run git rm --cached .env, and create a new token',
      ),
    ]
  // 0: it is ignored. 128: there is no repository.
  if ((await git(root, 'check-ignore', '--quiet', '.env')) !== 1) return []
  return [warning('secrets', '.env contains the token but is not in .gitignore', 'add .env to .gitignore')]
}

/** The exit code of git; undefined if it is not installed. */
const git = (root: string, ...args: string[]): Promise<number | undefined> =>
  new Promise((resolve) =>
    execFile('git', args, { cwd: root }, (error) =>
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    ),
  )
