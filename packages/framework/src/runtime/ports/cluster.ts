import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery, Gathered, Journal, Report } from '@botwright/events'
import type { LimitStore } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'

/** Runs one bot on many instances. `@botwright/cluster` implements it on Redis; another engine can implement it too. */
export interface Cluster {
  /**
   * Makes this process one of the bot's instances.
   * Rejects with `ERR_CLUSTER` if the engine cannot be reached, and with `ERR_CONFIG` if its settings are unsafe or its data has another layout.
   */
  join(host: ClusterHost): Promise<ClusterMember>
  /**
   * Checks whether the engine can be reached and has safe settings, as `join` does first; logs settings that are allowed but risky.
   * Rejects with `ERR_CLUSTER`.
   */
  check(bot: ClusteredBot, log: Log): Promise<void>
  /** The current state of a bot's whole cluster, read from any process. Rejects with `ERR_CLUSTER`. */
  status(bot: ClusteredBot): Promise<ClusterStatus>
  /**
   * Reruns events that were set aside, however old they are: `all` of them, or the given ones. Resolves with the ids of the events
   * that were set aside. Rejects with `ERR_CLUSTER`.
   */
  replay(bot: ClusteredBot, ids: readonly number[] | 'all'): Promise<number[]>
  /** Works on the values that the instances share, which may be running. Rejects with `ERR_CLUSTER`. */
  withStore<T>(bot: ClusteredBot, work: (store: StateStore) => Promise<T>): Promise<T>
  /** Changes the number of partitions while no instance runs. Rejects with `ERR_CONFIG` if one does, and with `ERR_CLUSTER`. */
  repartition(bot: ClusteredBot, partitions: number): Promise<void>
}

/** Identifies the cluster of a bot. */
export interface ClusteredBot {
  baseUrl: string
  botId: string
}

/** The options of an instance. */
export interface ClusterHost extends ClusteredBot {
  /** The version of the code, shown in the status during a rolling upgrade. */
  version: string
  clock: Clock
  log: Log
  report: Report
  /** The message budget of the bot (§8); undefined for the interface's own. */
  messageBudget?: { requests: number; seconds: number }
  /** How long one request may take. */
  timeoutMs: number
  /** An event is set aside after this many instances have died while running it. */
  handlerAttempts: number
}

/** One process of a bot, among others. */
export interface ClusterMember {
  /** Its id: host, pid and a random suffix. Changes after each lost lease, because an instance that is gone never comes back. */
  readonly id: string
  /** How far the clock that all instances share is ahead of this host's, in milliseconds. */
  readonly clockAheadMs: number
  /** Shared by all instances. A write of an instance without a lease is refused with `ERR_FENCED`. */
  readonly store: StateStore
  /** One message budget for all instances. */
  readonly limits: LimitStore
  /**
   * Called before each request of a handler. Returns nothing if this instance has its lease, and a promise while that is being checked.
   * Throws or rejects with `ERR_FENCED` if other instances may have taken over its events.
   */
  fence(): void | Promise<void>
  /** Takes events and stands for election. */
  start(duties: Duties): void
  /** Accepts the webhook copy of an event, on whichever instance it arrives. Resolves once it is stored. */
  offer(event: BotEvent): Promise<void>
  /** Stores an event whose handler has crashed its thread too often, for `Cluster.replay`. Rejects if this instance leaves before it is stored. */
  setAside(event: BotEvent, reason: string): Promise<void>
  /** A handler of this instance starts or stops waiting for the next event of this key (`answerKey`). */
  waits(key: string, on: boolean): void
  /**
   * Asks another instance to run an event, such as one that continues a durable run. False: it does not run it, because it is gone or about to stop.
   * `lost`: it has died, and may have run it.
   */
  ask(instance: string, delivery: Delivery): Promise<boolean | 'lost'>
  /** A handler's answer to a click is about to leave, was accepted, or failed. An answered click is not acknowledged. */
  answering(interactionId: string, state: 'begun' | 'answered' | 'failed'): Promise<void>
  /**
   * Whether the time to acknowledge a waiting click passed while no instance ran, so that its user saw it fail. Called before
   * anything answers the click.
   */
  unheard(click: Click): Promise<boolean>
  /** Runs an action, such as registering commands, on one instance at a time. */
  alone<T>(what: string, work: () => Promise<T>): Promise<T>
  /** Publishes a short mark of the code that this instance runs, now and after each new lease. Resolves when the others can see it. */
  runs(code: string): Promise<void>
  /** The ids of the instances with a lease, including this one. */
  living(): Promise<ReadonlySet<string>>
  /** Notifies the leader of something new, such as a timer that a handler has set. */
  wake(topic: string): void
  /** For the health of this process and `framework cluster status`. */
  status(): MemberStatus
  /** The same as `Cluster.status` of this bot. */
  cluster(): Promise<ClusterStatus>
  /** Takes no further events, and waits up to `graceMs` for running handlers. After `close`, others run the unfinished events again. */
  stop(options: { graceMs: number }): Promise<{ unfinished: number }>
  /** Leaves the cluster: ends its lease and its connections. */
  close(): Promise<void>
}

