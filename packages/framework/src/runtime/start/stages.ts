// The startup stages: connect, identify, open, load, and run (run-bot.ts). Each takes the result of the previous one.

import { type Clock, elapsedOf, isMovable, systemClock, type Timer } from '@botwright/clock'
import { eventKey, type Report } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import { networkFix } from '@botwright/protocol/network-fix'
import { type Call, createCall, type RestOptions } from '@botwright/rest'
import { proxyFor } from '@botwright/rest/transport'
import { handledEvent, wakeOf } from '../../link/run-event.ts'
import type { BotDispatcher, DispatcherOptions } from '../threads/dispatcher.ts'
import { hideFromNow } from '../../link/redaction.ts'
import * as features from '../../features/runtime-features.ts'
import { BotRuns } from '../instance/bot-runs.ts'
import type { Cleanup } from '../instance/cleanup.ts'
import { whoAmI } from '../instance/login.ts'
import type { Backend, Connection, Identity, LoadedBot, Stores } from '../instance/stage-types.ts'
import type { WorkHost } from '../ports/work.ts'
import { observerOf } from '../ports/observer.ts'
import { isPortTaken } from '../port-refused.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import { createOutbox } from '../ports/broadcasts.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import type { ThreadOptions } from '../threads/thread-options.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Checks the options, starts the worker threads and opens the health endpoint. Throws `ERR_CONFIG`. */
export async function connect(
  options: StartBotOptions,
  cleanup: Cleanup,
  startedThreads: readonly BareWorker[] = [],
): Promise<Connection> {
  const { cluster, config, token, clock = systemClock, log, webhookSecrets = [] } = options
  hideFromNow(token, ...webhookSecrets)
  if (config.delivery !== 'poll' && webhookSecrets.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `BOT_WEBHOOK_SECRET is not set, but delivery is '${config.delivery}': copy the secret from the Developer screen into .env`,
    )
  if (cluster && config.store)
    throw new BotwrightError(
      'ERR_CONFIG',
      'bot.config.ts: store cannot be set in a cluster, whose instances share one store; remove store, or run without a cluster',
    )
  const report: Report = ({ level, message, ...facts }) => {
    const fix = facts.code === 'poll_failed' ? networkFix(message) : undefined
    log[level](facts, fix === undefined ? message : `${message}; ${fix}`)
  }
  const signal = options.signal ?? new AbortController().signal
  const alive = keepAlive(clock)
  cleanup.add(() => alive.cancel())
  const threads = await startThreads(options, cleanup, startedThreads)
  const health = await features.health(options, clock, cleanup).catch((error: unknown) => {
    if (!isPortTaken(error)) throw error
    // Possibly an earlier process of this bot, which the error of the lock will name.
    log.warn({ port: config.health!.port }, `${(error as Error).message}. Trying again before the bot starts`)
    return undefined
  })
  return { options, clock, signal, report, health, threads, cleanup }
}

/** Requests the profile of the bot. Throws `ERR_UNAUTHORIZED` and `ERR_CONFIG`. */
export async function identify(connection: Connection): Promise<Identity> {
  const { baseUrl, log } = connection.options
  const proxy = proxyFor(baseUrl)
  if (proxy)
    log.info(
      { proxy: proxy.origin },
      `requests to ${new URL(baseUrl).host} go through the proxy ${proxy.origin} (${proxy.variable})`,
    )
  return { connection, me: await whoAmI({ ...clientOptions(connection), ...waiting(connection) }) }
}

