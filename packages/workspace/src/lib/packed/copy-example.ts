import { existsSync } from 'node:fs'
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const made = new Set(['node_modules', 'dist', '.botwright', '.framework'])

/**
 * Copies an example out of the checkout, like an author who starts from it. Replaces its tsconfig.json, which extends the
 * repository's, with that of the template, and its `.env.example` becomes `.env`. `packages` is the `node_modules` folder that it uses.
 */
export async function copyExample(root: string, name: string, to: string, packages: string): Promise<void> {
  const from = join(root, 'examples', name)
  await cp(from, to, { recursive: true, filter: (path) => !made.has(basename(path)) })
  await rm(join(to, 'tsconfig.json'))
  await writeFile(join(to, 'tsconfig.json'), await readFile(join(root, 'templates/basic/tsconfig.json')))
  const variables = join(to, '.env.example')
  if (existsSync(variables)) await cp(variables, join(to, '.env'))
  await symlink(packages, join(to, 'node_modules'), 'junction')
}
