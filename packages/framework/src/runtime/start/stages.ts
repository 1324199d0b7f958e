// The stages of a start: connect, identify, open, load. Each takes the result of the one before it; `run` follows (run-bot.ts).

import { type Clock, systemClock } from '@botwright/clock'
import type { Report } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import { createCall, type RestOptions } from '@botwright/rest'
import { boundsOf, historyNames } from '../../author/config/config.ts'
import { notifyLostConversations } from '../../link/conversation/lost-conversations.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'
import { hideFromNow } from '../../link/redaction.ts'
import { secretsOfEnv } from '../../link/redaction.ts'
import type { Backend } from '../instance/stages.ts'
import type { Cleanup } from '../instance/cleanup.ts'
import { whoAmI } from '../instance/login.ts'
import { observersOf } from '../instance/observers.ts'
import type { Connection, HealthEndpoint, Identity, LoadedBot, Stores } from '../instance/stages.ts'
import { stateFile, stateFolder } from '../instance/state-files.ts'
import { isPortTaken } from '../port-refused.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import type { Recorder } from '../recording/recorder.ts'
import { createOutbox } from '../sending/outbox.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import type { WorkerDispatcherOptions } from '../threads/dispatcher-worker.ts'
import { keepAlive } from './keep-alive.ts'
import { openSingleBackend } from './single-backend.ts'

/** Checks the options, starts the worker threads, and opens the health endpoint, which responds from the first moment. Throws `ERR_CONFIG`. */
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
  const report: Report = ({ level, message, ...facts }) => log[level](facts, message)
  const signal = options.signal ?? new AbortController().signal
  const alive = keepAlive(clock)
  cleanup.add(() => alive.cancel())
  const threads = await startThreads(options, cleanup, startedThreads)
  const health = await openHealth(options, clock, cleanup).catch((error: unknown) => {
    if (!isPortTaken(error)) throw error
    // Possibly by this bot's former process, which the lock names.
    log.warn({ port: config.health!.port }, `${(error as Error).message}. Trying again before the bot starts`)
    return undefined
  })
  return { options, clock, signal, report, health, threads, cleanup }
}

/** Asks the service who the bot is. Throws `ERR_UNAUTHORIZED` and `ERR_CONFIG`. */
export async function identify(connection: Connection): Promise<Identity> {
  return { connection, me: await whoAmI({ ...clientOptions(connection), ...waiting(connection) }) }
}

/** Opens what the bot stores, under its lock, and the client that keeps its message budget. Throws `ERR_ALREADY_RUNNING`. */
export async function open(identity: Identity): Promise<Stores> {
  const { connection, me } = identity
  const { cleanup, clock, options } = connection
  const { log, prepare } = options
  const backend = await openBackend(identity)
  const health = connection.health ?? (await openHealth(options, clock, cleanup))
  const recorder = await openRecorder(identity)
  const call = createCall({ ...clientOptions(connection), ...backend.client })
  const { store, claims } = backend
  const outbox = createOutbox({ call, store, clock, log, ...(claims && { claims }) })
  // What waits for the message budget is refused when the client closes; only then is the last of a broadcast noted.
  cleanup.add(async () => {
    const broadcasts = outbox.broadcasts.close()
    await call[Symbol.asyncDispose]()
    await broadcasts
  })
  await prepare?.({ me, call })
  return { connection, me, health, backend, call, outbox, recorder }
}

/** Loads the bot's code. Throws whatever the code throws while it loads. */
export async function load(stores: Stores): Promise<LoadedBot> {
  const { backend, call, connection, health, me, outbox, recorder } = stores
  const { cleanup, clock, options, signal } = connection
  const { blockSeconds, config, keepSpare = false, loading, log, source } = options
  const { store } = backend
  const calls = backend.callOf?.(call) ?? call
  const observe = observersOf(
    log,
    recorder && ((outcome) => recorder.observe(outcome)),
    health && ((outcome) => health.server.observe(outcome)),
    options.observe,
  )
  const dispatcher = await createDispatcher(options.dispatcher ?? 'worker', {
    call: calls,
    store,
    outbox,
    clock,
    log,
    me,
    config,
    keepSpare,
    threads: connection.threads,
    recorder,
    onConversationsLost: (eventIds) =>
      void notifyLostConversations({ store, call: calls, log }, { eventIds }, clock.now()),
    // A task has no event that could be replayed.
    onDeadLetter: (event, reason) => void (event.id > 0 && backend.setAside(event, reason)),
    ...backend.dispatching,
    ...(observe && { observe }),
    ...(blockSeconds !== undefined && { blockSeconds }),
  })
  cleanup.add(() => dispatcher.close({ graceMs: 0 }))
  const registered = options.cluster ? undefined : requestCommands(stores)
  // The thread loads the code meanwhile; registering the commands and the first reply then find the schemas loaded.
  void call.warm()
  const code = await dispatcher.replace(source, { signal: loading ? AbortSignal.any([signal, loading]) : signal })
  signal.throwIfAborted()
  return { ...stores, dispatcher, code, registered }
}