/** Takes the lock, and opens the stores and the client with the message budget. Throws `ERR_ALREADY_RUNNING`. */
export async function open(identity: Identity): Promise<Stores> {
  const { me } = identity
  const { cleanup, options } = identity.connection
  const { log, prepare } = options
  const backend = await openBackend(identity)
  cleanup.add(() => features.tracing(options))
  const { clock } = backend
  const connection = { ...identity.connection, clock }
  const health = connection.health ?? (await features.health(options, clock, cleanup))
  const history = await features.history(identity)
  const errors = await features.errors(identity)
  const seeing = [history, health, errors, backend.observer, options.observer].filter((one) => one !== undefined)
  const quietHours = await features.quietHours(identity, backend, observerOf(seeing))
  const observers = [...seeing, ...(quietHours ? [quietHours] : [])]
  const observer = observerOf(observers)
  const call = createCall({ ...clientOptions(connection), ...backend.client })
  const calls = observer.calls?.(call) ?? call
  observer.opened?.(clock)
  const { store, claims } = backend
  const broadcasts = features.broadcasts({ call: calls, store, clock, log, claims }, options.source.loading)
  const outbox = createOutbox(broadcasts, () => call.stats())
  // Closing the client rejects calls that wait for the message budget; a broadcast then stores its progress.
  cleanup.add(async () => {
    const closed = broadcasts.close()
    await call[Symbol.asyncDispose]()
    await closed
  })
  const closing = new AbortController()
  cleanup.add(() => closing.abort())
  await prepare?.({ me, call })
  return { connection, me, backend, call, calls, outbox, closing: closing.signal, observers }
}

/** Loads the bot's code. Throws whatever the code throws while it loads. */
export async function load(stores: Stores): Promise<LoadedBot> {
  const { backend, call, connection, observers } = stores
  const { cleanup, clock, options, signal } = connection
  const { config, loading, log, source } = options
  const { store, claims } = backend
  const unknown = new features.UnknownTypes(log)
  const isShared = options.cluster !== undefined || config.store !== undefined || options.stateDir !== ':memory:'
  const switches = new features.StoredSwitches({ store, clock, log, isShared })
  const observer = observerOf([features.eventLog(log), unknown, switches, ...observers])
  const dispatching = dispatcherOptions(stores, { observer, switches, runsOf: () => runs })
  const dispatcher = await createDispatcher(options.dispatcher ?? 'worker', dispatching, threadOptions(stores))
  cleanup.add(() => dispatcher.close({ graceMs: 0 }))
  const registered = options.cluster ? undefined : requestCommands(stores)
  // Loads the schemas while the thread loads the code, before the registration and the first reply need them.
  void call.warm()
  const code = await dispatcher.replace(source, { signal: loading ? AbortSignal.any([signal, loading]) : signal })
  signal.throwIfAborted()
  const host = { store, clock, log, dispatcher, observer, config, loading: source.loading }
  const runs = new BotRuns({
    ...{ dispatcher, switches },
    openGathering: (definitions) => features.gathering(host, definitions),
    openDurable: (definitions, events) =>
      features.durableRuns({ ...host, others: backend.others, isShared, codeId: source.codeId, events }, definitions),
  })
  await runs.update(code.definitions)
  const workHost: WorkHost = { ...host, claims, switches, dispatch: (...given) => dispatcher.dispatch(...given) }
  return {
    ...stores,
    ...{ dispatcher, observer, unknown, runs, switches, code, registered },
    openWork: (loaded) => features.work(workHost, loaded, cleanup),
    createTasks: () => features.tasks(workHost),
    checkZones: (definitions) => features.checkZones(definitions, config.env),
    openConversations: features.conversations,
    openReplays: features.replays,
  }
}

/** `runsOf` is called once the code runs. */
function dispatcherOptions(
  stores: Stores,
  { observer, switches, runsOf }: Pick<LoadedBot, 'observer' | 'switches'> & { runsOf: () => BotRuns },
): DispatcherOptions {
  const { backend, call, connection, me, outbox } = stores
  const { clock, options } = connection
  const { config, log } = options
  return {
    services: { call: handlerCalls(stores), store: backend.store, outbox },
    ...{ switches, clock, log, me, config, observer },
    callSites: options.record === true,
    withinSpan: (span, run) => features.withinSpan(options.source.root, span, run),
    openMs: (interactionId) => call.answers.leftMs(interactionId),
    answersLeft: (interactionId) => call.answers.left(interactionId),
    onGathers: (event, file) => runsOf().gathers(event, file),
    onDue: (run, file) => runsOf().due(run, file),
    again: (delivery) => runsOf().again(delivery),
    onDeadLetter: async (event, reason) => {
      const runs = runsOf()
      const own = handledEvent(event)
      if (!own) await runs.fail(wakeOf(event), reason)
      // A task has no stored event to replay.
      if (!own || own.id <= 0) return true
      const stored = runs.setAside(own, reason).map((one) => {
        void runs.lost(eventKey(one), true)
        return backend.setAside(one, reason)
      })
      return (await Promise.all(stored)).every(Boolean)
    },
    ...backend.dispatching,
  }
}

