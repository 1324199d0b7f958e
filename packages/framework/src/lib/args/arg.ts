import { BotwrightError } from '@botwright/protocol/facts'

/** One argument of a command: how it is read from what was typed, and what stands in its place when it is left out. */
export interface Arg<T> {
  /** One word (or quoted text), all remaining words, the remaining text as it stands, or a `--flag`. */
  readonly takes: 'word' | 'words' | 'text' | 'flag'
  /** Reads what was typed; throws `ERR_ARGS` with "must be …" when it does not fit. */
  read(typed: readonly string[]): T
  /** Set when the argument may be left out. */
  readonly absent?: { readonly value: T }
  /** The argument with a value for when it is left out. */
  default(value: T): Arg<T>
  /** The argument, `undefined` when it is left out. */
  optional(): Arg<T | undefined>
}

/** The arguments of a command, in the order in which they are typed. */
export type ArgsShape = Readonly<Record<string, Arg<unknown>>>

/** What a command's `ctx.args` holds. */
export type ArgsOf<S extends ArgsShape> = { readonly [Name in keyof S]: ReturnType<S[Name]['read']> }

/** Makes an argument of one's own; `read` throws `misfit('must be …')`. */
export function arg<T>(takes: Arg<T>['takes'], read: Arg<T>['read'], absent?: { readonly value: T }): Arg<T> {
  return {
    takes,
    read,
    ...(absent && { absent }),
    default: (value) => arg(takes, read, { value }),
    optional: () => arg<T | undefined>(takes, read, { value: undefined }),
  }
}

/** What an argument throws when the typed text does not fit it: "must be …". */
export const misfit = (fact: string): BotwrightError => new BotwrightError('ERR_ARGS', fact)
