import { createHash, randomUUID } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, openDatabase } from '@botwright/sqlite'

/** Held while a bot runs on this host. */
export interface SupervisorLock extends Disposable {
  release(): void
}

interface LockOptions {
  baseUrl: string
  botId: string
  username: string
  folder?: string
}

/** The path of a bot's lock file: one for each base URL, bot and user of this host. */
export function lockFile({
  baseUrl,
  botId,
  folder = ownLockFolder() ?? userLockFolder(),
}: Pick<LockOptions, 'baseUrl' | 'botId' | 'folder'>) {
  const key = createHash('sha256').update(`2\n${baseUrl}\n${botId}`).digest('hex').slice(0, 32)
  return join(folder, `${key}.lock`)
}

/**
 * The folder of this user's locks, which nothing cleans and no other user can create: in `XDG_STATE_HOME`, or in the home folder. Undefined if it
 * cannot be written, as in a container with a read-only disk.
 */
function ownLockFolder(): string | undefined {
  const given = process.env['XDG_STATE_HOME'] ?? ''
  const folder = join(isAbsolute(given) ? given : join(homedir(), '.local', 'state'), 'botwright', 'locks')
  const me = process.getuid?.()
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
    return me === undefined || lstatSync(folder).uid === me ? folder : undefined
  } catch {
    return undefined
  }
}

/**
 * The folder of this user's locks, in a temporary folder that all users share; only this user can enter it. Throws `ERR_CONFIG` if
 * something else is in its place, such as a symbolic link or a folder of another user.
 */
