import type { Delivery, EventKey, Gathered } from '@botwright/events'
import type { Definition } from '../../author/files/entries.ts'
import type { Wake } from '../../link/run-event.ts'
import type { RenewedRuns, RunCounts } from './bot-facts.ts'

/** Runs events, or gathers them. */
export interface EventDispatcher {
  dispatch(delivery: Delivery): Promise<void | Gathered>
}

/** Runs events that no handler in the store waits for. */
export interface OtherEvents extends EventDispatcher {
  /** Whether a handler in a thread waits for an event with this key. */
  isAwaited(key: string): boolean
}

/** The other instances of a cluster. */
export interface OtherInstances {
  /** The name of this instance. */
  readonly id: string
  /** Has an instance run an event. False: it does not. `lost`: it has died while it ran it. */
  ask(instance: string, delivery: Delivery): Promise<boolean | 'lost'>
  /** Whether the lease of an instance holds. */
  isActive(instance: string): Promise<boolean>
}

/** Continues handlers that outlive their threads, in front of the bot's dispatcher. */
export interface DurableDispatch extends EventDispatcher {
  readonly counts: RunCounts
  /** How many runs wait, on all instances; NaN if the store does not respond in time. */
  countWaiting(): Promise<number>
  /** Called with the definitions of new code. */
  update(definitions: readonly Definition[]): Promise<void>
  /** A time of a run in memory has come. */
  due(run: string, file: string): void
  /** See `DispatcherOptions.again`. */
  again(delivery: Delivery): Promise<Delivery | undefined>
  /** A time or a request has woken a run whose code crashes its thread each time: it has failed. */
  fail(wake: Wake, reason: string): Promise<void>
  /** The service no longer has an event, or it is set aside (`mayComeAgain`): its runs that do not wait yet are lost. */
  lost(event: EventKey, mayComeAgain: boolean): Promise<void>
  /** Continues the waiting runs of these files with the present code. */
  renew(files: ReadonlySet<string>): Promise<RenewedRuns>
  /** Begins to wake runs whose time has come, or stops it. In a cluster, the leader does. */
  lead(leads: boolean): void
  /** Called with each value that a handler has written. Returns whether the leader must look at it. */
  onStoreWrite(key: string, value: unknown): boolean
  /** A row was written by another instance. */
  look(): void
  stop(): void
}
