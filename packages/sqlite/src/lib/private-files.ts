import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename } from 'node:path'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
/** The framework's own folder. Its mode may be tightened if an earlier release created it. */
const OWN_FOLDER = '.botwright'

/**
 * Creates a folder that only its owner can enter, and its missing parents. Restricts an existing `.botwright` of this user. Any other
 * existing folder (`--state .`) belongs to the author and keeps its mode.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (basename(folder) === OWN_FOLDER) restrict(folder, PRIVATE_FOLDER)
}

/**
 * Creates a file that only its owner can read, if it is missing: SQLite copies its mode to the files that it creates beside it. Never opens
 * an existing file: closing it would release SQLite's own locks on it (POSIX).
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE))
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}

/** Restricts a database and SQLite's files beside it to their owner. The path must be known to be a database: nothing else is ours. */
export function restrictDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(file + suffix, PRIVATE_FILE)
}

/** Removes the permissions of other users. Skips files of another user, and Windows, which has no such modes. */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  const me = process.getuid?.()
  if (!found || me === undefined || found.uid !== me || (found.mode & 0o077) === 0) return
  try {
    chmodSync(path, mode)
  } catch (error) {
    // The disk is read-only or has no modes: the database is still usable.
    if (!['EROFS', 'EPERM', 'ENOTSUP', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
