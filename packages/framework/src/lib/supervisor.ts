// A running bot: the one thread that owns the feed, the journal, the message budget and the automatic acks, and what joins them.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@botwright/clock'
import { systemClock } from '@botwright/clock'
import {
  type BotEvent,
  createEventReceiver,
  createFeed,
  type Delivery,
  type FeedStats,
  openJournal,
  type Report,
} from '@botwright/events'
import type { BotProfile } from '@botwright/protocol'
import { BotwrightError } from '@botwright/protocol/facts'
import { createCall } from '@botwright/rest'
import type { Call, RestOptions } from '@botwright/rest'
import { AutoAck } from './auto-ack.ts'
import type { Config } from './config.ts'
import type { BotDispatcher } from './dispatcher.ts'
import type { WorkerDispatcherOptions } from './dispatcher-worker.ts'
import { keepAlive } from './keep-alive.ts'
import type { BotSource, LoadedCode, Log, Outcome } from './ports.ts'
import { registerCommands } from './register-commands.ts'
import { lockSupervisor, type SupervisorLock } from './supervisor-lock.ts'
import { whoAmI } from './supervisor-login.ts'

export interface StartBotOptions {
  source: BotSource
  config: Config
  /** Ends in its version segment (`/v1`), without a slash behind it. */
  baseUrl: string
  token: string
  /** Secrets of the event webhook; needed when `config.delivery` is `webhook` or `both`. */
  webhookSecrets?: readonly string[]
  /** The folder of the journal, made when missing, or `:memory:`. Default: `.botwright` under the source's root. */
  stateDir?: string
  /** `worker` (default): handlers run in threads of their own. `inline`: in this one. */
  dispatcher?: 'inline' | 'worker'
  /** Keeps a worker warm, so that `replace` is quick: for development. Default false. */
  keepSpare?: boolean
  /** A worker thread that does not answer for so long while handlers run is replaced. Default 15. */
  blockSeconds?: number
  clock?: Clock
  log: Log
  /** Hears how each delivery went. */
  observe?: (outcome: Outcome) => void
  /** Hears of each event when it arrives, before its handler runs. */
  hear?: (event: BotEvent) => void
  /** Runs once the bot is known, before its code is loaded. */
  prepare?: (facts: { me: BotProfile; call: Call }) => void | Promise<void>
  /** Gives the start up. */
  signal?: AbortSignal
  /** Gives up code that is stuck while it loads; means nothing once the bot runs. */
  loading?: AbortSignal
}

/** Why a bot ended. */
export interface BotEnd {
  reason: 'stopped' | 'unauthorized'
  error?: Error
}

export interface BotStats extends FeedStats {
  /** Clicks that were acknowledged for their handler. */
  acks: number
}

/** A bot that runs. */
export interface RunningBot extends AsyncDisposable {
  readonly me: BotProfile
  readonly call: Call
  /** The definitions that serve now. */
  readonly code: LoadedCode
  /**
   * Takes new code without a pause; rejects, and keeps the old code, when the new one does not load. Registers changed commands.
   * `signal` gives up code that is still loading.
   */
  replace(source: BotSource, options?: { signal?: AbortSignal }): Promise<LoadedCode>
  /**
   * No new work; running handlers may finish within `graceMs` (default: `limits.graceSeconds`), then the journal is closed.
   * What did not finish runs again at the next start, marked `redelivered`.
   */
  stop(options?: { graceMs?: number }): Promise<{ unfinished: number }>
  stats(): BotStats
  /** Resolves when the bot has ended, by `stop` or because its token is refused. Never rejects. */
  readonly ended: Promise<BotEnd>
}

type ServiceCall = ReturnType<typeof createCall>

const SEND_TIMES = 'send_times'

/**
 * Runs a bot: asks who it is, opens its journal, loads its code, registers its commands, reads its events.
 * Throws `ERR_UNAUTHORIZED` (the token), `ERR_CONFIG` (what is missing, or a second process of the same bot on this machine),
 * and whatever the bot's code throws while it loads.
 */
