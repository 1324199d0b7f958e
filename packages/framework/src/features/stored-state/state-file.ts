import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, openDatabase } from '@botwright/sqlite'
import type { Log } from '../../author/ports.ts'
import { APPLICATION_ID, reasons, SqliteStore } from './sqlite-store.ts'

/** The file of the values of all bots of a folder. */
export const fileIn = (folder: string): string => join(folder, 'state.db')

/** The ids of the bots whose values are stored in a folder. Throws `ERR_CONFIG` if there are none. */
export function botIdsIn(folder: string): string[] {
  using db = openToRead(fileIn(folder))
  const next = db.prepare<{ bot: string }>('SELECT bot FROM value WHERE bot > ? ORDER BY bot LIMIT 1')
  const ids: string[] = []
  for (let row = next.get(''); row; row = next.get(row.bot)) ids.push(row.bot)
  return ids
}

/** The value with this key of each bot that has one. Empty without a file. Throws `ERR_CONFIG` if the file is damaged. */
export function valuesIn(folder: string, key: string): { botId: string; value: unknown }[] {
  const file = fileIn(folder)
  if (!existsSync(file)) return []
  const ids = botIdsIn(folder)
  using db = openToRead(file)
  const get = db.prepare<{ value: string }>('SELECT value FROM value WHERE bot = ? AND key = ?')
  return ids.flatMap((botId) => {
    const row = get.get(botId, key)
    return row ? { botId, value: parse(folder, key, row.value) } : []
  })
}

/** The values of a bot, which may be running. Throws `ERR_CONFIG` if the file is damaged. */
export function storeIn(folder: string, botId: string): SqliteStore {
  const file = fileIn(folder)
  // SqliteStore would move a damaged file aside; only the bot should do that, and log it.
  if (existsSync(file)) openToRead(file).close()
  return new SqliteStore({ file, botId, clock: systemClock, log: silent })
}

const nothing = () => {}
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Parses a stored value. Throws `ERR_CONFIG` if it is damaged. */
export function parse(folder: string, key: string, text: string): { v?: number; value?: unknown } {
  try {
    return JSON.parse(text) as { v?: number; value?: unknown }
  } catch (cause) {
    throw unreadable(fileIn(folder), `the value of ${key} is damaged`, cause)
  }
}

/** Opens that file. Throws `ERR_CONFIG` with the fix. */
export function openToRead(file: string): Database {
  if (!existsSync(file))
    throw new BotwrightError(
      'ERR_CONFIG',
      `there is no ${file}: no state has been stored yet, or --state is another folder`,
    )
  let db: Database | undefined
  try {
    db = openDatabase(file, { readOnly: true })
    if (Number(db.prepare('PRAGMA application_id').get()?.['application_id']) !== APPLICATION_ID)
      throw new DatabaseError('corrupt', 'it is not the state of a bot')
    return db
  } catch (error) {
    db?.close()
    if (!(error instanceof DatabaseError)) throw error
    const fault = reasons[error.code]
    if (fault !== undefined)
      throw new BotwrightError('ERR_CONFIG', `${file}: cannot be read: ${fault}`, { cause: error })
    throw unreadable(file, error.message, error)
  }
}

const unreadable = (file: string, fact: string, cause: unknown) =>
  new BotwrightError(
    'ERR_CONFIG',
    `${file}: cannot be read (${fact}); restore it from a backup, or remove it to start over`,
    {
      cause,
    },
  )
