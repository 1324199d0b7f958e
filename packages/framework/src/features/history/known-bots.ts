import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { historyNames } from '../../author/config/config.ts'
import { openBotSetAside } from '../host-files/state-files.ts'
import { readHistoryFile } from './history-file.ts'

/** A bot that has used a state folder. */
export interface KnownBot {
  botId: string
  baseUrl: string
}

/** The bots that `framework dev` (the newest one) and `framework start` have run with this folder. */
export function botsIn(folder: string): { dev: KnownBot | undefined; start: KnownBot[] } {
  const file = join(folder, historyNames.dev)
  const dev: KnownBot[] = []
  if (existsSync(file)) {
    using db = readHistoryFile(file)
    const sql = 'SELECT bot_id AS botId, base_url AS baseUrl FROM session ORDER BY id'
    dev.push(...db.prepare<KnownBot & Record<string, string>>(sql).all())
  }
  using journal = openBotSetAside(join(folder, 'journal.db'), systemClock)
  const start = (journal?.feeds ?? []).filter(({ botId }) => dev.every((one) => one.botId !== botId))
  return { dev: dev.at(-1), start: start.map(({ botId, baseUrl }) => ({ botId, baseUrl })) }
}
