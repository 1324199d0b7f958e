import type { BotEvent, JournalStats } from '@botwright/events'
import type { Command } from '@botwright/protocol/shapes'
import type { Call, RestOptions } from '@botwright/rest'
import type { ClusterFacts } from '../ports/cluster-facts.ts'
import type { Claims } from '../../link/claims.ts'
import type { DispatcherOptions } from '../../link/dispatcher.ts'
import type { Definition } from '../../author/entries.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { LoadedBot } from './stages.ts'
import type { BotEnd, BotStats } from '../ports/running-bot.ts'

/** What an instance works with: this machine's files, or what the instances of a cluster share. */
export interface Backend {
  /** How the client keeps the message budget. */
  readonly client: Pick<RestOptions, 'sendTimes' | 'limitStore' | 'timeoutMs'>
  readonly store: WatchedStore
  /** Sets an event aside whose handler has crashed its thread too often. */
  setAside(event: BotEvent, reason: string): void
  /** Further options of the dispatcher. */
  readonly dispatching?: Pick<DispatcherOptions, 'onWaits' | 'abandonable' | 'replayCommand'>
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
