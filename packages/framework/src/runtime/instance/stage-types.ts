import type { Clock } from '@botwright/clock'
import type { BotEvent, QueueState, Report, SetAside } from '@botwright/events'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call, CallHandle, RestOptions } from '@botwright/rest'
import type { Definition } from '../../author/files/entries.ts'
import type { Claims } from '../../link/claims.ts'
import type { BotDispatcher, DispatcherOptions } from '../threads/dispatcher.ts'
import type { LoadedCode, Outbox } from '../../link/ports.ts'
import type { BotRuns } from './bot-runs.ts'
import type { OtherInstances } from '../ports/durable-dispatch.ts'
import type { OwnBroadcasts } from '../ports/broadcasts.ts'
import type { Observer } from '../ports/observer.ts'
import type { Switches } from '../ports/switches.ts'
import type { LostConversations } from '../ports/conversations.ts'
import type { OpenReplays } from '../ports/replays.ts'
import type { Tasks } from '../ports/tasks.ts'
import type { Work } from '../ports/work.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import type { BotEnd, BotFacts, BotStats } from '../ports/bot-facts.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { BareWorker } from '../threads/bare-worker.ts'
import type { Cleanup } from './cleanup.ts'

/** The result of `connect`. */
export interface Connection {
  options: StartBotOptions
  clock: Clock
  signal: AbortSignal
  report: Report
  /** Undefined without `config.health`, and while another process uses its port: `open` tries again under the lock. */
  health: Observer | undefined
  /** Worker threads that load the runtime while the bot is being identified. */
  threads: BareWorker[]
  /** Releases the resources of this stage and the later ones. */
  cleanup: Cleanup
}

/** The result of `identify`. */
export interface Identity {
  connection: Connection
  me: BotProfile
}

/** The result of `open`. */
export interface Stores extends Identity {
  backend: Backend
  call: CallHandle
  /** Those of handlers and broadcasts, inside the features that wrap them. */
  calls: Call
  outbox: Outbox & { readonly broadcasts: OwnBroadcasts }
  /** Aborted when the bot has stopped: nothing that its store has refused is tried again. */
  closing: AbortSignal
  /** Those of the features that the bot uses, and that of `startBot`. */
  observers: readonly Observer[]
}

/** The result of `load`. */
export interface LoadedBot extends Stores {
  dispatcher: BotDispatcher
  /** Sees each event: all observers in one. */
  observer: Observer
  /** Counts the events of types that this version does not support. */
  unknown: { readonly count: number }
  runs: BotRuns
  switches: Switches
  code: LoadedCode
  /** Opens the feature that gives the bot work of its own, once its code has any. */
  openWork: (code: LoadedCode) => Promise<Work | undefined>
  /** Creates the tasks of the bot; in a cluster, those of one term as the leader. */
  createTasks: () => Tasks
  /** Throws `ERR_CONFIG` if a task has an invalid time zone. */
  checkZones: (definitions: readonly Definition[]) => Promise<void>
  openConversations: () => Promise<LostConversations>
  openReplays: OpenReplays
  /** The response of GET /commands, requested while the code loads; undefined if other instances may register commands meanwhile. */
  registered: Promise<{ commands: readonly Command[] }> | undefined
}

/** The storage of an instance: local files, or the storage that a cluster shares. */
export interface Backend {
  /** The client options for the message budget. */
  readonly client: Pick<RestOptions, 'sendTimes' | 'limitStore' | 'timeoutMs'>
  readonly store: WatchedStore
  readonly observer?: Observer | undefined
  /** The clock of the times in the store. */
  readonly clock: Clock
  /**
   * Sets aside an event whose handler has crashed its thread too often. Tries again until it is stored; resolves to false if the bot stops
   * first, or another instance runs the event.
   */
  setAside(event: BotEvent, reason: string): Promise<boolean>
  /** Further options of the dispatcher. */
  readonly dispatching?: Pick<DispatcherOptions, 'clockAheadMs' | 'onWaits' | 'replayCommand'>
  /** The other instances, which may continue a durable run. */
  readonly others?: OtherInstances
  /** The client that handlers use. */
  callOf?(call: Call): Call
  /** Distinguishes the records of this instance from those of the others in a shared store. */
  readonly claims?: Claims
  createInstance(bot: LoadedBot): Instance
}

/** One running instance of the bot: passes events to the dispatcher until it is stopped. */
export interface Instance {
  /** Starts reading events; returns immediately. */
  start(): void
  /** Starts the receiver of event webhooks, if the bot uses any; resolves with its port. */
  listen(): Promise<{ port: number } | undefined>
  /** Resolves when the position in the feed is known: no later event is missed. */
  readonly placed: Promise<void>
  /** Registers the commands, or those of another instance that runs newer code. */
  register(commands: readonly Command[], register: RegisterCommands): Promise<void>
  /** Replaces the tasks with those of new code. */
  update(definitions: readonly Definition[]): Promise<void>
  /** Called once the first poll is sent: resumes or cleans up unfinished work of earlier processes. */
  settle(): void
  stats(): BotStats
  facts(): InstanceFacts
  /** The longest queues of events. */
  queues?(): readonly QueueState[]
  /** Reads facts that need a request, for the next call of `facts` and `deadLetters`. */
  refresh?(): Promise<void>
  /** The events that were set aside, as of the last `refresh`. */
  deadLetters(): readonly SetAside[]
  /** Runs an event again that was set aside; false if it is not set aside. */
  replay(id: number): Promise<boolean>
  /** Accepts no new work; resolves when running handlers have finished, or after `graceMs`. */
  stop(graceMs: number): Promise<{ unfinished: number; unfinishedTasks: number }>
  /** Stops after a failed startup. */
  cancel(): Promise<void>
  /** Resolves with the reason when the instance has stopped. Never rejects. */
  readonly ended: Promise<BotEnd>
}

/** Registers commands. `done`: the service has accepted them. */
export type RegisterCommands = (commands: readonly Command[]) => Promise<{ done: boolean }>

/** The part of the facts that an instance knows. */
export type InstanceFacts = Pick<BotFacts, 'setAside' | 'serviceAheadMs' | 'journal' | 'webhook' | 'cluster'>
