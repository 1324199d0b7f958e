import type { Message } from '@botwright/protocol/shapes'
import type { Arg } from './args/arg.ts'
import type { Duration } from './duration.ts'
import type { Outgoing } from './outgoing.ts'

/** How a question is asked. */
export interface AskOptions<T = string> {
  /** What the answer must be: `integer({ min: 1 })`, `date()`, any kind of argument. Default: the text as it stands. */
  as?: Arg<T>
  /** How long it waits. Default `'2m'`. */
  timeout?: Duration
  /** How often a person may answer before the handler gives up. Default 3. */
  tries?: number
  /** What a person types to get out of it. Default `'cancel'`, in the language of the person: `'abbrechen'`. */
  cancel?: string
  /** `'dm'`: asks directly. Default: where the event happened. */
  in?: 'channel' | 'dm'
}

/** Whose click counts, and how long it may take. */
export interface ClickOptions {
  /** Default `'2m'`. */
  timeout?: Duration
  /** `'author'` (default): who the event is about; `'anyone'`; or a user's id. */
  by?: 'author' | 'anyone' | (string & {})
}

/** The context that asks, and its surroundings: a plugin's handler has surroundings of its own. */
export interface Asker {
  ctx: object
  around: object
}

/** How contexts wait for answers. The contexts are built on it, so it knows none of them. */
export interface Talk {
  ask<T>(asker: Asker, question: Outgoing, options?: AskOptions<T>): Promise<T | string>
  choose(asker: Asker, question: Outgoing, choices: readonly string[], options?: ClickOptions): Promise<string>
  /** Gives the context of the click. */
  clicked(asker: Asker, message: Pick<Message, 'id'>, options?: ClickOptions): Promise<unknown>
}
