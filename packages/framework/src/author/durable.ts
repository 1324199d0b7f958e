// The members that `durable: true` adds to `ctx`.

import type { Person } from './context.ts'
import type { Duration } from './time/duration.ts'
import type { Guard } from './guards/guard.ts'
import type { Outgoing } from './outgoing.ts'
import type { PlainData } from './state/plain-data.ts'

/** A request for an approval. */
export interface ApprovalOptions {
  /** The channel that shows the request: its id, or its name in the server (`'#managers'`). */
  in: string
  /** The request: a text, or a message without buttons. */
  title: Outgoing
  /** A guard for the person who decides: `hasRole('Manager')`. With several guards, all must let the person through. */
  by: Guard | readonly Guard[]
  /** How long to wait. Default `'3d'`. */
  timeout?: Duration
}

/** A decision about a request. */
export interface Approval {
  approved: boolean
  /** The person who decided. */
  by: Person
  /** The answer to "Why?" of the person who declined, or "no reason given". Empty if approved. */
  reason: string
}

/** The additional members of the context of a durable handler, which continues after a restart. */
export interface DurableMembers<Input = Record<never, never>> {
  /**
   * Runs work of your own once, and records what it returns (plain data): `await ctx.step('book', () => hr.book(id))`.
   * After a restart it returns the recorded result. If the process died during the work, the work runs again.
   * Throws `ERR_INVALID_REQUEST` for a result that JSON cannot store, such as a `Date`.
   */
  step<T>(name: string, work: () => PlainData<T> | Promise<PlainData<T>>): Promise<T>
  /** Waits, for days if needed, also across restarts: `await ctx.sleep('1d')`. */
  sleep(duration: Duration): Promise<void>
  /**
   * Shows a request with the buttons "Approve" and "Decline" in a channel, and waits for the click of a person who may decide.
   * Asks the person who declines for a reason.
   * Without a decision in time it throws `ERR_NO_REPLY`.
   */
  approve(options: ApprovalOptions): Promise<Approval>
  /** The time in milliseconds since 1970, the same when the handler runs again. Use it instead of `Date.now()`. */
  now(): number
  /** A random number from 0 to 1, the same when the handler runs again. Use it instead of `Math.random()`. */
  random(): number
  /** A random UUID, the same when the handler runs again. Use it instead of `crypto.randomUUID()`. */
  uuid(): string
  /**
   * Starts over with these args or params (plain data and dates) and an empty record, so that an endless loop stays within the bounds of
   * a run: `return ctx.continueAs({ round: ctx.args.round + 1 })`. Nothing after it runs. Guards do not check again.
   */
  continueAs(...input: keyof Input extends never ? [] : [input: Input]): Promise<never>
  /** The `version` of the handler that began the run. With `onUpgrade: 'finish-old'` it selects the former code. */
  readonly version: number
}

/** The additional members of `ctx` with `durable: true`; nothing otherwise. `Input`: the args or params. */
export type MembersIf<D extends true | undefined, Input = Record<never, never>> = D extends true
  ? DurableMembers<Input>
  : unknown

/** The values of `onUpgrade`. */
export const onUpgrades = ['cancel', 'restart', 'finish-old'] as const

/** The description of `durable`, shared by commands, buttons and events. */
export interface DurableOption<D extends true | undefined> {
  /**
   * The handler continues after a restart, a crash or a deployment: it runs again from its beginning, and everything that it did on `ctx`
   * returns its recorded result. Its other effects belong into `ctx.step`.
   */
  durable?: D
  /** Of a durable handler: how long one run may take in all, waits included. Then it is cancelled (`ERR_RUN_CANCELLED`). Default: no limit. */
  timeout?: Duration
  /** Of a durable handler: raise it by 1 when a change of the code changes its steps. Default 1. */
  version?: number
  /**
   * Of a durable handler: what happens to a run that another `version` began, if its recorded steps do not match the code.
   * `'cancel'` (default) ends it and notifies its user. `'restart'` runs its event again from the beginning. `'finish-old'` promises that the
   * file still has the former code, and selects it by `ctx.version`: a run that does not match has failed.
   */
  onUpgrade?: (typeof onUpgrades)[number]
}