function clientOptions({ clock, options }: Connection): RestOptions {
  const { baseUrl, config, log, token, traffic } = options
  return {
    baseUrl,
    token,
    clock,
    ...(config.messageBudget !== undefined && { messageBudget: config.messageBudget }),
    onReport: ({ level, message, ...facts }) => log[level](facts, message),
    ...(traffic && { onTraffic: traffic }),
  }
}

const waiting = ({ clock, options, signal }: Connection) => ({
  baseUrl: options.baseUrl,
  clock,
  log: options.log,
  signal,
})

/** A bot that runs alone loads nothing of what a cluster needs. */
async function openBackend(identity: Identity): Promise<Backend> {
  const { cluster } = identity.connection.options
  if (!cluster) return openSingleBackend(identity)
  const { openClusterBackend } = await import('../cluster/cluster-backend.ts')
  return openClusterBackend(identity, cluster)
}

async function openRecorder({ connection, me }: Identity): Promise<Recorder | undefined> {
  const { cleanup, clock, options } = connection
  const { baseUrl, config, log, record = false, source, stateDir, token, webhookSecrets = [] } = options
  const bounds = stateDir === ':memory:' ? undefined : boundsOf(config, record)
  if (!bounds) return undefined
  const { Recorder } = await import('../recording/recorder.ts')
  const file = stateFile(stateFolder(source, stateDir), historyNames[record ? 'dev' : 'start'])
  const secrets = [token, ...webhookSecrets, ...secretsOfEnv(process.env)]
  const recorder = new Recorder({ file, baseUrl, me, clock, log, bounds, secrets })
  cleanup.add(() => recorder.close())
  return recorder
}

/** The threads of the bot's code. Those that no dispatcher takes end with the start. */
async function startThreads(
  { config, dispatcher }: StartBotOptions,
  cleanup: Cleanup,
  started: readonly BareWorker[],
): Promise<BareWorker[]> {
  if (dispatcher === 'inline') return []
  const { startWorker } = await import('../threads/bare-worker.ts')
  const threads = Array.from({ length: config.limits.workers }, (_, i) => started[i] ?? startWorker())
  cleanup.add(() => Promise.all(threads.map(({ worker }) => worker.terminate())))
  return threads
}

/** Each dispatcher is loaded only where it is used: the inline one brings the bot's code into this thread. */
async function createDispatcher(kind: 'inline' | 'worker', options: WorkerDispatcherOptions): Promise<BotDispatcher> {
  if (kind === 'inline') {
    const { InlineDispatcher } = await import('../threads/dispatcher-inline.ts')
    return new InlineDispatcher(options)
  }
  const { WorkerDispatcher } = await import('../threads/dispatcher-worker.ts')
  return new WorkerDispatcher(options)
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

async function openHealth(
  { config, cluster, log }: StartBotOptions,
  clock: Clock,
  cleanup: Cleanup,
): Promise<HealthEndpoint | undefined> {
  if (!config.health) return undefined
  // Only a bot with a health endpoint loads the metrics.
  const [{ openHealth }, { HealthWatch }] = await Promise.all([
    import('../health/open-health.ts'),
    import('../health/health-watch.ts'),
  ])
  const watch = new HealthWatch(config, clock)
  const extraMetrics = cluster && (await import('../cluster/cluster-metrics.ts')).clusterMetrics
  const { facts } = watch
  const refresh = () => watch.refresh?.()
  const server = await openHealth({ ...config.health, facts, refresh, log, ...(extraMetrics && { extraMetrics }) })
  cleanup.add(() => server.close())
  return { watch, server }
}