const handlerCalls = ({ backend, calls }: Stores): Call => backend.callOf?.(calls) ?? calls

function threadOptions(stores: Stores): ThreadOptions {
  const { clock, options, threads } = stores.connection
  const { blockSeconds, io, keepSpare = false, log } = options
  const { store } = stores.backend
  const again = { clock, signal: stores.closing }
  const call = handlerCalls(stores)
  return {
    ...{ started: threads, io, keepSpare },
    onConversationsLost: (eventIds) =>
      void features
        .conversations()
        .then(({ notify }) => notify({ store, call, log, again }, { eventIds }, clock.now())),
    ...(blockSeconds !== undefined && { blockSeconds }),
  }
}

function clientOptions({ clock, options }: Connection): RestOptions {
  const { baseUrl, config, connect, log, token, traffic, delay } = options
  return {
    baseUrl,
    token,
    clock,
    connect,
    ...(config.messageBudget !== undefined && { messageBudget: config.messageBudget }),
    longestWaitMs: config.limits.handlerSeconds * 1000,
    onReport: ({ level, message, ...facts }) => log[level](facts, message),
    ...(traffic && { onTraffic: traffic }),
    ...(delay && { onDelay: delay }),
  }
}

const waiting = ({ clock, health, options, signal }: Connection) => ({
  baseUrl: options.baseUrl,
  clock: elapsedOf(clock),
  log: options.log,
  signal,
  onRetry: health?.unanswered,
})

/** A single instance loads no code of clusters. */
async function openBackend(identity: Identity): Promise<Backend> {
  const { cluster, config } = identity.connection.options
  if (config.store && !cluster)
    return (await features.timedStores())(identity, config.store, features.openSingleBackend)
  return cluster ? features.clusterBackend(identity, cluster) : features.openSingleBackend(identity)
}

/** Starts the threads for the bot's code. The cleanup terminates them even if no dispatcher takes them. */
async function startThreads(
  { config, dispatcher, clock = systemClock, io }: StartBotOptions,
  cleanup: Cleanup,
  started: readonly BareWorker[],
): Promise<BareWorker[]> {
  if (dispatcher === 'inline') return []
  const { startWorker } = await import('../threads/bare-worker.ts')
  const start = () => startWorker({ movable: isMovable(clock), io })
  const threads = Array.from({ length: config.limits.workers }, (_, i) => started[i] ?? start())
  cleanup.add(() => Promise.all(threads.map(({ worker }) => worker.terminate())))
  return threads
}

/** Loads only the dispatcher that is used: the inline one would load the bot's side into this thread. */
async function createDispatcher(
  kind: 'inline' | 'worker',
  options: DispatcherOptions,
  threads: ThreadOptions,
): Promise<BotDispatcher> {
  if (kind === 'inline') {
    const { InlineDispatcher } = await import('../threads/dispatcher-inline.ts')
    return new InlineDispatcher(options)
  }
  const { WorkerDispatcher } = await import('../threads/dispatcher-worker.ts')
  return new WorkerDispatcher(options, threads)
}

/** Requests the registered commands while the code loads. */
function requestCommands({ call, connection: { cleanup, signal } }: Stores): LoadedBot['registered'] {
  const cancelled = new AbortController()
  const registered = call('commands.list', {}, { signal: AbortSignal.any([signal, cancelled.signal]) })
  // `run` awaits it; until then nothing else would catch its failure.
  registered.catch(() => {})
  cleanup.add(() => cancelled.abort())
  return registered
}

/**
 * Keeps the process alive until it is cancelled. Worker threads do not, and while the handlers of a busy bot delay
 * its next poll, no request is open: the process would exit.
 */
function keepAlive(clock: Clock): Timer {
  let timer: Timer
  const arm = (): void => {
    timer = clock.after(DAY_MS, arm, { keepAlive: true })
  }
  arm()
  return { cancel: () => timer.cancel() }
}
