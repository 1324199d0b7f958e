import { existsSync } from 'node:fs'
import type { Clock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { BrokenJournal, openAndLoad } from './journal-file.ts'
import { type SetAside, SetAsideTable } from './set-aside.ts'

/** The events of one bot that are set aside, as read by a process other than the bot's. */
export interface SetAsideFeed {
  baseUrl: string
  botId: string
  list(): SetAside[]
  /** Asks the bot's process to replay these events, now or when it next starts. */
  request(ids: readonly number[]): void
  /** Requests that the bot's process has not handled yet. */
  requests(): number[]
}

/** A journal opened outside the bot's process. It does not change the bot's own state. */
export interface SetAsideFile extends Disposable {
  feeds: SetAsideFeed[]
}

/**
 * Opens a journal's file to read the events that are set aside. Undefined if the file does not exist.
 * @throws Error if it is not a readable journal
 */
export function openSetAside(file: string, clock: Clock): SetAsideFile | undefined {
  if (!existsSync(file)) return undefined
  try {
    return openAndLoad(openDatabase(file), (db) => {
      const sql = 'SELECT id, base_url, bot_id FROM feed ORDER BY id'
      const rows = db.prepare<{ id: number; base_url: string; bot_id: string }>(sql).all()
      const feeds = rows.map(({ id, base_url, bot_id }): SetAsideFeed => {
        const table = new SetAsideTable(db, Number(id))
        return {
          baseUrl: base_url,
          botId: bot_id,
          list: () => table.list(),
          requests: () => table.requests(),
          request: (ids) => db.transaction(() => ids.forEach((one) => table.request(one, clock.now()))),
        }
      })
      return { feeds, [Symbol.dispose]: () => db.close() }
    })
  } catch (error) {
    if (!(error instanceof BrokenJournal)) throw error
    throw new Error(`${file}: cannot be read as a journal: ${error.message}`, { cause: error })
  }
}
