import { dirname } from 'node:path/posix'
import { isCode, sourceFiles } from '../source-files.ts'
import type { Violation } from '../checks/violation.ts'

/** How many source files a folder of a package may have, without those of its subfolders. */
const MOST_FILES = 20

/** Reports folders below a package's `src` with so many source files that readers do not find the right one. */
export async function checkFolders(root: string): Promise<Violation[]> {
  return crowdedFolders(await sourceFiles(root))
}

/** The violations of these files. */
export function crowdedFolders(files: readonly string[]): Violation[] {
  const sizes = new Map<string, number>()
  for (const file of files.filter(isSource)) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  return [...sizes]
    .filter(([, size]) => size > MOST_FILES)
    .map(([folder, size]) => ({
      file: folder,
      fact: `has ${size} source files; the limit is ${MOST_FILES}`,
      fix: 'move those that belong together into a folder',
    }))
}

/** Programs of a package, without tests and their fixtures. */
const isSource = (path: string): boolean =>
  /^(?:packages\/[^/]+|create-bot)\/src\//.test(path) && isCode(path) && !/\.(?:test|test-d|fixture)\./.test(path)
