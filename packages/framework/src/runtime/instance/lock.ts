import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, openDatabase } from '@botwright/sqlite'

/** Held while a bot runs on this machine. */
export interface SupervisorLock extends Disposable {
  release(): void
}

interface LockOptions {
  baseUrl: string
  botId: string
  username: string
  folder?: string
}

/** The path of a bot's lock: one for each bot at an address and each user of this machine. */
export function lockFile({
  baseUrl,
  botId,
  folder = userLockFolder(),
}: Pick<LockOptions, 'baseUrl' | 'botId' | 'folder'>) {
  const key = createHash('sha256').update(`2\n${baseUrl}\n${botId}`).digest('hex').slice(0, 32)
  return join(folder, `${key}.lock`)
}

/**
 * The folder of this user's locks, in a temporary folder that all users share: only this user may enter it. Throws `ERR_CONFIG` where
 * another user put something else in its place, a symbolic link for example.
 */
export function userLockFolder(parent = tmpdir()): string {
  const me = process.getuid?.()
  const folder = join(parent, me === undefined ? 'botwright' : `botwright-${me}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Where no folder can be made, opening the lock in it fails and reports the reason.
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

/**
 * Lets one process of this machine run a bot: two that poll with one token would both answer everything (decisions row 33).
 * SQLite's file lock goes with its process, however that ends. Throws `ERR_ALREADY_RUNNING`, naming the process that has it.
 */
export function lockSupervisor(options: LockOptions): SupervisorLock {
  const file = lockFile(options)
  const mark = randomUUID()
  let db: Database
  // A file that its holder took away between our opening and locking it locks nobody out: then the next one is tried.
  do db = take(file, mark, options)
  while (!isFileAt(file, mark, db))
  let open = true
  const release = () => {
    if (!open) return
    open = false
    // Taken away while it is still held: whoever has it open finds out by its mark that it is not the one at the path. Windows deletes no
    // open file, and libsql may close it later than asked: there the file stays, and keeps nobody out.
    if (process.platform !== 'win32') rmSync(file, { force: true })
    giveBack(db)
  }
  return { release, [Symbol.dispose]: release }
}

/**
 * Lets many processes of this machine run a bot as machines of a cluster, and none beside them alone. Throws `ERR_ALREADY_RUNNING` where
 * one does. Where no lock can be kept (a disk that is read-only) there is none: the cluster itself needs no disk.
 */
export function lockMachine(options: LockOptions): SupervisorLock {
  const file = lockFile(options)
  let db: Database | undefined
  try {
    do {
      if (db) giveBack(db)
      db = openDatabase(file, { busyTimeoutMs: 1000, journal: 'none' })
      // Nobody runs alone where this is let in; other machines wait for a moment.
      db.exec('BEGIN IMMEDIATE')
      const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'holder'").get() === undefined
      db.exec(isNew ? `${holderTable}; COMMIT` : 'ROLLBACK')
      // Whoever reads lets nobody write.
      db.exec('BEGIN')
      db.prepare('SELECT count(*) FROM holder').get()
    } while (!existsSync(file))
  } catch (error) {
    const pid = db && holderOf(db)
    if (db) giveBack(db)
    db = undefined
    if (error instanceof DatabaseError && error.code === 'busy') throw alreadyRuns(options, pid)
    if (!(error instanceof DatabaseError)) throw error
  }
  const release = () => {
    if (db) giveBack(db)
    db = undefined
  }
  return { release, [Symbol.dispose]: release }
}

const holderTable = 'CREATE TABLE IF NOT EXISTS holder (pid INTEGER, mark TEXT)'

/** Opens and locks the file, with this process's name in it. */
function take(file: string, mark: string, options: LockOptions, again = false): Database {
  let db: Database | undefined
  try {
    db = openDatabase(file, { busyTimeoutMs: 200, journal: 'none' })
    // A commit ends the lock, so that another process may come between; its name stands there then.
    do {
      db.exec(`BEGIN IMMEDIATE; ${holderTable}; DELETE FROM holder`)
      db.prepare('INSERT INTO holder VALUES (?, ?)').run(process.pid, mark)
      db.exec('COMMIT; BEGIN IMMEDIATE')
    } while (db.prepare('SELECT mark FROM holder').get()?.['mark'] !== mark && (db.exec('ROLLBACK'), true))
    return db
  } catch (error) {
    const pid = db && holderOf(db)
    if (db) giveBack(db)
    if (error instanceof DatabaseError && error.code === 'corrupt' && !again) {
      // Its process was killed while it wrote its first name: nobody holds it.
      rmSync(file, { force: true })
      return take(file, mark, options, true)
    }
    if (error instanceof DatabaseError && error.code === 'driver') throw new BotwrightError('ERR_CONFIG', error.message)
    if (error instanceof DatabaseError && (error.code === 'open' || error.code === 'readonly'))
      throw new BotwrightError(
        'ERR_CONFIG',
        `${existsSync(dirname(file)) ? dirname(file) : dirname(dirname(file))} cannot be written, but the lock that prevents a second copy of the bot is stored there. Mount a tmpfs (compose.yaml: \`tmpfs: /tmp\`), or name another folder with TMPDIR`,
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
    // The file is so new that its holder has not written into it.
    return undefined
  }
}

/** Whether the file at the path is the one that is held, and not one that came after it. */
function isFileAt(file: string, mark: string, held: Database): boolean {
  let found: unknown
  try {
    using db = openDatabase(file, { readOnly: true })
    found = db.prepare('SELECT mark FROM holder').get()?.['mark']
  } catch {
    // None is there, or one that is being made.
  }
  if (found === mark) return true
  giveBack(held)
  return false
}

function giveBack(db: Database): void {
  try {
    // Closing alone may leave the lock to the garbage collector.
    db.exec('ROLLBACK')
  } catch {
    // There is nothing to take back: the lock was not reached.
  }
  db.close()
}
