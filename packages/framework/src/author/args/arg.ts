import type { BotwrightError } from '@botwright/protocol/facts'
import { trimUnseen } from '@botwright/protocol/typed-text'
import type { Clock } from '@botwright/clock'
import type { Client } from '@botwright/rest'
import type { NumberRange } from '../files/entries.ts'
import type { Env } from '../register.ts'
import { isThenable } from '../outgoing.ts'
import type { StateAreas } from '../state/areas.ts'
import { PersonError, wordsOf } from '../texts/person-error.ts'
import { phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'

/** The context of an input, which a kind may need to read it. The context of a command is one. */
export interface ArgPlace {
  /** Null in direct messages (§6). */
  readonly server_id: string | null
  readonly channel_id: string | null
  readonly user: { readonly id: string; readonly name: string }
  readonly api: Client
  readonly clock: Clock
  /** The bot's state: `titles.of(ctx).get()`. */
  readonly state: StateAreas
  /** The variables that `bot.config.ts` declares. */
  readonly env: Env
}

/** The lookups while one input is read: a list of names makes each request once. */
const lookups = new WeakMap<ArgPlace, Map<string, unknown>>()

export function lookUpOnce<T>(place: ArgPlace, key: string, ask: () => T): T {
  const answers = lookups.get(place) ?? new Map<string, unknown>()
  lookups.set(place, answers)
  if (!answers.has(key)) answers.set(key, ask())
  return answers.get(key) as T
}

/** Called before further input is read at the same place: names may have changed since. */
export const lookUpAgain = (place: ArgPlace): void => void lookups.delete(place)

/** The result of a check: whether a value fits, or the reason, as the end of "title …": `'is not in the library'`. */
export type Fits = boolean | string

/** One argument of a command: how to read it, and its default. */
export interface Arg<T> {
  /** One word (or quoted text), all remaining words, the remaining text unchanged, or a `--flag`. */
  readonly takes: 'word' | 'words' | 'text' | 'flag'
  /** The maximum number of unquoted words in a value, as in `tomorrow 18:00`. */
  readonly mostWords: number
  /** The expected input, as the end of "must be …": `a whole number from 1 to 60`. */
  readonly expects: Words
  /** The accepted words, if there are no others: the usage shows them. */
  readonly choices?: readonly string[]
  /** The accepted numbers, of a number. */
  readonly number?: NumberRange
  /** A sample input; undefined if nothing is known about the values. */
  readonly example: string | undefined
  /** The meaning of the argument, for `/help`. */
  readonly about?: string
  /** Set if it can only be passed as `--name value`, not by position. */
  readonly named?: true
  /** Set if the argument may be omitted: its value then, or the text that is read instead. */
  readonly absent?: { readonly value: T } | { readonly typed: string }
  /** Reads the input, synchronously or after a lookup; throws `ERR_ARGS` with "must be …" if it does not fit. */
  read(typed: readonly string[], place: ArgPlace): T | PromiseLike<T>
  /** A value as a user would type it, one text per word. */
  write(value: T): readonly string[]
  /** The argument with a default value. */
  default(value: T): Arg<T>
  /** The argument, `undefined` if it is omitted. */
  optional(): Arg<T | undefined>
  /** The argument with a description for `/help`. */
  describe(about: string): Arg<T>
  /** The argument passed as `--name value` only, not by position. */
  flag(): Arg<T>
  /**
   * The argument with a condition. Call it last; it may use the state or the service:
   * `text().check(async (title, ctx) => (await titles.of(ctx).get()).includes(title) || 'is not in the library')`.
   */
  check(test: (value: T, ctx: ArgPlace) => Fits | PromiseLike<Fits>): Arg<T>
}

/** The arguments of a command, in the order in which users type them. */
export type ArgsShape = Readonly<Record<string, Arg<unknown>>>

/** The type of a command's `ctx.args`. */
export type ArgsOf<S extends ArgsShape> = { readonly [Name in keyof S]: Awaited<ReturnType<S[Name]['read']>> }

/** The definition of your own kind of argument. */
export interface ArgOptions<T> {
  /** One word or quoted text (default), or all remaining text. */
  takes?: 'word' | 'text'
  /** The expected input, as the end of "must be …": `a color such as #ff0000`. */
  expects: Words
  /** The accepted words, if there are no others: the usage shows them. */
  choices?: readonly string[]
  /** The accepted numbers, if it reads a number: the local service checks them while a person types. */
  number?: NumberRange
  /** A sample input, for the usage: `#ff0000`. */
  example?: string
  /**
   * Reads the input, synchronously or after a lookup; throws `misfit()`, or `misfit('must be …')`, if it does not fit. A word comes
   * without zero-width and direction characters around it, which people neither see nor type.
   */
  read(typed: string, place: ArgPlace): T | PromiseLike<T>
  /** A value as a user would type it, for a default in the usage. Default: `String(value)`. */
  write?(value: T): string
}

/** Creates your own kind of argument. */
export const arg = <T>(options: ArgOptions<T>): Arg<T> =>
  makeArg<T>({
    takes: options.takes ?? 'word',
    expects: options.expects,
    ...(options.choices && { choices: options.choices }),
    ...(options.number && { number: options.number }),
    example: options.example,
    read: ([typed = ''], place) => options.read(options.takes === 'text' ? typed : trimUnseen(typed), place),
    write: (value) => [options.write ? options.write(value) : String(value)],
  })

type Facts<T> = Pick<Arg<T>, 'takes' | 'expects' | 'choices' | 'number' | 'example' | 'read' | 'write' | 'absent'> & {
  mostWords?: number
}

/** An argument of any kind. Additional fields (the packing of a button's parameter) are preserved. */
export const makeArg = <T>(facts: Facts<T>): Arg<T> => ({
  mostWords: 1,
  ...facts,
  default(value) {
    return { ...this, absent: { value } }
  },
  optional() {
    return { ...this, absent: { value: undefined } }
  },
  describe(about) {
    return { ...this, about }
  },
  flag() {
    return { ...this, named: true }
  },
  check(test) {
    const checked = (value: T, place: ArgPlace): T | PromiseLike<T> => {
      const fits = test(value, place)
      if (isThenable(fits)) return fits.then((one) => fitting(value, one))
      // The value of several words was understood: a refusal must not make the reader try fewer words.
      return this.mostWords > 1 ? Promise.resolve(fits).then((one) => fitting(value, one)) : fitting(value, fits)
    }
    return {
      ...this,
      read: (typed, place) => {
        const value = this.read(typed, place)
        return isThenable(value) ? value.then((one) => checked(one, place)) : checked(value, place)
      },
    }
  },
})

function fitting<T>(value: T, fits: Fits): T {
  if (fits === true) return value
  throw misfit(typeof fits === 'string' ? fits : '')
}

/** The error of an argument whose input does not fit: "must be …"; without a text, the expected input. */
export const misfit = (fact: Words = ''): BotwrightError => new PersonError('ERR_ARGS', fact)

/** "must be …": the text for a value that does not fit. */
export const mustBe = (expected: Words): Words => phrase('args.must_be', { expected })

/** The text of an `ERR_ARGS`, as the end of "title …". */
export const factOf = (error: Error, { expects }: Pick<Arg<unknown>, 'expects'>): Words =>
  error.message === '' ? mustBe(expects) : wordsOf(error)
