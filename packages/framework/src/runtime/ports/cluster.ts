import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery, Journal, Report } from '@botwright/events'
import type { LimitStore } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'

/** Runs one bot on many instances. `@botwright/cluster` makes one on Redis; another engine implements the same. */
export interface Cluster {
  /**
   * Makes this process one of the bot's instances.
   * Rejects with `ERR_CLUSTER` when the engine cannot be reached, with `ERR_CONFIG` when it is not set up as it must be or holds a bot of another layout.
   */
  join(host: ClusterHost): Promise<ClusterMember>
  /**
   * Looks whether the engine can be reached and is set up as it must be, as `join` does first; logs what is allowed and still worth
   * knowing. Rejects with `ERR_CLUSTER`.
   */
  check(bot: ClusteredBot, log: Log): Promise<void>
  /** One look at a bot's whole cluster, from any process. Rejects with `ERR_CLUSTER`. */
  status(bot: ClusteredBot): Promise<ClusterStatus>
  /**
   * Has events that were set aside run again, however old they are: `all` of them, or these. Resolves with the ids of those that
   * were. Rejects with `ERR_CLUSTER`.
   */
  replay(bot: ClusteredBot, ids: readonly number[] | 'all'): Promise<number[]>
  /** Works on the values that the instances share, which may be running. Rejects with `ERR_CLUSTER`. */
  withStore<T>(bot: ClusteredBot, work: (store: StateStore) => Promise<T>): Promise<T>
  /** Changes the number of partitions while no instance runs. Rejects with `ERR_CONFIG` if one does, and with `ERR_CLUSTER`. */
  repartition(bot: ClusteredBot, partitions: number): Promise<void>
}

/** Whose cluster is meant. */
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
  /** How long one request may be under way. */
  timeoutMs: number
  /** An event during which instances died so often is set aside. */
  handlerAttempts: number
}

/** One process of a bot, among others. */
export interface ClusterMember {
  /** Its name among the instances: host, pid and a random end. Another one after each lease that was lost, as an instance that is gone stays gone. */
  readonly id: string
  /** Shared by all instances. A write of an instance whose lease is over is refused with `ERR_FENCED`. */
  readonly store: StateStore
  /** One message budget for all instances. */
  readonly limits: LimitStore
  /**
   * Asked before anything leaves in a handler's name. Void: this instance's lease holds. A promise: it is being found out.
   * Throws or rejects with `ERR_FENCED` when others may have taken its events over.
   */
  fence(): void | Promise<void>
  /** Takes events and stands for election. */
  start(duties: Duties): void
  /** Takes a webhook's copy, on whichever instance it arrived. Resolves once it is kept. */
  offer(event: BotEvent): Promise<void>
  /** Keeps an event whose handler has brought down its thread too often, for `Cluster.replay`. */
  setAside(event: BotEvent, reason: string): Promise<void>
  /** A handler of this instance waits for the next event of this key (`answerKey`), or no longer. */
  waits(key: string, on: boolean): void
  /**
   * Has another instance run an event, such as one that continues a durable run. False: it does not run it, because it is gone or is about to stop.
   * `lost`: it has died, and may have run it.
   */
  ask(instance: string, delivery: Delivery): Promise<boolean | 'lost'>
  /** A handler's answer to a click is about to leave, was accepted, or failed. An answered click is not acknowledged. */
  answering(interactionId: string, state: 'begun' | 'answered' | 'failed'): Promise<void>
  /**
   * Whether a click that has waited had its time for an acknowledgement while no instance ran: its clicker saw it fail. Asked before
   * anything answers it.
   */
  unheard(click: Click): Promise<boolean>
  /** Has one instance after the other do something, such as registering commands. */
  alone<T>(what: string, work: () => Promise<T>): Promise<T>
  /** Publishes a short mark of the code that this instance runs, now and after each new lease. Resolves when the others can see it. */
  runs(code: string): Promise<void>
  /** The ids of the instances whose lease holds, this one's among them. */
  living(): Promise<ReadonlySet<string>>
  /** Notifies the leader of something new, such as a timer that a handler has set. */
  wake(topic: string): void
  /** For the health of this process and `framework cluster status`. */
  status(): MemberStatus
  /** The same as `Cluster.status` of this bot. */
  cluster(): Promise<ClusterStatus>
  /** Takes no further events, and waits up to `graceMs` for running handlers. After `close`, others run the unfinished events again. */
  stop(options: { graceMs: number }): Promise<{ unfinished: number }>
  /** Leaves: its lease ends, and its connections. */
  close(): Promise<void>
}

/** The callbacks of an instance, which run the bot. */
export interface Duties {
  /**
   * Runs one event here; settles when its handler has finished, and never after `lost`. `asked`: its replay was requested
   * (`Cluster.replay`), so its age does not matter.
   */
  run(delivery: Delivery, asked?: boolean): void | Promise<void>
  /** This instance leads: it reads the feed and runs the tasks until the term's signal aborts. Resolves when it has begun. */
  lead(term: Term): Promise<void>
  /**
   * No one has answered this click in time: acknowledges it. `mayLeave` is asked right before the request leaves; false means that another
   * instance may have acknowledged it. Rejects if the click was not acknowledged and another attempt may succeed.
   */
  ack(click: Click, mayLeave: () => boolean): Promise<void>
  /** The lease was over, `why`: whatever runs here is run by others, and must not go on. Resolves when nothing runs. */
  lost(why: string): Promise<void>
  /** This instance has joined again, under a new id. */
  joined(): void
  /** Instances that have died or were cut off; what waited in them is lost. Called on the leader alone. */
  gone(instanceIds: readonly string[]): Promise<void>
  /** Something is new for the leader. */
  woken(topic: string): void
}

/** The time in which an instance leads. */
export interface Term {
  /** Rises with each leader: the fencing number of all that it writes. */
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
  /** Ends the term early, as in a stop: another instance leads at once. */
  resign(): Promise<void>
}

/** The data required to acknowledge a click (§3). */
export interface Click {
  interactionId: string
  token: string
  expiresAtMs: number
}

/** How an instance and its cluster stand. */
export interface MemberStatus {
  id: string
  leads: boolean
  /** Whether its lease holds. */
  member: boolean
  /** The engine's name, for people. */
  engine: string
  /** Why the engine refuses the lease of this instance, where it does. */
  refused?: string
  /** Since when (monotonic) the engine does not answer. */
  awaySinceMs?: number
  running: number
}

/** One look at the whole cluster, from any process. */
export interface ClusterStatus {
  instances: {
    id: string
    leads: boolean
    joinedAtMs: number
    seenAtMs: number
    running: number
    /** Events that wait in the partitions that it owns, and how many partitions it owns. */
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
  /** Events that wait, for each partition that has any. */
  partitions: { name: string; owner?: string; waiting: number; running: number; oldestAtMs?: number }[]
  setAside: { event: BotEvent; reason: string; atMs: number }[]
}
