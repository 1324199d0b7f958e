import type { Clock } from '@botwright/clock'
import type { BotEvent, FeedStats } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Cluster } from './cluster.ts'
import type { Config } from '../../author/config/config.ts'
import type { BotSource, LoadedCode, Outcome } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'

/** The options of a bot's start. */
export interface StartBotOptions {
  source: BotSource
  config: Config
  /** Ends in its version segment (`/v1`), without a trailing slash. */
  baseUrl: string
  token: string
  /** Secrets of the event webhook; required if `config.delivery` is `webhook` or `both`. */
  webhookSecrets?: readonly string[]
  /** The folder of the journal, created if missing, or `:memory:`. Default: `.botwright` in the source's root. */
  stateDir?: string
  /**
   * The folder of the lock that a bot runs on this machine. Default: the machine's temporary folder. False: no lock,
   * because its service runs in this process, so no other process can run it.
   */
  lockFolder?: string | false
  /** Runs the bot as one of several instances. Default: a single instance. */
  cluster?: Cluster
  /** The version of this instance's code, shown in the status of a cluster. */
  version?: string
  /** `worker` (default): handlers run in threads of their own. `inline`: in this one. */
  dispatcher?: 'inline' | 'worker'
  /** Keeps a worker warm, so that `replace` is quick: for development. Default false. */
  keepSpare?: boolean
  /** Seconds after which an unresponsive worker thread with running handlers is replaced. Default 15. */
  blockSeconds?: number
  clock?: Clock
  log: Log
  /** Receives the outcome of each delivery. */
  observe?: (outcome: Outcome) => void
  /** Receives each event when it arrives, before its handler runs. */
  hear?: (event: BotEvent) => void
  /** Called before each poll; a returned promise delays the poll: a clock that advances by hours needs none in between. */
  holdPoll?: () => Promise<void> | undefined
  /** Called when a request of the bot leaves (1), and when it has ended (-1). */
  traffic?: (endpoint: string, change: 1 | -1) => void
  /** For development: records unless the configuration sets `record: false`, into a separate history. Default false. */
  record?: boolean
  /** Runs once the bot is known, before its code is loaded. */
  prepare?: (facts: { me: BotProfile; call: Call }) => void | Promise<void>
  /** Cancels the start. */
  signal?: AbortSignal
  /** Cancels code that is stuck while it loads; has no effect once the bot runs. */
  loading?: AbortSignal
}

/** Why a bot ended. */
export interface BotEnd {
  reason: 'stopped' | 'unauthorized'
  error?: Error
}

/** Counts of a running bot since its start. */
export interface BotStats extends FeedStats {
  /** Clicks acknowledged on behalf of their handler. */
  acks: number
  /** Events that `catchUp` skipped; they count as finished as well. */
  skipped: number
  /** Events of types that this version does not support; `events/unknown.ts` receives them. */
  unknown: number
}

/** A running bot. */
export interface RunningBot extends AsyncDisposable {
  readonly me: BotProfile
  readonly call: Call
  /** The bot's stored values. */
  readonly store: StateStore
  /** Whether everything is up: false while the service refuses its commands, and after its end. */
  readonly ready: boolean
  /** The definitions of the running code. */
  readonly code: LoadedCode
  /**
   * Takes new code without a pause; rejects, and keeps the old code, if the new one does not load. Registers changed commands.
   * `signal` cancels code that is still loading.
   */
  replace(source: BotSource, options?: { signal?: AbortSignal }): Promise<LoadedCode>
  /**
   * Starts no new work; running handlers have `graceMs` (default: `limits.graceSeconds`) to finish, then the journal is closed.
   * Unfinished events run again at the next start, marked `redelivered`.
   */
  stop(options?: { graceMs?: number }): Promise<{ unfinished: number }>
  stats(): BotStats
  /** Resolves when the bot has ended, by `stop` or because its token was rejected. Never rejects. */
  readonly ended: Promise<BotEnd>
}
