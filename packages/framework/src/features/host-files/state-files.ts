import { accessSync, constants, existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@botwright/clock'
import { type Journal, type JournalOptions, openJournal, openSetAside, type SetAsideFile } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import type { SendTimes } from '@botwright/rest'
import { DatabaseError, makePrivateFolder } from '@botwright/sqlite'
import { fullDiskFixes } from '../../runtime/disk-trouble.ts'
import { reasons } from '../stored-state/sqlite-store.ts'
import type { BotSource } from '../../link/ports.ts'

/** The folder of a bot's journal and state. */
export const folderOfState = (source: BotSource, stateDir: string | undefined): string =>
  stateDir ?? join(source.root, '.botwright')

/** Creates the folder of a bot's journal and state if it is missing, unless it is `:memory:`. Throws `ERR_CONFIG` if it is not writable. */
export function stateFolder(source: BotSource, stateDir: string | undefined): string {
  const folder = folderOfState(source, stateDir)
  if (folder === ':memory:') return folder
  let at = folder
  try {
    makePrivateFolder(folder)
    // Files that another user created, such as root, may not be writable.
    for (at of [folder, stateFile(folder, 'journal.db'), stateFile(folder, 'state.db')])
      if (existsSync(at)) accessSync(at, constants.W_OK)
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const why = fixes[code] ?? `${code}: make user ${userInfo().uid}, who runs this, its owner (chown)`
    throw new BotwrightError(
      'ERR_CONFIG',
      `${at}, the folder of the journal and the state, cannot be written. ${why}, or pass another folder with --state`,
      { cause },
    )
  }
  return folder
}

/** The fixes for errors that a change of the owner does not fix. */
const fixes: Readonly<Partial<Record<string, string>>> = {
  ...fullDiskFixes,
  EROFS: 'the disk is read-only: mount a writable one',
  EEXIST: 'it is a file: remove it',
  ENOTDIR: 'a part of that path is a file: remove it',
}

/** The path of a file in a bot's state folder. */
export const stateFile = (folder: string, name: string): string => (folder === ':memory:' ? folder : join(folder, name))

/** Opens the journal. Throws `ERR_STATE` if the file cannot be opened, because the disk is full or another program locks it. */
export const openBotJournal = (options: JournalOptions): Journal => opened(options.file, () => openJournal(options))

/** Opens the events in that journal that are set aside; undefined without a file. Throws `ERR_STATE` like `openBotJournal`. */
export const openBotSetAside = (file: string, clock: Clock): SetAsideFile | undefined =>
  opened(file, () => openSetAside(file, clock))

function opened<T>(file: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const why = reasons[error.code] ?? error.message
    throw new BotwrightError('ERR_STATE', `${file}: the journal cannot be opened: ${why}`, { cause: error })
  }
}

const SEND_TIMES = 'send_times'

/** Stores the send times of the message budget in the journal, so that a restart does not reset the budget (§8: 30 a minute). */
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
    // Without a readable value, the limit of the service still applies.
    return []
  }
}