export async function startBot(options: StartBotOptions): Promise<RunningBot> {
  const { source, config, baseUrl, token, clock = systemClock, log, prepare, webhookSecrets = [] } = options
  const signal = options.signal ?? new AbortController().signal
  if (config.delivery !== 'poll' && webhookSecrets.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `BOT_WEBHOOK_SECRET is not set, but delivery is '${config.delivery}': copy the secret from the Developer screen into .env`,
    )
  const report: Report = ({ level, message, ...facts }) => log[level](facts, message)
  const onReport: RestOptions['onReport'] = ({ level, message, ...facts }) => log[level](facts, message)
  let call: ServiceCall | undefined
  let me: BotProfile | undefined
  let journal: ReturnType<typeof openJournal> | undefined
  let lock: SupervisorLock | undefined
  let dispatcher: BotDispatcher | undefined
  const alive = keepAlive(clock)
  const release = async (): Promise<void> => {
    alive.cancel()
    await dispatcher?.close({ graceMs: 0 })
    await call?.[Symbol.asyncDispose]()
    journal?.close()
    lock?.release()
  }

  try {
    const make = await dispatcherMaker(options.dispatcher ?? 'worker')
    const { observe, keepSpare = false, blockSeconds } = options
    // Made before anything is known of the bot: its threads load the runtime while the service is asked.
    dispatcher = make({
      call: (name, input, callOptions) => call!(name, input, callOptions),
      clock,
      log,
      get me() {
        return me!
      },
      config,
      keepSpare,
      onGivenUp: ({ event }, reason) => void journal?.setAside(event, reason),
      ...(observe && { observe }),
      ...(blockSeconds !== undefined && { blockSeconds }),
    })
    dispatcher.warm?.()
    me = await whoAmI({ baseUrl, token, clock, log, signal, onReport })
    lock = lockSupervisor({ baseUrl, botId: me.id, username: me.username })
    journal = openJournal({ file: journalFile(options), baseUrl, botId: me.id, clock, report })
    const opened = journal
    call = createCall({
      baseUrl,
      token,
      clock,
      ...(config.messageBudget !== undefined && { messageBudget: config.messageBudget }),
      // A restart must not send as if nothing had been sent (§8: 30 a minute).
      sendTimes: {
        load: () => readTimes(opened.getValue(SEND_TIMES)),
        save: (times) => void opened.setValue(SEND_TIMES, JSON.stringify(times)),
      },
      onReport,
    })
    await prepare?.({ me, call })
    const code = await dispatcher.replace(source, {
      signal: options.loading ? AbortSignal.any([signal, options.loading]) : signal,
    })
    signal.throwIfAborted()
    return await run({ options, clock, signal, call, me, lock, journal, dispatcher, report, code, release })
  } catch (error) {
    await release()
    throw error
  }
}

interface Parts {
  options: StartBotOptions
  clock: Clock
  signal: AbortSignal
  call: ServiceCall
  me: BotProfile
  lock: SupervisorLock
  journal: ReturnType<typeof openJournal>
  dispatcher: BotDispatcher
  report: Report
  code: LoadedCode
  release: () => Promise<void>
}