export function userLockFolder(parent = tmpdir()): string {
  const me = process.getuid?.()
  const folder = join(parent, me === undefined ? 'botwright' : `botwright-${me}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // If the folder cannot be created, opening the lock in it fails and reports the reason.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return folder
  }
  const found = lstatSync(folder)
  const fault = found.isSymbolicLink()
    ? 'is a symbolic link'
    : !found.isDirectory()
      ? 'is not a folder'
      : me !== undefined && found.uid !== me
        ? `belongs to user ${found.uid}, and this process runs as user ${me}`
        : undefined
  if (fault !== undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${folder} ${fault}, so it cannot hold the lock that prevents a second copy of the bot. Remove it, or set TMPDIR to a folder of your own`,
    )
  if (me !== undefined && (found.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return folder
}

/** How long SQLite blocks this thread if another process has the lock. */
export const LOCK_WAIT_MS = 200

/**
 * Locks a bot for one process of this host: two that poll with one token would both answer everything (decisions row 33).
 * SQLite's file lock ends with its process, even if that is killed. Throws `ERR_ALREADY_RUNNING`, naming the process that holds it.
 */
export function lockSupervisor(options: LockOptions): SupervisorLock {
  const file = lockFile(options)
  const mark = randomUUID()
  let db: Database
  // If the previous holder deletes the file between our opening and locking it, our lock has no effect: try again.
  do db = acquire(file, mark, options)
  while (!isFileAt(file, mark, db))
  let open = true
  const release = () => {
    if (!open) return
    open = false
    // Deleted while still locked: a process that has it open sees from the mark that another file is at the path now.
    // Windows cannot delete an open file, and libsql may close it late: there the file stays, unlocked.
    if (process.platform !== 'win32') rmSync(file, { force: true })
    unlock(db)
  }
  return { release, [Symbol.dispose]: release }
}

/**
 * Takes a shared lock for one instance of a cluster. Throws `ERR_ALREADY_RUNNING` if the bot runs as a single instance on this host.
 * If the lock file cannot be created (a read-only disk), there is no lock: a cluster requires no disk.
 */
export function lockInstance(options: LockOptions): SupervisorLock {
  const file = lockFile(options)
  let db: Database | undefined
  try {
    do {
      if (db) unlock(db)
      db = openDatabase(file, { busyTimeoutMs: 1000, journal: 'none' })
      // Succeeds only if no single instance holds the lock; other instances of the cluster wait for a moment.
      db.exec('BEGIN IMMEDIATE')
      const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'holder'").get() === undefined
      db.exec(isNew ? `${holderTable}; COMMIT` : 'ROLLBACK')
      // An open read transaction blocks writers, but not other readers.
      db.exec('BEGIN')
      db.prepare('SELECT count(*) FROM holder').get()
    } while (!existsSync(file))
  } catch (error) {
    const pid = db && holderOf(db)
    if (db) unlock(db)
    db = undefined
    if (error instanceof DatabaseError && error.code === 'busy') throw alreadyRuns(options, pid)
    if (!(error instanceof DatabaseError)) throw error
  }
  const release = () => {
    if (db) unlock(db)
    db = undefined
  }
  return { release, [Symbol.dispose]: release }
}

const holderTable = 'CREATE TABLE IF NOT EXISTS holder (pid INTEGER, mark TEXT)'

/** Opens and locks the file, and writes the id of this process into it. */
function acquire(file: string, mark: string, options: LockOptions, again = false): Database {
  let db: Database | undefined
  try {
    db = openDatabase(file, { busyTimeoutMs: LOCK_WAIT_MS, journal: 'none' })
    // A commit ends the lock, so another process may take it in between; the file then contains its mark.
    do {
      db.exec(`BEGIN IMMEDIATE; ${holderTable}; DELETE FROM holder`)
      db.prepare('INSERT INTO holder VALUES (?, ?)').run(process.pid, mark)
      db.exec('COMMIT; BEGIN IMMEDIATE')
    } while (db.prepare('SELECT mark FROM holder').get()?.['mark'] !== mark && (db.exec('ROLLBACK'), true))
    return db
  } catch (error) {
    const pid = db && holderOf(db)
    if (db) unlock(db)
    if (error instanceof DatabaseError && error.code === 'corrupt' && !again) {
      // Its process was killed during its first write, so no process holds it.
      rmSync(file, { force: true })
      return acquire(file, mark, options, true)
    }
    if (error instanceof DatabaseError && error.code === 'driver') throw new BotwrightError('ERR_CONFIG', error.message)
    if (error instanceof DatabaseError && (error.code === 'open' || error.code === 'readonly'))
      throw new BotwrightError(
        'ERR_CONFIG',
        `${existsSync(dirname(file)) ? dirname(file) : dirname(dirname(file))} cannot be written, but the lock that prevents a second copy of the bot is stored there. Make the home folder writable, mount a tmpfs (compose.yaml: \`tmpfs: /tmp\`), or name another folder with TMPDIR`,
        { cause: error },
      )
    if (!(error instanceof DatabaseError) || error.code !== 'busy') throw error
    throw alreadyRuns(options, pid)
  }
}

function alreadyRuns({ username, baseUrl }: LockOptions, pid: number | undefined): BotwrightError {
  const who = pid === undefined ? '' : ` as process ${pid}`
  return new BotwrightError(
    'ERR_ALREADY_RUNNING',
    `the bot "${username}" is already running on this host${who}, on ${baseUrl}: stop that process first, because two would both answer every event`,
  )
}

function holderOf(db: Database): number | undefined {
  try {
    return Number(db.prepare('SELECT pid FROM holder').get()?.['pid']) || undefined
  } catch {
    // The file is new, and its holder has not written to it yet.
    return undefined
  }
}

/** Whether the file at the path is the one that is locked, and not a newer one. */
function isFileAt(file: string, mark: string, held: Database): boolean {
  let found: unknown
  try {
    using db = openDatabase(file, { readOnly: true })
    found = db.prepare('SELECT mark FROM holder').get()?.['mark']
  } catch {
    // There is no file, or it is being created.
  }
  if (found === mark) return true
  unlock(held)
  return false
}

function unlock(db: Database): void {
  try {
    // `close` alone may release the lock only at garbage collection.
    db.exec('ROLLBACK')
  } catch {
    // There is no open transaction: the lock was not acquired.
  }
  db.close()
}
