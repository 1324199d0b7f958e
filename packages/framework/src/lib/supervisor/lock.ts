import { createHash } from 'node:crypto'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, openDatabase } from '@botwright/sqlite'

/** Held while a bot runs on this machine. */
export interface SupervisorLock extends Disposable {
  release(): void
}

/**
 * Lets one process of this machine run a bot: two that poll with one token would both answer everything (decisions row 33).
 * SQLite's file lock goes with its process, however that ends. Throws `ERR_CONFIG` when another process has it.
 */
export function lockSupervisor(options: {
  baseUrl: string
  botId: string
  username: string
  folder?: string
}): SupervisorLock {
  const { baseUrl, botId, username, folder = tmpdir() } = options
  const key = createHash('sha256').update(`${baseUrl}\n${botId}`).digest('hex').slice(0, 32)
  const file = join(folder, `botwright-${userInfo().uid}-${key}.lock`)
  let db: Database | undefined
  try {
    db = openDatabase(file, { busyTimeoutMs: 200 })
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    db?.close()
    if (!(error instanceof DatabaseError) || error.code !== 'busy') throw error
    throw new BotwrightError(
      'ERR_CONFIG',
      `the bot "${username}" is running on this machine already, on ${baseUrl}: stop that process first, as two of them would both answer everything`,
    )
  }
  const held = db
  let open = true
  const release = () => {
    if (!open) return
    open = false
    // Closing alone may leave the lock to the garbage collector.
    held.exec('ROLLBACK')
    held.close()
  }
  return { release, [Symbol.dispose]: release }
}
