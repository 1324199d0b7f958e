import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { handlerFolders } from '@botwright/framework/start'
import { statOf } from './look.ts'
import { pathBelow, slashed } from './path-below.ts'

const outputFolders = new Set(['dist', 'coverage'])
/** Below the folders of handlers, also those of a plugin, such a name is a word of a command or another handler. */
const isInHandlers = (path: string): boolean =>
  path
    .split('/')
    .slice(0, -1)
    .some((name) => handlerFolders.includes(name))

/**
 * Whether a file or folder can contain no file of the bot: packages, builds, reports, and hidden folders such as `.git`. `path`: from the
 * bot's folder, with `/`.
 */
export function isSkipped(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (outputFolders.has(name)) return !isInHandlers(path)
  return name === 'node_modules' || (name.startsWith('.') && name !== '.env' && name !== '.' && name !== '..')
}

/** Whether this path is one of those, or in one of them. */
export const isInSkipped = (path: string): boolean =>
  path.split('/').some((_, i, names) => isSkipped(names.slice(0, i + 1).join('/')))

/** Whether a path is inside a bot's folder, and not in one of those. */
export function isListed(root: string, path: string): boolean {
  const below = pathBelow(root, path)
  return below !== undefined && !isInSkipped(below)
}

/**
 * All files of a bot's folder, relative to it, sorted; without packages, builds and hidden files. Synchronous: everything waits for it, and
 * a promise for each small folder takes several times as long.
 */
export async function listBotFiles(root: string): Promise<string[]> {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const file = folder + entry.name
      if (isSkipped(file)) continue
      if (entry.isSymbolicLink() ? isLinkedFolder(join(root, file)) : entry.isDirectory()) visit(`${file}/`)
      else found.push(slashed(file))
    }
  }
  visit('')
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