async function run(parts: Parts): Promise<RunningBot> {
  const { options, clock, signal, call, me, journal, dispatcher, report } = parts
  const { config, log } = options
  let { code } = parts
  const acks = new AutoAck({ call, answers: call.answers, clock, log })
  const feed = createFeed({
    listEvents: ({ after, wait }, abort) =>
      call(
        'events.list',
        { after, wait },
        { signal: abort, timeoutMs: (wait + POLL_SLACK_SECONDS) * 1000, unchecked: true },
      ),
    journal,
    clock,
    report,
    run: (delivery) => (isTooOld(delivery, config, clock) ? undefined : dispatcher.dispatch(delivery)),
    received: ({ event, redelivered }) => {
      options.hear?.(event)
      acks.received(event, redelivered)
    },
    delivery: config.delivery,
    start: config.start,
    maxWaiting: config.limits.waiting,
    // A handler cannot bring this process down from its worker, where its deaths are counted: a process that dies with many
    // events running says little about each of them.
    ...(options.dispatcher !== 'inline' && { handlerAttempts: 10 }),
  })
  const { port, host, path } = config.webhook
  const receiver =
    config.delivery === 'poll'
      ? undefined
      : createEventReceiver({
          secrets: [...options.webhookSecrets!],
          botId: me.id,
          offer: (event) => feed.offer(event),
          report,
          clock,
          port,
          host,
          path,
        })

  let end!: (end: BotEnd) => void
  const ended = new Promise<BotEnd>((resolve) => (end = resolve))
  let stopping: Promise<{ unfinished: number }> | undefined
  // When the first poll is out the schemas may load, so that the first reply need not wait for them.
  const warming = clock.after(WARM_AFTER_MS, () => void call.warm())
  const stop = ({ graceMs = config.limits.graceSeconds * 1000 }: { graceMs?: number } = {}) =>
    (stopping ??= (async () => {
      warming.cancel()
      await receiver?.close()
      const { unfinished } = await feed.stop({ graceMs })
      await acks.flush()
      await dispatcher.lifecycle('shutdown')
      await parts.release()
      const why = await feed.ended
      end({ reason: why.reason, ...(why.error && { error: why.error }) })
      if (unfinished > 0)
        log.warn(
          { unfinished },
          `${unfinished} handlers did not finish within ${graceMs / 1000} s: their events run again at the next start`,
        )
      return { unfinished }
    })())

  // The first poll and the registration need nothing of each other.
  feed.start()
  try {
    const [listening] = await Promise.all([
      receiver?.listen(),
      registerCommands({ call, commands: code.commands, log, signal }),
    ])
    if (listening)
      log.info({ port: listening.port }, `event webhooks are received on http://${host}:${listening.port}${path}`)
  } catch (error) {
    await feed.stop({ graceMs: 0 })
    await receiver?.close()
    throw error
  }
  void feed.ended.then(({ reason }) => {
    if (reason === 'unauthorized') return stop()
  })
  await dispatcher.lifecycle('ready')
  log.info(
    { username: me.username, handlers: code.definitions.length },
    `${me.username} is ready: ${counted(code.definitions.length, 'handler')}`,
  )

  return {
    me,
    call,
    ended,
    stop,
    get code() {
      return code
    },
    async replace(source, loading) {
      if (stopping) throw new Error('the bot is stopping: it takes no new code')
      const former = code
      code = await dispatcher.replace(source, loading)
      if (JSON.stringify(former.commands) !== JSON.stringify(code.commands))
        await registerCommands({ call, commands: code.commands, log, signal })
      return code
    },
    stats: () => ({ ...feed.stats(), acks: acks.sent }),
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

const WARM_AFTER_MS = 300

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** The feed's own watchdog ends a poll a little earlier. */
const POLL_SLACK_SECONDS = 15

/** Each dispatcher is loaded only where it is used: the one carries the bot's code into this thread, the other keeps it out. */
async function dispatcherMaker(kind: 'inline' | 'worker') {
  type Make = (options: WorkerDispatcherOptions) => BotDispatcher
  if (kind === 'inline') {
    const { InlineDispatcher } = await import('./dispatcher-inline.ts')
    return ((options) => new InlineDispatcher(options)) satisfies Make as Make
  }
  const { WorkerDispatcher } = await import('./dispatcher-worker.ts')
  return ((options) => new WorkerDispatcher(options)) satisfies Make as Make
}

function journalFile({ stateDir, source }: StartBotOptions): string {
  if (stateDir === ':memory:') return stateDir
  const folder = stateDir ?? join(source.root, '.botwright')
  mkdirSync(folder, { recursive: true })
  return join(folder, 'journal.db')
}

/** `catchUp`: what happened too long ago is passed over; it counts as finished. */
function isTooOld({ event }: Delivery, { catchUp }: Config, clock: Clock): boolean {
  return catchUp !== undefined && clock.now() - Date.parse(event.created_at) > catchUp.olderThanSeconds * 1000
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
