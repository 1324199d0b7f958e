import type { Message } from '@botwright/protocol/shapes'
import type { Arg } from './args/arg.ts'
import type { Duration } from './time/duration.ts'
import type { Outgoing } from './outgoing.ts'
import type { Streamed, StreamOptions } from './sending/stream.ts'

/** The options of a question. */
export interface AskOptions<T = string> {
  /** The kind of the answer: `integer({ min: 1 })`, `date()`, any kind of argument. Default: the text unchanged. */
  as?: Arg<T>
  /** How long to wait. Default `'2m'`. */
  timeout?: Duration
  /** How many answers a person can give before the handler gives up. Default 3. */
  tries?: number
  /** The word that cancels the question. Default `'cancel'`, in the language of the person: `'abbrechen'`. */
  cancel?: string
  /** `'dm'`: asks in direct messages. Default: where the event happened. */
  in?: 'channel' | 'dm'
}

// A question of the framework's own.
export interface OwnAskOptions<T> extends AskOptions<T> {
  // A newer question does not replace it: a reply to it by the same person still answers it.
  byReply?: true
}

/** Whose click counts, and how long to wait. */
export interface ClickOptions {
  /** Default `'2m'`. */
  timeout?: Duration
  /** `'author'` (default): the user of the event; `'anyone'`; or a user's id. */
  by?: 'author' | 'anyone' | (string & {})
}

// A wait for a click of the framework's own.
export interface OwnClickOptions extends ClickOptions {
  // Where, for the list of runs: ` in #managers`.
  place?: string
  // How much of `timeout` is left, in milliseconds. Default: all of it.
  leftMs?: number
  // Whether a click counts, by its context; instead of `by`. Never rejects.
  admits?: (click: object) => Promise<boolean>
}

// The member of `ctx` that waits for a click.
export type ClickWait = 'choice' | 'click' | 'stream' | 'approval'

// The context that asks, and its services: a plugin's handler has services of its own.
export interface Asker {
  ctx: object
  services: object
}

/** Lets contexts wait for answers. It does not depend on the classes of the contexts, which use it. */
export interface Questions {
  ask<T>(asker: Asker, question: Outgoing, options?: OwnAskOptions<T>): Promise<T | string>
  choose(asker: Asker, question: Outgoing, choices: readonly string[], options?: ClickOptions): Promise<string>
  /** Returns the context of the click. */
  clicked(asker: Asker, message: Pick<Message, 'id'>, options?: OwnClickOptions, kind?: ClickWait): Promise<unknown>
  /** Shows a text while it is written. */
  stream(asker: Asker, source: AsyncIterable<string>, options?: StreamOptions): Promise<Streamed>
}
