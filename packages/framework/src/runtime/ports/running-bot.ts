import type { Clock } from '@botwright/clock'
import type { EventReceiver, EventReceiverOptions, HttpAnswer } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call, CallHandle } from '@botwright/rest'
import type { Connect } from '@botwright/rest/transport'
import type { openDatabase } from '@botwright/sqlite'
import type { Cluster } from './cluster.ts'
import type { Config } from '../../author/config/config.ts'
import type { BotEnd, BotStats, RenewedRuns } from './bot-facts.ts'
import type { BotSource, LoadedCode } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Observer } from './observer.ts'
import type { ThreadIo } from '../../link/thread-io.ts'

/** The options of `startBot`. */
export interface StartBotOptions {
  source: BotSource
  config: Config
  /** Ends in its version segment (`/v1`), without a trailing slash. */
  baseUrl: string
  token: string
  /** Secrets of the event webhook; required if `config.delivery` is `webhook` or `both`. */
  webhookSecrets?: readonly string[]
  /** Serves the control room on the port of `config.health`, to requests with this token. Default: no control room. */
  controlToken?: string
  /** The folder of the journal, created if missing, or `:memory:`. Default: `.botwright` in the source's root. */
  stateDir?: string
  /**
   * The folder of the lock that prevents a second process of the bot on this host. Default: in the user's home, or the temporary folder if that is read-only.
   * False: no lock, because the service runs in this process and no other process can reach it.
   */
  lockFolder?: string | false
  /** Runs the bot as one of several instances. Default: a single instance. */
  cluster?: Cluster
  /** The version of this instance's code, shown in the status of a cluster. */
  version?: string
  /** Where handlers run: `worker` (default) in worker threads, `inline` in this thread. */
  dispatcher?: 'inline' | 'worker'
  /** Keeps a spare worker ready so that `replace` is fast, for development. Default false. */
  keepSpare?: boolean
  /** Seconds after which an unresponsive worker thread with running handlers is replaced. Default 15. */
  blockSeconds?: number
  /** The environment, and the output of worker threads. Default: those of the process. */
  io?: ThreadIo
  clock?: Clock
  /** Opens the way to the service. Default: HTTP. For simulations. */
  connect?: Connect
  /** Opens the journal and the state. Default: files. For simulations. */
  openDatabase?: typeof openDatabase
  /** Opens the receiver of event webhooks. Default: an HTTP server. For simulations. */
  openReceiver?: (options: EventReceiverOptions) => EventReceiver
  /** Takes the health endpoint, which then opens no port. */
  mountHealth?: (answer: HttpAnswer) => void
  log: Log
  /** Sees the events of the bot. */
  observer?: Observer
  /** Called before each poll, which a returned promise delays: tests that advance the clock by hours skip the polls in between. */
  holdPoll?: () => Promise<void> | undefined
  /** Called with 1 when a request of the bot is sent, and with -1 when it has ended. */
  traffic?: (endpoint: string, change: 1 | -1) => void
  /** Called when a call of a handler begins to wait for the clock: what it waits for, in English. The result is called when it has waited. */
  delay?: (what: string) => () => void
  /** For development: records into the history of `framework dev` unless the configuration sets `record: false`, and captures the place of each call. Default false. */
  record?: boolean
  /** Called once the bot is identified, before its code is loaded. */
  prepare?: (facts: { me: BotProfile; call: Call }) => void | Promise<void>
  /** Cancels startup. */
  signal?: AbortSignal
  /** Cancels loading code that is stuck; has no effect once the bot runs. */
  loading?: AbortSignal
}

/** A running bot. */
export interface RunningBot extends AsyncDisposable {
  readonly me: BotProfile
  readonly call: Call & Pick<CallHandle, 'stats'>
  /** The bot's stored values. */
  readonly store: StateStore
  /** Whether the bot runs and its commands are registered. */
  readonly ready: boolean
  /** The definitions of the running code. */
  readonly code: LoadedCode
  /**
   * Replaces the code without downtime and registers changed commands. Rejects and keeps the old code if the new code fails to load.
   * `signal` cancels loading.
   */
  replace(source: BotSource, options?: { signal?: AbortSignal }): Promise<LoadedCode>
  /** Continues the waiting durable runs with the present code, for development: other runs keep the former code while they are in memory. */
  renewRuns(): Promise<RenewedRuns>
  /**
   * Starts no new work; running handlers have `graceMs` (default: `limits.graceSeconds`) to finish, then the journal is closed.
   * Unfinished events run again at the next start, marked `redelivered`.
   */
  stop(options?: { graceMs?: number }): Promise<{ unfinished: number }>
  stats(): BotStats
  /** Answers a request to a file in `routes/`. */
  readonly answer: HttpAnswer
  fetch(request: Request): Promise<Response>
  /** Whether handlers are running, also of tasks and of durable runs that continue, and not all of them wait for the message budget. */
  readonly busy: boolean
  /** The files of the handlers that run, as in `busy`. */
  runningFiles(): Promise<string[]>
  /** The time until the next timer of its handlers, in milliseconds, if they run in threads and `clock` can be moved. For development. */
  nextTimerMs(): Promise<number | undefined>
  /** Resolves when the bot has ended, by `stop` or because its token was rejected. Never rejects. */
  readonly ended: Promise<BotEnd>
}
