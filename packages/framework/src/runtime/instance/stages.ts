import type { Clock } from '@botwright/clock'
import type { BotEvent, JournalStats, Report } from '@botwright/events'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call, CallHandle, RestOptions } from '@botwright/rest'
import type { Definition } from '../../author/entries.ts'
import type { Claims } from '../../link/claims.ts'
import type { BotDispatcher, DispatcherOptions } from '../threads/dispatcher.ts'
import type { LoadedCode } from '../../link/ports.ts'
import type { HealthWatch } from '../health/health-watch.ts'
import type { Health } from '../health/open-health.ts'
import type { OwnedOutbox } from '../sending/outbox.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { ClusterFacts } from '../ports/cluster-facts.ts'
import type { BotEnd, BotStats, StartBotOptions } from '../ports/running-bot.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import type { Cleanup } from './cleanup.ts'

/** The health endpoint and the state that it reports. */
export interface HealthEndpoint {
  server: Health
  watch: HealthWatch
}

/** The result of `connect`. */
export interface Connection {
  options: StartBotOptions
  clock: Clock
  signal: AbortSignal
  report: Report
  /** Undefined without `config.health`, and while another process uses its port: `open` tries again under the lock. */
  health: HealthEndpoint | undefined
  /** Worker threads, which load the runtime while the bot is identified. */
  threads: BareWorker[]
  /** Releases what this and the later stages have opened. */
  cleanup: Cleanup
}

/** The result of `identify`. */
export interface Identity {
  connection: Connection
  me: BotProfile
}

/** The result of `open`. */
export interface Stores extends Identity {
  health: HealthEndpoint | undefined
  backend: Backend
  call: CallHandle
  outbox: OwnedOutbox
  recorder: Recorder | undefined
}

/** The result of `load`. */
export interface LoadedBot extends Stores {
  dispatcher: BotDispatcher
  code: LoadedCode
  /** The answer of GET /commands, requested while the code loaded; undefined if other instances may register meanwhile. */
  registered: Promise<{ commands: readonly Command[] }> | undefined
}

/** What an instance works with: this machine's files, or what the instances of a cluster share. */
export interface Backend {
  /** How the client keeps the message budget. */
  readonly client: Pick<RestOptions, 'sendTimes' | 'limitStore' | 'timeoutMs'>
  readonly store: WatchedStore
  /** Sets an event aside whose handler has crashed its thread too often. */
  setAside(event: BotEvent, reason: string): void
  /** Further options of the dispatcher. */
  readonly dispatching?: Pick<DispatcherOptions, 'onWaits' | 'replayCommand'>
  /** The client that handlers use. */
  callOf?(call: Call): Call
  /** Tells the records of this instance from those of the others in a shared store. */
  readonly claims?: Claims
  createInstance(bot: LoadedBot): Instance
}

/** One running instance of the bot: brings the events to the dispatcher, from the start to the stop. */
export interface Instance {
  /** Begins to read events; returns at once. */
  start(): void
  /** Receives event webhooks, where the bot has any; resolves with the port. */
  listen(): Promise<{ port: number } | undefined>
  /** Resolves when no event that comes from now on is missed. */
  readonly placed: Promise<void>
  /** Registers the commands, or those of another process that runs newer code. */
  register(commands: readonly Command[], register: Registering): Promise<void>
  /** Takes the tasks of new code. */
  update(definitions: readonly Definition[]): Promise<void>
  /** The first poll is out: what former processes left behind may be looked at. */
  settle(): void
  stats(): BotStats
  facts(): InstanceFacts
  /** No new work; resolves when what runs has ended, or `graceMs` are over. */
  stop(graceMs: number): Promise<{ unfinished: number; unfinishedTasks: number }>
  /** Takes back a start that came to nothing. */
  cancel(): Promise<void>
  /** Why it has ended by itself, or was stopped. Never rejects. */
  readonly ended: Promise<BotEnd>
}

/** Registers commands; `done`: the service has them. */
export type Registering = (commands: readonly Command[]) => Promise<{ done: boolean }>

/** For the health of the process. */
export interface InstanceFacts {
  setAside: number
  journal?: JournalStats
  cluster?: ClusterFacts
}
