import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Place, readPlace } from './place.ts'
import { ScaffoldError } from './scaffold-error.ts'

/** Allowed contents of the target folder: a repository, and files that operating systems add to every folder. */
const harmless = new Set(['.git', '.DS_Store', 'Thumbs.db', 'desktop.ini'])

export interface Target extends Place {
  /** The absolute folder. */
  path: string
  /** The folder exists and is empty, except perhaps for a repository. */
  exists: boolean
}

/**
 * Checks the folder of a new bot without writing anything. Rejects (ERR_NAME, ERR_TARGET) names that some system does not allow,
 * symbolic links (they lead elsewhere), files, and folders that are not empty.
 */
export function checkTarget(given: string, cwd: string): Target {
  const place = readPlace(given)
  const target = path.join(cwd, ...place.folders)
  let exists = true
  for (const [i, folder] of place.folders.entries()) {
    const at = path.join(cwd, ...place.folders.slice(0, i + 1))
    const found = lstatSync(at, { throwIfNoEntry: false })
    exists = found !== undefined
    if (!found) break
    if (found.isSymbolicLink())
      throw new ScaffoldError('ERR_TARGET', `${folder} is a symbolic link; name the folder itself`)
    if (!found.isDirectory()) throw new ScaffoldError('ERR_TARGET', `${folder} is a file; choose another name`)
  }
  if (exists) refuseFull(target, place.folders.length === 0 ? 'this folder' : place.folders.join('/'))
  return { ...place, path: target, exists }
}

function refuseFull(target: string, shown: string): void {
  const held = readdirSync(target).filter((entry) => !harmless.has(entry))
  if (held.length === 0) return
  const some = held.slice(0, 3).join(', ')
  const rest = held.length > 3 ? ` and ${held.length - 3} more` : ''
  throw new ScaffoldError('ERR_TARGET', `${shown} is not empty: it contains ${some}${rest}; choose another folder`)
}
