import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathBelow } from './path-below.ts'
import { slashed } from './problem.ts'

const skippedFolders = new Set(['node_modules', 'dist', 'coverage'])

/** Whether a path inside a bot's folder can hold nothing of the bot: packages, builds, and hidden folders such as `.git`. */
export function isSkipped(name: string): boolean {
  return skippedFolders.has(name) || (name.startsWith('.') && name !== '.env' && name !== '.')
}

/**
 * All files of a bot's folder, relative to it, sorted; packages, builds and hidden files left out. Read at once: everything waits for it, and
 * a promise for each of the small folders takes several times as long.
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

/** A link that leads nowhere is a file that cannot be read, and is told as one. */
const isLinkedFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true && !leadsBack(path)

/** Whether a path is a link to a folder around it, which would have no end. */
export function leadsBack(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
  try {
    return pathBelow(realpathSync(path), realpathSync(dirname(path))) !== undefined
  } catch (error) {
    // What it leads to has gone meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The bot's folder gives it its name: lower case, what a username allows. */
export function botNameOf(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return name.length < 2 ? 'bot' : name.slice(0, 32)
}
