import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { pathBelow } from '../../files/path-below.ts'

/** A plugin copies texts and settings. */
const LARGEST = 256 * 2 ** 10

/** The files that can be copied, and those that exist already. */
export function planCopies(root: string, copy: ReadonlyMap<string, string>): { fresh: string[]; kept: string[] } {
  const fresh: string[] = []
  const kept: string[] = []
  for (const to of copy.keys()) {
    requireInside(root, to)
    ;(lstatSync(join(root, to), { throwIfNoEntry: false }) ? kept : fresh).push(to)
  }
  return { fresh, kept }
}

/** Copies one file of a package into the bot. `created` receives each new folder and the file. Overwrites nothing. */
export function copyFile(
  { root, to }: { root: string; to: string },
  { folder, from }: { folder: string; from: string },
  created: (path: string) => void,
): void {
  const source = join(folder, from)
  const found = lstatSync(source, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new BotwrightError('ERR_CONFIG', `the plugin's package has no file ${from}`)
  if (pathBelow(realpathSync(folder), realpathSync(source)) === undefined)
    throw new BotwrightError('ERR_CONFIG', `${from} of the plugin's package is a link to another folder`)
  if (found.size > LARGEST) throw new BotwrightError('ERR_CONFIG', `${from} of the plugin is larger than 256 KiB`)
  requireInside(root, to)
  const target = join(root, to)
  const first = mkdirSync(dirname(target), { recursive: true })
  if (first !== undefined) for (const path of foldersFrom(first, dirname(target))) created(path)
  writeFileSync(target, readFileSync(source), { flag: 'wx' })
  created(target)
}

/** A folder on the way may be a link that leads elsewhere. */
function requireInside(root: string, to: string): void {
  for (let at = dirname(join(root, to)); pathBelow(root, at) !== undefined && at !== root; at = dirname(at)) {
    const found = statSync(at, { throwIfNoEntry: false })
    if (!found) continue
    const problem = !found.isDirectory()
      ? 'is not a folder'
      : pathBelow(realpathSync(root), realpathSync(at)) === undefined
        ? 'is a link that leads out of the folder of the bot'
        : undefined
    if (problem !== undefined)
      throw new BotwrightError('ERR_CONFIG', `the plugin offers ${to}, but ${pathBelow(root, at)} ${problem}`)
    return
  }
}

/** The folders from the outermost to the innermost. */
const foldersFrom = (first: string, last: string): string[] =>
  first === last ? [last] : [...foldersFrom(first, dirname(last)), last]
