import type { BotEvent, Click } from '@botwright/framework/cluster'

/** An event that a machine is to run. */
export interface Work {
  event: BotEvent
  /** How often a machine has begun it, this time included. */
  attempt: number
  /** How often it was begun and given up without its fault: a machine that was stopped or cut off. */
  pardons: number
  /** Somebody wants it to be run, however old it is. */
  asked: boolean
}

/** What a machine does with what is queued. */
export interface Hands {
  /** Runs one event. The queue takes it for done when this resolves; it must not reject. */
  run(work: Work): Promise<void>
  /** A click's time has come, at `dueMs`. `last`: nobody looks at it again. */
  ack(click: Click, last: boolean, dueMs: number): Promise<void>
  /** Whether other machines are there, too. */
  others(): boolean
  /** Others may have taken over what runs here. */
  cutOff(): void
  /** A value of the queues was ignored: it is malformed. */
  malformed(kind: string, fault: string): void
  /** Something is wrong with the engine; nothing ends because of it. */
  error(error: Error): void
}

/** One life of a machine in the queues. */
export interface Crew {
  /** Events that run here. */
  readonly running: number
  /** Takes nothing more. */
  pause(): Promise<void>
  /** Resolves when nothing runs here, at the latest after `ms`. */
  idle(ms: number): Promise<void>
  /**
   * Ends this life. What ran goes back to its place, for any machine to begin at once; it must not run any more.
   * `drained` false: the machine was cut off, and waits for nobody.
   */
  end(options: { drained: boolean }): Promise<void>
}

/** Events for the queues, in their order, in the name of one term. */
export interface Batch {
  term: number
  /** Counts how often the service's ids began anew. */
  era: number
  /** The start of the engine on which the term began (`server`): another one may have forgotten what was written last. */
  server: string
  events: readonly BotEvent[]
}

/** A lane's row of events, and how it stands. */
export interface QueueCount {
  name: string
  waiting: number
  running: number
  oldestAtMs?: number
}

/** The engine behind the machines: rows of events, each of which runs one at a time over all machines. BullMQ is one. */
export interface Broker {
  /** Makes what all machines must find in it. */
  prepare(): Promise<void>
  /**
   * Keeps the events, all in one step, each id once. False: a newer term has begun, or the engine was started anew; nothing was kept.
   * Rejects when nobody answers: then it may or may not have been kept, and can be published again.
   */
  publish(batch: Batch): Promise<boolean>
  /** Runs what is queued. `member`: this life's name. */
  crew(member: string, hands: Hands): Crew
  /** Has a click acknowledged at these times, by whichever machine lives then. */
  schedule(click: Click, atMs: readonly number[]): Promise<void>
  /** Whether the acknowledgement of a click waits for a machine. */
  waitsForAck(click: Click): Promise<boolean>
  /** An event that was set aside is run again. */
  again(event: BotEvent, mark: string): Promise<void>
  /** Puts back what these lives hold, for any machine to begin at once. Their leases are over, and never come back. Resolves with how many events. */
  takeBack(members: ReadonlySet<string>): Promise<number>
  /** How many events wait, in all rows. */
  waiting(): Promise<number>
  counts(): Promise<QueueCount[]>
  close(): Promise<void>
}
