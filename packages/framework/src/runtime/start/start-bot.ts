// A running bot: the one thread that owns the feed, the message budget and the automatic acks, and what joins them.
// What differs between one machine and many stands in a footing (`single.ts`, `../cluster/machine.ts`).

import { type Clock, systemClock } from '@botwright/clock'
import type { Report } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { type CallHandle, createCall, type RestOptions } from '@botwright/rest'
import type { BotDispatcher } from '../../link/dispatcher.ts'
import { tellLostConversations } from '../../link/conversation/kept.ts'
import { keepAlive } from './keep-alive.ts'
import { hideFromNow, secretsOfEnv } from '../../link/redaction.ts'
import { createOutbox, type OwnedOutbox } from '../sending/outbox.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { Footing } from '../instance/footing.ts'
import { stateFile, stateFolder } from '../instance/kept.ts'
import { whoAmI } from '../instance/login.ts'
import { dispatcherMaker } from './make-dispatcher.ts'
import { observersOf } from '../instance/observers.ts'
import { isPortTaken } from '../port-refused.ts'
import { runBot } from './run-bot.ts'
import type { BotParts } from '../instance/parts.ts'
import type { RunningBot, StartBotOptions } from '../ports/running-bot.ts'
import { giveBack } from '../instance/give-back.ts'
import { SingleFooting } from './single.ts'
import { boundsOf, historyNames } from '../../author/config/config.ts'

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
  let store: WatchedStore | undefined
  let outbox: OwnedOutbox | undefined
  let dispatcher: BotDispatcher | undefined
  let recorder: Recorder | undefined
  const bounds = options.stateDir === ':memory:' ? undefined : boundsOf(config, options.record ?? false)
  const footing = await footingOf(options, clock, report)
  const alive = keepAlive(clock)
  /** How to give back what was taken, in the order in which it was taken. */
  const held: (() => void | Promise<void>)[] = []
  const release = async (): Promise<void> => {
    alive.cancel()
    // The handlers use everything else.
    held.push(async () => void (await dispatcher?.close({ graceMs: 0 })))
    await giveBack(held, log)
  }

  try {
    let health: BotParts['health']
    const openHealth = async () => {
      const opened = (health = await watchHealth(options, clock))
      held.push(() => opened.server.close())
    }
    if (config.health)
      await openHealth().catch((error: unknown) => {
        if (!isPortTaken(error)) throw error
        // Perhaps by this bot's former process, which the lock below names: tried again under the lock.
        log.warn({ port: config.health!.port }, `${(error as Error).message}. Trying again before the bot starts`)
      })
    const call = createCall({
      baseUrl,
      token,
      clock,
      ...(config.messageBudget !== undefined && { messageBudget: config.messageBudget }),
      ...footing.client,
      onReport,
      ...(options.traffic && { onTraffic: options.traffic }),
    })
    held.push(() => call[Symbol.asyncDispose]())
    const calls = footing.callOf?.(call) ?? call
    // Asked first: while the answer is on its way, everything is loaded that does not depend on it.
    const answer = whoAmI({ call, baseUrl, clock, log, signal })
    // It is awaited below; until then nobody else would hear of its failure.
    answer.catch(() => {})
    const make = await dispatcherMaker(options.dispatcher ?? 'worker')
    const { keepSpare = false, blockSeconds } = options
    const observe = observersOf(
      log,
      bounds && ((outcome) => recorder?.observe(outcome)),
      config.health && ((outcome) => health?.server.observe(outcome)),
      options.observe,
    )
    // Made before anything is known of the bot: its threads load the runtime meanwhile.
    dispatcher = make({
      call: calls,
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
        void tellLostConversations({ store: store!, call: calls, log }, { eventIds }, clock.now()),
      // A task has no event that could be replayed.
      onGivenUp: (event, reason) => void (event.id > 0 && footing.setAside(event, reason)),
      get recorder() {
        return recorder
      },
      ...footing.dispatching,
      ...(observe && { observe }),
      ...(blockSeconds !== undefined && { blockSeconds }),
    })
    dispatcher.warm?.()
    footing.warm?.()
    me = await answer
    const registered = footing.alone ? askForCommands(call, signal, held) : undefined
    await footing.open(me, held)
    if (config.health && !health) await openHealth()
    store = footing.store
    if (bounds) {
      const { Recorder } = await import('../recording/recorder.ts')
      const file = stateFile(stateFolder(source, options.stateDir), historyNames[options.record ? 'dev' : 'start'])
      const kept = (recorder = new Recorder({
        file,
        baseUrl,
        me,
        clock,
        log,
        bounds,
        secrets: [token, ...webhookSecrets, ...secretsOfEnv(process.env)],
      }))
      held.push(() => kept.close())
    }
    const sends = createOutbox({ call, store, clock, log, ...(footing.claims && { claims: footing.claims }) })
    outbox = sends
    // What waits for the message budget is refused when the client closes; only then is the last of a broadcast noted.
    held.push(async () => {
      const broadcasts = sends.broadcasts.close()
      await call[Symbol.asyncDispose]()
      await broadcasts
    })
    await prepare?.({ me, call })
    const loading = dispatcher.replace(source, {
      signal: options.loading ? AbortSignal.any([signal, options.loading]) : signal,
    })
    loading.catch(() => {})
    // It takes this thread's time: the workers load the code meanwhile.
    footing.openJournal?.(me)
    const code = await loading
    signal.throwIfAborted()
    const parts: BotParts = {
      options,
      clock,
      signal,
      call,
      me,
      store,
      outbox,
      dispatcher,
      report,
      recorder,
      health,
      code,
      registered,
      release,
    }
    return await runBot(parts, footing.engine(parts))
  } catch (error) {
    await release()
    throw error
  }
}

/** What is registered is needed when the code is loaded, and on its way meanwhile. */
function askForCommands(call: CallHandle, signal: AbortSignal, held: (() => void)[]) {
  const asking = new AbortController()
  const registered = call('commands.list', {}, { signal: AbortSignal.any([signal, asking.signal]) })
  registered.catch(() => {})
  held.push(() => asking.abort())
  return registered
}

/** A bot that runs alone loads nothing of what many machines need. */
async function footingOf(options: StartBotOptions, clock: Clock, report: Report): Promise<Footing> {
  if (!options.cluster) return new SingleFooting(options, clock, report)
  const { MachineFooting } = await import('../cluster/machine.ts')
  return new MachineFooting(options, options.cluster, { clock, report })
}

/** Answers from the first moment, so that a start that takes long can be told from none. */
async function watchHealth({ config, cluster, log }: StartBotOptions, clock: Clock) {
  // Only a bot that wants them pays for loading the metrics.
  const [{ openHealth }, { HealthWatch }] = await Promise.all([
    import('../health/open-health.ts'),
    import('../health/health-watch.ts'),
  ])
  const watch = new HealthWatch(config, clock)
  const figures = cluster && (await import('../cluster/figures.ts')).clusterFigures
  const { facts } = watch
  const refresh = () => watch.refresh?.()
  return { watch, server: await openHealth({ ...config.health!, facts, refresh, log, ...(figures && { figures }) }) }
}
