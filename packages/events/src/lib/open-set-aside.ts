import { existsSync } from 'node:fs'
import type { Clock } from '@botwright/clock'
import { BrokenJournal, openAndLoad } from './journal-file.ts'
import { type SetAside, SetAsideTable } from './set-aside.ts'

/** One bot's events that are set aside, seen from another process than the one that runs the bot. */
export interface SetAsideFeed {
  baseUrl: string
  botId: string
  list(): SetAside[]
  /** Asks the process that runs the bot, now or when it starts next, to run these again. */
  request(ids: readonly number[]): void
  /** Requests that nobody has taken up. */
  requests(): number[]
}

/** A journal beside the process that runs the bot: nothing of the bot's own state is touched. */
export interface SetAsideFile extends Disposable {
  feeds: SetAsideFeed[]
}

/**
 * Opens a journal's file for a look at what is set aside; undefined when there is none.
 * @throws Error when it cannot be read as a journal
 */
export function openSetAside(file: string, clock: Clock): SetAsideFile | undefined {
  if (!existsSync(file)) return undefined
  try {
    return openAndLoad(file, (db) => {
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
