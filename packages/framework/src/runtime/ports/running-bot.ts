import type { Clock } from '@botwright/clock'
import type { BotEvent, FeedStats } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Cluster } from './cluster.ts'
import type { Config } from '../../author/config/config.ts'
import type { BotSource, LoadedCode, Outcome } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'

/** What a bot is started with. */
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
  /**
   * Where the mark that this bot runs on this machine is kept: the machine's folder for temporary files unless told. False: there is none,
   * as nobody else can run it: its service lives in this process.
   */
  lockFolder?: string | false
  /** Runs the bot as one of many machines. Without one it runs on this machine alone. */
  cluster?: Cluster
  /** What this machine runs, for people who look at a cluster. */
  version?: string
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
  /** Asked before each poll; the promise that it gives holds the poll back: a clock that leaps over hours needs none of them. */
  holdPoll?: () => Promise<void> | undefined
  /** Hears when a request of the bot leaves (1), and when its answer has come or it was given up (-1). */
  traffic?: (endpoint: string, change: 1 | -1) => void
  /** For development: records unless the configuration says `record: false`, into a history of its own. Default false. */
  record?: boolean
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

/** Counts of a running bot since its start. */
export interface BotStats extends FeedStats {
  /** Clicks acknowledged on behalf of their handler. */
  acks: number
  /** Events that `catchUp` passed over; they count as finished as well. */
  skipped: number
  /** Events of types that this version does not know; `events/unknown.ts` gets them. */
  unknown: number
}

/** A bot that runs. */
export interface RunningBot extends AsyncDisposable {
  readonly me: BotProfile
  readonly call: Call
  /** What the bot keeps. */
  readonly store: StateStore
  /** Whether everything is up: false while the service refuses its commands, and from its end on. */
  readonly ready: boolean
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
