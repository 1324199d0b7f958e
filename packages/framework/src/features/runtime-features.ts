// The features that only some bots use. The runtime knows them by this table alone, and each is loaded only by a bot that uses it.

import { type Clock, systemClock } from '@botwright/clock'
import { hasCode } from '../author/error-code.ts'
import { endsWithin } from '@botwright/clock/timers'
import type { Call } from '@botwright/rest'
import { boundsOf, type Config, historyNames } from '../author/config/config.ts'
import type { Definition } from '../author/files/entries.ts'
import { DISPOSE_MS, type SpanId } from '../link/messages.ts'
import type { BotSource, LoadedCode } from '../link/ports.ts'
import { createRedactor, hiddenValues, secretsOfEnv } from '../link/redaction.ts'
import type { Cleanup } from '../runtime/instance/cleanup.ts'
import type { Backend, Identity } from '../runtime/instance/stage-types.ts'
import { stateFile, stateFolder } from './host-files/state-files.ts'
import type { BroadcastsHost, OwnBroadcasts } from '../runtime/ports/broadcasts.ts'
import type { LostConversations } from '../runtime/ports/conversations.ts'
import type { OpenReplays } from '../runtime/ports/replays.ts'
import type { Work, WorkHost } from '../runtime/ports/work.ts'
import type { Observer } from '../runtime/ports/observer.ts'
import type { Cluster } from '../runtime/ports/cluster.ts'
import type { Gathers } from '../runtime/ports/gathers.ts'
import type { DurableDispatch } from '../runtime/ports/durable-dispatch.ts'
import type { StartBotOptions } from '../runtime/ports/running-bot.ts'
import type { RunDispatchOptions } from './durable/runtime/run-dispatch.ts'
import { BotBroadcasts } from './broadcasts/bot-broadcasts.ts'
import { BotTasks } from './tasks/bot-tasks.ts'
import type { Tasks } from '../runtime/ports/tasks.ts'
import type { GatheringHost } from './gather/gathering.ts'
import { mayHaveHeld } from './quiet-hours/held-prefix.ts'

export { eventLog } from './event-log.ts'
export { openSingleBackend } from './single-instance/single-backend.ts'
export { StoredSwitches } from './switches/stored-switches.ts'
export { UnknownTypes } from './unknown-types/unknown-types.ts'

/** The health endpoint, the metrics and the control room. Opened before the bot is identified, for probes. */
export async function health(options: StartBotOptions, clock: Clock, cleanup: Cleanup): Promise<Observer | undefined> {
  if (!options.config.health) return undefined
  const { healthOf } = await import('./health/health.ts')
  return healthOf(options, clock, cleanup)
}

/** Exports the spans of this thread's requests, after all other parts have ended. A start without its packages has failed for that reason. */
export async function tracing({ config, log, source: { root } }: StartBotOptions): Promise<void> {
  if (!config.tracing) return
  const { flushSpans } = await import('./tracing/flush-spans.ts')
  const lost = (why: string) => log.warn({ code: 'spans_lost' }, `the last spans were not exported${why}`)
  const fail = (error: Error | undefined) => hasCode(error, 'ERR_CONFIG') || lost(`: ${error?.message}`)
  if (!(await endsWithin(systemClock, DISPOSE_MS, flushSpans(root).catch(fail)))) lost(` within ${DISPOSE_MS / 1000} s`)
}

/** The stores and the instance of a bot that runs as several instances. Throws `ERR_ALREADY_RUNNING`, and the errors of `Cluster.join`. */
export async function clusterBackend(identity: Identity, cluster: Cluster): Promise<Backend> {
  const { openClusterBackend } = await import('./cluster/cluster-backend.ts')
  return openClusterBackend(identity, cluster)
}

/** The recording of events, for `framework explain` and others. */
export async function history({ connection, me }: Identity): Promise<Observer | undefined> {
  const { cleanup, clock, options } = connection
  const { baseUrl, config, io = process, log, record = false, source, stateDir, token, webhookSecrets = [] } = options
  const bounds = stateDir === ':memory:' ? undefined : boundsOf(config, record)
  if (!bounds) return undefined
  const { Recorder } = await import('./history/recorder.ts')
  const file = stateFile(stateFolder(source, stateDir), historyNames[record ? 'dev' : 'start'])
  const secrets = [token, ...webhookSecrets, ...secretsOfEnv(io.env)]
  const recorder = new Recorder({ file, baseUrl, me, clock, log, bounds, secrets })
  cleanup.add(() => recorder.close())
  return recorder
}

