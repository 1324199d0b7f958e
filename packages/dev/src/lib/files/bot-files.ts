import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { statOf } from './look.ts'
import { pathBelow, slashed } from './path-below.ts'

const skippedFolders = new Set(['node_modules', 'dist', 'coverage'])

/** Whether a path inside a bot's folder can contain no file of the bot: packages, builds, and hidden folders such as `.git`. */
export function isSkipped(name: string): boolean {
  return skippedFolders.has(name) || (name.startsWith('.') && name !== '.env' && name !== '.')
}

/** Whether a path is inside a bot's folder, and not in one of those. */
export function isListed(root: string, path: string): boolean {
  return (
    pathBelow(root, path)
      ?.split('/')
      .every((name) => !isSkipped(name)) === true
  )
}

/**
 * All files of a bot's folder, relative to it, sorted; without packages, builds and hidden files. Synchronous: everything waits for it, and
 * a promise for each small folder takes several times as long.
 */
export async function listBotFiles(root: string): Promise<string[]> {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (isSkipped(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink() ? isLinkedFolder(path) : entry.isDirectory()) visit(path)
      else found.push(slashed(relative(root, path)))
    }
  }
  visit(root)
  return found.sort()
}

/** A broken link is a file that cannot be read, and is reported as one. */
const isLinkedFolder = (path: string): boolean => statOf(path)?.isDirectory() === true && !leadsBack(path)

/** Whether a path is a link to a folder that contains it, which would never end. */
export function leadsBack(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
  try {
    return pathBelow(realpathSync(path), realpathSync(dirname(path))) !== undefined
  } catch (error) {
    // The target was deleted in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The bot's name is the name of its folder, in lower case and in characters that a username allows. */
export function botNameOf(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return name.length < 2 ? 'bot' : name.slice(0, 32)
}
