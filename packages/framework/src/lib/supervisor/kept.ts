import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal } from '@botwright/events'
import type { SendTimes } from '@botwright/rest'
import type { BotSource } from '../ports.ts'

/** The folder of what a bot keeps, made when missing; `:memory:` stays what it is. */
export function stateFolder(source: BotSource, stateDir: string | undefined): string {
  const folder = stateDir ?? join(source.root, '.botwright')
  if (folder !== ':memory:') mkdirSync(folder, { recursive: true })
  return folder
}

/** A file of a bot's folder of state. */
export const stateFile = (folder: string, name: string): string => (folder === ':memory:' ? folder : join(folder, name))

const SEND_TIMES = 'send_times'

/** The send times of the message budget, kept in the journal: a restart must not send as if nothing had been sent (§8: 30 a minute). */
export function sendTimesOf(journal: Journal): SendTimes {
  return {
    load: () => readTimes(journal.getValue(SEND_TIMES)),
    save: (times) => void journal.setValue(SEND_TIMES, JSON.stringify(times)),
  }
}

function readTimes(text: string | undefined): number[] {
  try {
    const times: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(times) ? times.filter((time) => typeof time === 'number') : []
  } catch {
    // A value that cannot be read tells nothing: the service's own limit still holds.
    return []
  }
}