/** The callbacks of an instance, which run the bot. */
export interface Duties {
  /**
   * Runs one event here; settles when its handler has finished, and rejects with `Unfinished` after `lost`. If its replay was requested
   * (`Cluster.replay`), its age does not matter.
   */
  run(delivery: Delivery): void | Promise<void | Gathered>
  /** An event is set aside after its attempts: it does not run. */
  setAside(delivery: Delivery, reason: string): void
  /** This instance leads: it reads the feed and runs the tasks until the term's signal aborts. Resolves when it has begun. */
  lead(term: Term): Promise<void>
  /**
   * Acknowledges a click that was not answered in time. `mayLeave` is called right before the request is sent; false means that another
   * instance may have acknowledged it. Rejects if the click was not acknowledged and another attempt may succeed.
   */
  ack(click: Click, mayLeave: () => boolean): Promise<void>
  /** The lease has expired, for the reason `why`: other instances run its events, so handlers here must not continue. Resolves when none runs. */
  lost(why: string): Promise<void>
  /** This instance has joined again, under a new id. */
  joined(): void
  /** Instances that have died or were cut off; their waiting handlers are lost. Called only on the leader. */
  gone(instanceIds: readonly string[]): Promise<void>
  /** An instance has called `wake`. */
  woken(topic: string): void
}

/** The time in which an instance leads. */
export interface Term {
  /** Increases with each leader: the fencing token of everything that it writes. */
  readonly number: number
  /** Aborts when the term is over. */
  readonly signal: AbortSignal
  /** The position of the feed. It is written behind, and never passes an event that is not published. */
  readonly journal: Journal
  /** Awaited before each poll: rejects when the term is over, and waits while too many events wait for instances. */
  check(): void | Promise<void>
  /**
   * Hands an event over to the instances. Settles when it is stored, once for each id, however often it is published. A `click` that is not
   * answered by `atMs` (milliseconds since 1970) is acknowledged, even if the instance that runs it dies.
   */
  publish(delivery: Delivery, click?: { click: Click; atMs: number }): Promise<void>
  /** Receives the webhook copies of all instances, including those stored earlier. */
  offers(hear: (event: BotEvent) => Promise<void>): void
  /** Ends the term early, for example at shutdown: another instance becomes the leader at once. */
  resign(): Promise<void>
}

/** The data required to acknowledge a click (§3). */
export interface Click {
  interactionId: string
  token: string
  expiresAtMs: number
}

/** The state of an instance and its cluster. */
export interface MemberStatus {
  id: string
  leads: boolean
  /** Whether it has a valid lease. */
  member: boolean
  /** The engine's name, for people. */
  engine: string
  /** Why the engine refuses the lease of this instance; undefined if it does not. */
  refused?: string
  /** Since when (monotonic) the engine has not responded. */
  awaySinceMs?: number
  running: number
}

/** The current state of the whole cluster, read from any process. */
export interface ClusterStatus {
  /** When it was read, in milliseconds since 1970: by the clock that all instances share, which may differ from that of this host. */
  nowMs?: number
  instances: {
    id: string
    leads: boolean
    joinedAtMs: number
    seenAtMs: number
    running: number
    /** Events waiting in its partitions, and how many partitions it owns. */
    waiting: number
    partitions: number
    version: string
    /** See `ClusterMember.runs`. */
    code?: string
  }[]
  leader?: string
  term: number
  /** Of the feed: the position, and when it was saved. */
  cursor?: { after: number; savedAtMs: number }
  /** Waiting events, for each partition that has any. */
  partitions: { name: string; owner?: string; waiting: number; running: number; oldestAtMs?: number }[]
  setAside: { event: BotEvent; reason: string; atMs: number }[]
}
