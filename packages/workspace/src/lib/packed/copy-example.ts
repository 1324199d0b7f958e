import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const made = new Set(['node_modules', 'dist', '.botwright', '.framework'])

/**
 * Copies an example to where no checkout is around, as somebody would who begins with it: its tsconfig.json, which leans on the
 * repository's, gives way to that of the template. Its packages are those of `packages`, a `node_modules`.
 */
export async function copyExample(root: string, name: string, to: string, packages: string): Promise<void> {
  const from = join(root, 'examples', name)
  await cp(from, to, { recursive: true, filter: (path) => !made.has(basename(path)) })
  await rm(join(to, 'tsconfig.json'))
  await writeFile(join(to, 'tsconfig.json'), await readFile(join(root, 'templates/basic/tsconfig.json')))
  await symlink(packages, join(to, 'node_modules'), 'junction')
}
