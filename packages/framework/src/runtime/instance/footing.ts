import type { BotEvent, JournalStats } from '@botwright/events'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call, RestOptions } from '@botwright/rest'
import type { ClusterFacts } from '../ports/cluster-facts.ts'
import type { Claims } from '../../link/claims.ts'
import type { DispatcherOptions } from '../../link/dispatcher.ts'
import type { Definition } from '../../author/entries.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { BotParts } from './parts.ts'
import type { BotEnd, BotStats } from '../ports/running-bot.ts'

/** What a bot stands on: this machine alone, or the machines of a cluster. */
export interface Footing {
  /** Whether nobody else runs the bot meanwhile. */
  readonly alone: boolean
  /** Loads what `open` needs while the bot is being asked who it is. */
  warm?(): void
  /** How the client keeps the message budget. It is made before the bot is known: what it needs is looked up when it sends. */
  readonly client: Pick<RestOptions, 'sendTimes' | 'limitStore' | 'timeoutMs'>
  /**
   * Takes what the bot needs of it: that it may run here, what it remembers, what it keeps. `held`: how to give that back, in the
   * order in which it was taken; the process lock goes to the front, so it is released after everything else.
   */
  open(me: BotProfile, held: (() => void | Promise<void>)[]): Promise<void>
  /** Opens what no code needs to be loaded; called once, behind `open`. */
  openJournal?(me: BotProfile): void
  /** What the bot keeps; there when it is open. */
  readonly store: WatchedStore
  /** An event whose handler has brought down its thread too often. */
  setAside(event: BotEvent, reason: string): void
  /** What the dispatcher is told of it. */
  readonly dispatching?: Pick<DispatcherOptions, 'onWaits' | 'abandonable' | 'replayCommand'>
  /** The client as handlers see it. */
  callOf?(call: Call): Call
  /** Whose the kept records are, where several machines have theirs in one store. */
  readonly claims?: Claims
  engine(parts: BotParts): Engine
}

/** What brings the events to the dispatcher and all that goes with it, from the bot's start to its stop. */
export interface Engine {
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
  facts(): EngineFacts
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
export interface EngineFacts {
  setAside: number
  journal?: JournalStats
  cluster?: ClusterFacts
}