/** The failures of a bot, for the files of its event `error`. In development, such a file may come with a save. */
export async function errors({ connection }: Identity): Promise<Observer | undefined> {
  const { clock, options } = connection
  const { config, io = process, log, record, source, token, webhookSecrets = [] } = options
  const has = source.manifest.entries.some(({ kind, name }) => kind === 'event' && name === 'error')
  if (!has && !record) return undefined
  const { Failures } = await import('./errors/failures.ts')
  const hide = createRedactor([token, ...webhookSecrets, ...hiddenValues(config.hiddenEnv, io.env)])
  return new Failures({ clock, log, hide })
}

/** The bot's own messages wait for the end of quiet hours; those that wait are sent if these were removed. Throws `ERR_CONFIG`. `observer`: the other features. */
export async function quietHours(
  { connection, me }: Identity,
  backend: Backend,
  observer: Observer,
): Promise<Observer | undefined> {
  const { cleanup, options } = connection
  const { config, log, source } = options
  const { store, clock, claims } = backend
  if (config.quietHours === undefined && !(await mayHaveHeld(store))) return undefined
  const { QuietHours } = await import('./quiet-hours/quiet-hours.ts')
  const callOf = (call: Call) => backend.callOf?.(call) ?? call
  const { loading } = source
  const hours = new QuietHours({ config, me, store, clock, log, observer, claims, callOf, loading })
  // Also if the bot does not start.
  cleanup.add(() => hours.ended())
  await hours.opens()
  return hours
}

/** The store of `bot.config.ts`, which may never answer. */
export const timedStores = async () => (await import('./key-value-stores/timed-store.ts')).withTimedStore

/** The requests to the files in `routes/`. Rejects if they cannot be served. */
export async function work(host: WorkHost, { definitions }: LoadedCode, cleanup: Cleanup): Promise<Work | undefined> {
  if (!definitions.some(({ kind }) => kind === 'route')) return undefined
  const { openRoutes } = await import('./routes/open-routes.ts')
  const routes = await openRoutes(host, definitions)
  cleanup.add(() => routes.stop(0))
  return routes
}

/** The gathering of bursts, once a file gathers. */
export async function gathering(host: GatheringHost, definitions: readonly Definition[]): Promise<Gathers | undefined> {
  if (!definitions.some(({ facts }) => facts !== undefined && 'gather' in facts)) return undefined
  const { Gathering } = await import('./gather/gathering.ts')
  return new Gathering(host)
}

/** The durable runs, once a file has a durable handler. */
export async function durableRuns(
  host: RunDispatchOptions,
  definitions: readonly Definition[],
): Promise<DurableDispatch | undefined> {
  if (!definitions.some(({ durable }) => durable)) return undefined
  const { RunDispatch } = await import('./durable/runtime/run-dispatch.ts')
  return new RunDispatch(host)
}

/** The tasks, at their times. */
export const tasks = (host: WorkHost): Tasks => new BotTasks(host)

/** Throws `ERR_CONFIG` if a task has an invalid time zone. */
export async function checkZones(definitions: readonly Definition[], env: Config['env']): Promise<void> {
  if (!definitions.some(({ schedule }) => schedule)) return
  const zones = await import('./tasks/runtime/scheduler.ts')
  zones.checkZones(definitions, env)
}

/** The requests of `framework replay`. */
export const replays: OpenReplays = async (host) =>
  new (await import('./set-aside/replay-requests.ts')).ReplayRequests(host)

/** Makes a call within a span of OpenTelemetry, which loads with the first traced call. */
export const withinSpan = async <T>(root: string, span: SpanId, run: () => Promise<T>): Promise<T> =>
  (await import('./tracing/opentelemetry.ts')).runWithinSpan(root, span, run)

/** The conversations whose handlers are lost. */
export const conversations = async (): Promise<LostConversations> =>
  (await import('./conversations/lost-conversations.ts')).lost

/** The broadcasts, once a handler sends one or an unfinished one is stored. */
export const broadcasts = (host: BroadcastsHost, loading: BotSource['loading']): OwnBroadcasts =>
  new BotBroadcasts({
    ...{ store: host.store, log: host.log, loading },
    open: async () => new (await import('./broadcasts/broadcaster.ts')).Broadcaster(host),
  })
