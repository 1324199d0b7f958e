// A running bot: the one thread that owns the feed, the journal, the message budget and the automatic acks, and what joins them.

import { type Clock, systemClock } from '@botwright/clock'
import type { Journal, Report } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { warmDriver } from '@botwright/sqlite'
import { createCall, type RestOptions } from '@botwright/rest'
import type { Config } from '../config.ts'
import type { BotDispatcher } from '../dispatcher.ts'
import { tellLostConversations } from '../conversation/kept.ts'
import { keepAlive } from '../keep-alive.ts'
import { hideFromNow } from '../learned-secrets.ts'
import { createOutbox, type OwnedOutbox } from '../sending/outbox.ts'
import type { Log, StateStore } from '../ports.ts'
import { SqliteStore } from '../state/sqlite-store.ts'
import { WatchedStore } from '../tasks/watched-store.ts'
import { boundsOf, historyName } from '../record/bounds.ts'
import type { Recorder } from '../record/recorder.ts'
import { openKeptJournal, sendTimesOf, stateFile, stateFolder } from './kept.ts'
import { lockSupervisor } from './lock.ts'
import { whoAmI } from './login.ts'
import { dispatcherMaker } from './make-dispatcher.ts'
import { observersOf } from './observers.ts'
import { runBot } from './run-bot.ts'
import type { RunningBot, StartBotOptions } from './running-bot.ts'

/**
 * Runs a bot: asks who it is, opens its journal, loads its code, registers its commands, reads its events.
 * Throws `ERR_UNAUTHORIZED` (the token), `ERR_CONFIG` (what is missing), `ERR_ALREADY_RUNNING` (another process of this machine),
 * and whatever the bot's code throws while it loads.
 */
export async function startBot(options: StartBotOptions): Promise<RunningBot> {
  const { source, config, baseUrl, token, clock = systemClock, log, prepare, webhookSecrets = [] } = options
  hideFromNow(token, ...webhookSecrets)
  const signal = options.signal ?? new AbortController().signal
  if (config.delivery !== 'poll' && webhookSecrets.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `BOT_WEBHOOK_SECRET is not set, but delivery is '${config.delivery}': copy the secret from the Developer screen into .env`,
    )
  const report: Report = ({ level, message, ...facts }) => log[level](facts, message)
  const onReport: RestOptions['onReport'] = ({ level, message, ...facts }) => log[level](facts, message)
  let me: BotProfile | undefined
  let journal: Journal | undefined
  let store: StateStore | undefined
  let outbox: OwnedOutbox | undefined
  let dispatcher: BotDispatcher | undefined
  let recorder: Recorder | undefined
  const bounds = options.stateDir === ':memory:' ? undefined : boundsOf(config, options.record ?? false)
  const alive = keepAlive(clock)
  /** How to give back what was taken, in the order in which it was taken. */
  const held: (() => void | Promise<void>)[] = []
  const release = async (): Promise<void> => {
    alive.cancel()
    // The handlers use everything else.
    await dispatcher?.close({ graceMs: 0 })
    for (const giveBack of held.splice(0).reverse()) await giveBack()
  }

  try {
    const health = config.health && (await watchHealth(config, clock, log))
    if (health) held.push(() => health.server.close())
    const call = createCall({
      baseUrl,
      token,
      clock,
      ...(config.messageBudget !== undefined && { messageBudget: config.messageBudget }),
      sendTimes: sendTimesOf(() => journal!),
      onReport,
      ...(options.traffic && { onTraffic: options.traffic }),
    })
    held.push(() => call[Symbol.asyncDispose]())
    // Asked first: while the answer is on its way, everything is loaded that does not depend on it.
    const answer = whoAmI({ call, baseUrl, clock, log, signal })
    // It is awaited below; until then nobody else would hear of its failure.
    answer.catch(() => {})
    const make = await dispatcherMaker(options.dispatcher ?? 'worker')
    const { keepSpare = false, blockSeconds } = options
    const observe = observersOf(
      log,
      bounds && ((outcome) => recorder?.observe(outcome)),
      health && ((outcome) => health.server.observe(outcome)),
      options.observe,
    )
    // Made before anything is known of the bot: its threads load the runtime meanwhile.
    dispatcher = make({
      call,
      get store() {
        return store!
      },
      get outbox() {
        return outbox!
      },
      clock,
      log,
      get me() {
        return me!
      },
      config,
      keepSpare,
      onConversationsLost: (eventIds) =>
        void tellLostConversations({ store: store!, call, log }, { eventIds }, clock.now()),
      // A task has no event that could be replayed.
      onGivenUp: ({ event }, reason) => void (event.id > 0 && journal?.setAside(event, reason)),
      get recorder() {
        return recorder
      },
      ...(observe && { observe }),
      ...(blockSeconds !== undefined && { blockSeconds }),
    })
    dispatcher.warm?.()
    warmDriver()
    me = await answer
    // Needed when the code is loaded, and on its way meanwhile.
    const asking = new AbortController()
    const registered = call('commands.list', {}, { signal: AbortSignal.any([signal, asking.signal]) })
    registered.catch(() => {})
    held.push(() => asking.abort())
    const lock = lockSupervisor({
      baseUrl,
      botId: me.id,
      username: me.username,
      ...(options.lockFolder !== undefined && { folder: options.lockFolder }),
    })
    held.push(() => lock.release())
    const folder = stateFolder(source, options.stateDir)
    const opened = openKeptJournal({ file: stateFile(folder, 'journal.db'), baseUrl, botId: me.id, clock, report })
    journal = opened
    held.push(() => opened.close())
    let watched: WatchedStore
    if (config.store) store = watched = new WatchedStore(await config.store({ botId: me.id, clock, log }))
    else {
      const values = new SqliteStore({ file: stateFile(folder, 'state.db'), botId: me.id, clock, log })
      store = watched = new WatchedStore(values)
      held.push(() => values.close())
    }
    if (bounds) {
      const { Recorder } = await import('../record/recorder.ts')
      const file = stateFile(folder, historyName)
      const kept = (recorder = new Recorder({
        file,
        baseUrl,
        me,
        clock,
        log,
        bounds,
        secrets: [token, ...webhookSecrets],
      }))
      held.push(() => kept.close())
    }
    const sends = createOutbox({ call, store, clock, log })
    outbox = sends
    // What waits for the message budget is refused when the client closes; only then is the last of a broadcast noted.
    held.push(async () => {
      const broadcasts = sends.broadcasts.close()
      await call[Symbol.asyncDispose]()
      await broadcasts
    })
    await prepare?.({ me, call })
    const code = await dispatcher.replace(source, {
      signal: options.loading ? AbortSignal.any([signal, options.loading]) : signal,
    })
    signal.throwIfAborted()
    return await runBot({
      options,
      clock,
      signal,
      call,
      me,
      journal,
      store: watched,
      outbox,
      dispatcher,
      report,
      recorder,
      health,
      code,
      registered,
      release,
    })
  } catch (error) {
    await release()
    throw error
  }
}

/** Answers from the first moment, so that a start that takes long can be told from none. */
async function watchHealth(config: Config, clock: Clock, log: Log) {
  // Only a bot that wants them pays for loading the metrics.
  const [{ openHealth }, { HealthWatch }] = await Promise.all([
    import('../health/open-health.ts'),
    import('../health/health-watch.ts'),
  ])
  const watch = new HealthWatch(config, clock)
  return { watch, server: await openHealth({ ...config.health!, facts: watch.facts, log }) }
}
