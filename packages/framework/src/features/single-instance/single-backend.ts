import { sleep } from '@botwright/clock'
import { SqliteStore } from '../stored-state/sqlite-store.ts'
import { WatchedStore } from '../../runtime/state/watched-store.ts'
import type { Backend, Identity } from '../../runtime/instance/stage-types.ts'
import { lockSupervisor } from '../host-files/lock.ts'
import { SingleInstance } from './single-instance.ts'
import { openBotJournal, sendTimesOf, stateFile, stateFolder } from '../host-files/state-files.ts'

/** How often an event that could not be set aside is set aside again. */
const SET_ASIDE_AGAIN_MS = 1000

/** Opens the lock, the store and the journal of a bot that runs as a single instance. */
export async function openSingleBackend({ connection, me }: Identity): Promise<Backend> {
  const { cleanup, clock, options, report } = connection
  const { baseUrl, config, lockFolder, log, openDatabase, source, stateDir } = options
  const { id: botId, username } = me
  if (lockFolder !== false) {
    const lock = lockSupervisor({ baseUrl, botId, username, ...(lockFolder !== undefined && { folder: lockFolder }) })
    cleanup.addLast(() => lock.release())
  }
  const folder = stateFolder(source, stateDir)
  let store: WatchedStore
  if (config.store) store = new WatchedStore(await config.store({ botId, clock, log }))
  else {
    const values = new SqliteStore({ file: stateFile(folder, 'state.db'), botId, clock, log, openDatabase })
    cleanup.add(() => values.close())
    store = new WatchedStore(values)
  }
  const journal = openBotJournal({ file: stateFile(folder, 'journal.db'), baseUrl, botId, clock, report, openDatabase })
  let closed = false
  cleanup.add(() => {
    closed = true
    journal.close()
  })
  return {
    client: { sendTimes: sendTimesOf(journal) },
    store,
    clock,
    // The journal reports why it cannot be written.
    async setAside(event, reason) {
      while (!journal.setAside(event, reason)) {
        if (closed) return false
        await sleep(clock, SET_ASIDE_AGAIN_MS)
      }
      return true
    },
    createInstance: (bot) => new SingleInstance(bot, journal),
  }
}
