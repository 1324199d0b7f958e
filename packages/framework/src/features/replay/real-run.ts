import { systemClock } from '@botwright/clock'
import { createCall } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'
import type { BotSource } from '../../link/ports.ts'
import type { Log } from '../../author/ports.ts'
import type { RecordedBy } from '../history/choose-history.ts'
import type { RecordedEvent } from '../history/recorded-event.ts'
import { createOutbox } from '../../runtime/ports/broadcasts.ts'
import { Broadcaster } from '../broadcasts/broadcaster.ts'
import { SqliteStore } from '../stored-state/sqlite-store.ts'
import { openBotJournal, sendTimesOf, stateFile, stateFolder } from '../host-files/state-files.ts'
import { lockSupervisor } from '../host-files/lock.ts'
import { whoAmI } from '../../runtime/instance/login.ts'
import { openOwnValues } from './own-values.ts'
import { type ReplayedEvent, replayEvents } from './replay-events.ts'

/** The options of a real rerun. */
export interface RealRunOptions {
  events: readonly RecordedEvent[]
  source: BotSource
  config: Config
  stateDir: string
  baseUrl: string
  token: string
  log: Log
  /** The environment, whose secrets the recording does not contain. */
  env: Variables
  /** The command that recorded them. `framework dev` runs one instance, also of a bot that is a cluster. Default: `start`. */
  recordedBy?: RecordedBy
  signal: AbortSignal
}

/**
 * Reruns recorded events on the real service: the bot answers again, within its message budget. Clicks are skipped, because they can no
 * longer be answered. Throws `ERR_ALREADY_RUNNING` if the bot is running.
 */
export async function* realRun(options: RealRunOptions): AsyncGenerator<ReplayedEvent, void, undefined> {
  const { events, source, config, baseUrl, token, log, env, signal } = options
  const clock = systemClock
  const report = ({ level, message, ...facts }: { level: 'info' | 'warn' | 'error'; message: string }) =>
    log[level](facts, message)
  const { messageBudget } = config
  const client = { baseUrl, token, clock, onReport: report, ...(messageBudget !== undefined && { messageBudget }) }
  const me = await whoAmI({ ...client, log, signal })
  using _lock = lockSupervisor({ baseUrl, botId: me.id, username: me.username })
  const folder = stateFolder(source, options.stateDir)
  const journal = openBotJournal({ file: stateFile(folder, 'journal.db'), baseUrl, botId: me.id, clock, report })
  await using call = createCall({ ...client, sendTimes: sendTimesOf(journal) })
  try {
    await using own = await openOwnValues(options, { baseUrl, botId: me.id, clock, log })
    using stored = own ? undefined : new SqliteStore({ file: stateFile(folder, 'state.db'), botId: me.id, clock, log })
    const store = own?.store ?? stored!
    const outbox = createOutbox(new Broadcaster({ call, store, clock, log }), () => call.stats())
    const refuse = (event: RecordedEvent) => {
      if (event.botId !== me.id || event.baseUrl !== baseUrl)
        return `it was received by another bot (${event.username})`
      if (event.type === 'route' && event.data?.['step'] === 'respond')
        return 'its sender no longer waits for the response; --dry shows what the bot would do'
      if (event.type !== 'interaction') return undefined
      return 'a click expires after 15 minutes and its token is not stored, so it cannot be answered; --dry shows what the answer would be'
    }
    yield* replayEvents(events, { source, config }, { me, store, outbox, log, env, refuse, call: () => call })
    await outbox.broadcasts.close()
  } finally {
    // Disposing the client writes its send times to the journal.
    await call[Symbol.asyncDispose]()
    journal.close()
  }
}
