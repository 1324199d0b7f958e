import type { BotwrightError } from '@botwright/protocol/facts'
import type { Clock } from '@botwright/clock'
import type { Client } from '@botwright/rest'
import type { Env } from '../register.ts'
import { isThenable } from '../outgoing.ts'
import type { StateAreas } from '../state/areas.ts'
import { PersonError, wordsOf } from '../texts/person-error.ts'
import { phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'

/** Where something was typed: what a kind may have to know to read it. The context of a command is one. */
export interface ArgPlace {
  /** Null in direct messages (§6). */
  readonly server_id: string | null
  readonly channel_id: string | null
  readonly user: { readonly id: string; readonly name: string }
  readonly api: Client
  readonly clock: Clock
  /** What the bot keeps: `titles.of(ctx).get()`. */
  readonly state: StateAreas
  /** The variables that `bot.config.ts` declares. */
  readonly env: Env
}

/** What a check tells: whether a value fits, or what is wrong with it, as the end of "title …": `'is not in the library'`. */
export type Fits = boolean | string

/** One argument of a command: how it is read from what was typed, and what stands in its place when it is left out. */
export interface Arg<T> {
  /** One word (or quoted text), all remaining words, the remaining text as it stands, or a `--flag`. */
  readonly takes: 'word' | 'words' | 'text' | 'flag'
  /** Of how many unquoted words a value may consist, as in `tomorrow 18:00`. */
  readonly mostWords: number
  /** What is to be typed, as the end of "must be …": `a whole number from 1 to 60`. */
  readonly expects: Words
  /** The words that can be typed, where these are all: the usage text shows them. */
  readonly choices?: readonly string[]
  /** Something that could be typed; none when nothing is known of the values. */
  readonly example: string | undefined
  /** What the argument means, for `/help`. */
  readonly about?: string
  /** Set when it is given as `--name value` only, never by its place. */
  readonly named?: true
  /** Set when the argument may be left out: its value then, or the text that is read in its place. */
  readonly absent?: { readonly value: T } | { readonly typed: string }
  /** Reads what was typed, at once or after a look-up; throws `ERR_ARGS` with "must be …" when it does not fit. */
  read(typed: readonly string[], place: ArgPlace): T | PromiseLike<T>
  /** A value as it is typed, a text for each word. */
  write(value: T): readonly string[]
  /** The argument with a value for when it is left out. */
  default(value: T): Arg<T>
  /** The argument, `undefined` when it is left out. */
  optional(): Arg<T | undefined>
  /** The argument with what it means, told by `/help`. */
  describe(about: string): Arg<T>
  /** The argument given as `--name value` only, never by its place. */
  flag(): Arg<T>
  /**
   * The argument, of which only what fits is taken; stands last, and may ask the state or the service:
   * `text().check(async (title, ctx) => (await titles.of(ctx).get()).includes(title) || 'is not in the library')`.
   */
  check(test: (value: T, ctx: ArgPlace) => Fits | PromiseLike<Fits>): Arg<T>
}

/** The arguments of a command, in the order in which they are typed. */
export type ArgsShape = Readonly<Record<string, Arg<unknown>>>

/** What a command's `ctx.args` holds. */
export type ArgsOf<S extends ArgsShape> = { readonly [Name in keyof S]: Awaited<ReturnType<S[Name]['read']>> }

/** What an argument of one's own is made of. */
export interface ArgOptions<T> {
  /** One word or quoted text (default), or all the text that is left. */
  takes?: 'word' | 'text'
  /** What is to be typed, as the end of "must be …": `a colour such as #ff0000`. */
  expects: Words
  /** The words that can be typed, where these are all: the usage text shows them. */
  choices?: readonly string[]
  /** Something that could be typed, for the usage: `#ff0000`. */
  example?: string
  /** Reads it, at once or after a look-up; throws `misfit()`, or `misfit('must be …')`, when it does not fit. */
  read(typed: string, place: ArgPlace): T | PromiseLike<T>
  /** A value as it would be typed, for the usage text of a default. Default: `String(value)`. */
  write?(value: T): string
}

/** Makes an argument of one's own. */
export const arg = <T>(options: ArgOptions<T>): Arg<T> =>
  makeArg<T>({
    takes: options.takes ?? 'word',
    expects: options.expects,
    ...(options.choices && { choices: options.choices }),
    example: options.example,
    read: ([typed = ''], place) => options.read(typed, place),
    write: (value) => [options.write ? options.write(value) : String(value)],
  })

type Facts<T> = Pick<Arg<T>, 'takes' | 'expects' | 'choices' | 'example' | 'read' | 'write' | 'absent'> & {
  mostWords?: number
}

/** An argument of any kind. What is added to it (the packing of a button's parameter) stays with it. */
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
    const told = (value: T, place: ArgPlace): T | PromiseLike<T> => {
      const fits = test(value, place)
      if (isThenable(fits)) return fits.then((one) => fitting(value, one))
      // What several words mean was understood: a refusal must not make the reader try with fewer of them.
      return this.mostWords > 1 ? Promise.resolve(fits).then((one) => fitting(value, one)) : fitting(value, fits)
    }
    return {
      ...this,
      read: (typed, place) => {
        const value = this.read(typed, place)
        return isThenable(value) ? value.then((one) => told(one, place)) : told(value, place)
      },
    }
  },
})

function fitting<T>(value: T, fits: Fits): T {
  if (fits === true) return value
  throw misfit(typeof fits === 'string' ? fits : '')
}

/** What an argument throws when the typed text does not fit it: "must be …"; without a text, what it expects. */
export const misfit = (fact: Words = ''): BotwrightError => new PersonError('ERR_ARGS', fact)

/** "must be …": what an argument says of a value that does not fit it. */
export const mustBe = (expected: Words): Words => phrase('args.must_be', { expected })

/** The text of an `ERR_ARGS`, as the end of "title …". */
export const factOf = (error: Error, { expects }: Pick<Arg<unknown>, 'expects'>): Words =>
  error.message === '' ? mustBe(expects) : wordsOf(error)
