import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename } from 'node:path'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
/** The folder that belongs to the framework alone; it may tighten one that an earlier release made. */
const OWN_FOLDER = '.botwright'

/**
 * Makes a folder that only its owner can enter, with its missing parents. Restricts an existing `.botwright` of this user; any other
 * existing folder (`--state .`) is the author's and keeps its mode.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (basename(folder) === OWN_FOLDER) restrict(folder, PRIVATE_FOLDER)
}

/**
 * Restricts a file and SQLite's files beside it to their owner, and makes the file if it is missing: SQLite copies the mode to the files
 * that it makes. Never opens a file that exists: closing it would release SQLite's own locks on it (POSIX).
 */
export function keepPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE))
  } catch (error) {
    // Where no file can be made, SQLite reports the reason.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return
    for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(file + suffix, PRIVATE_FILE)
  }
}

/** Takes the rights of others away. Windows has no such modes, and what another user owns stays as it is. */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  const me = process.getuid?.()
  if (!found || me === undefined || found.uid !== me || (found.mode & 0o077) === 0) return
  try {
    chmodSync(path, mode)
  } catch (error) {
    // A disk that is read-only, or that keeps no modes: the database on it can be used all the same.
    if (!['EROFS', 'EPERM', 'ENOTSUP', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
