import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ScaffoldError } from './scaffold-error.ts'

/** Letters that no file system and no terminal shows as they are: control characters, and marks that turn the writing direction. */
const hidden = /[\p{Cc}\p{Cf}]/u
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i

/**
 * The absolute folder that a bot is written to. Refuses (ERR_NAME, ERR_TARGET) what cannot be a folder of a bot's own:
 * names that other systems reserve, symbolic links (they lead elsewhere), files, folders that hold something.
 */
export function checkTarget(given: string, cwd: string): string {
  const name = path.basename(path.resolve(cwd, given))
  if (given.trim() === '') throw new ScaffoldError('ERR_NAME', 'the folder has no name; give one: create-bot my-bot')
  if (hidden.test(given))
    throw new ScaffoldError('ERR_NAME', 'the folder name holds invisible characters; use plain letters')
  if (reserved.test(name) || name === '')
    throw new ScaffoldError('ERR_NAME', `"${name}" cannot be a folder name; choose another`)
  const target = path.resolve(cwd, given)
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (!found) return target
  if (found.isSymbolicLink())
    throw new ScaffoldError('ERR_TARGET', `${given} is a symbolic link; name the folder itself`)
  if (!found.isDirectory()) throw new ScaffoldError('ERR_TARGET', `${given} is a file; choose another name`)
  const held = readdirSync(target).filter((entry) => entry !== '.git')
  if (held.length > 0) {
    throw new ScaffoldError(
      'ERR_TARGET',
      `${given} is not empty (it holds ${held.slice(0, 3).join(', ')}${held.length > 3 ? ', …' : ''}); choose another folder`,
    )
  }
  return target
}

/** The package name of a bot: the folder's name in the letters that npm allows. */
export function packageName(target: string): string {
  const name = path
    .basename(target)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
  return name === '' ? 'bot' : name
}
