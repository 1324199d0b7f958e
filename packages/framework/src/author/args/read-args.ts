import { type BotwrightError, limits } from '@botwright/protocol/facts'
import { trimUnseen } from '@botwright/protocol/typed-text'
import { hasCode } from '../error-code.ts'
import { isThenable } from '../outgoing.ts'
import { PersonError, wordsOf } from '../texts/person-error.ts'
import { phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'
import { type Arg, type ArgPlace, type ArgsShape, factOf, misfit } from './arg.ts'
import { flagKey, flagKeys, type SortedWords, sortWords } from './flags.ts'
import { exampleOf, usageOf } from './usage.ts'
import { openQuoteOf, splitWords, type Word } from '../texts/typed-words.ts'

type Values = Record<string, unknown>
type OpenQuote = ReturnType<typeof openQuoteOf>

/** The maximum length of a message (§2), in UTF-16 units, of which a character has at most two. It bounds the cost of reading. */
const LONGEST = 2 * limits.message_content.characters

/**
 * Reads the text after a command (`command` with its prefix, for the usage): synchronously, or after a lookup.
 * Throws `ERR_ARGS`: the expected input, the usage, an example. The input is never repeated: it may contain mentions.
 */
export type ReadArgs = (typed: string, place: ArgPlace, command: string) => Values | Promise<Values>

/** Creates the reader of a command's args, once. `examples` are the author's own, without the command. */
export function argsReader(shape: ArgsShape, examples: readonly string[] = []): ReadArgs {
  const keys = flagKeys(shape)
  const entries = Object.entries(shape)
  return (typed, place, command) => {
    let name: string | undefined
    let words: PlacedWords | undefined
    const withHelp = (error: unknown) =>
      errorWithHelp(error, {
        shape,
        examples,
        command,
        name,
        open: name === undefined ? undefined : words?.openQuote(name),
      })
    const values: Values = {}
    const waiting: string[] = []
    try {
      if (typed.length > LONGEST) throw misfit(phrase('args.too_long'))
      words = new PlacedWords(entries, sortWords(shape, keys, splitWords(typed)), typed)
      for (const [key, arg] of entries) {
        name = key
        const value = words.read(key, arg, place)
        values[key] = value
        if (isThenable(value)) waiting.push(key)
      }
      name = undefined
      const short = words.end()
      if (short) {
        name = short.name
        throw short.error
      }
      return waiting.length === 0 ? values : lookedUp(values, waiting, (error, key) => ((name = key), withHelp(error)))
    } catch (error) {
      // The lookups next to it are no longer needed.
      for (const key of waiting) Promise.resolve(values[key]).catch(() => undefined)
      throw withHelp(error)
    }
  }
}

/** Waits for all lookups; of several errors, the first in the order of the args is reported. */
async function lookedUp(
  values: Values,
  waiting: readonly string[],
  withHelp: (error: unknown, name: string) => unknown,
): Promise<Values> {
  const results = await Promise.allSettled(waiting.map((name) => values[name]))
  results.forEach((result, i) => {
    const name = waiting[i]!
    if (result.status === 'rejected') throw withHelp(result.reason, name)
    values[name] = result.value
  })
  return values
}

/** The error with its help; of one arg, if it is known which. */
function errorWithHelp(
  error: unknown,
  about: {
    shape: ArgsShape
    examples: readonly string[]
    command: string
    name: string | undefined
    /** The first quotation mark up to the arg that is not closed. */
    open: OpenQuote | undefined
  },
): unknown {
  const { shape, examples, command, name, open } = about
  if (!hasCode(error, 'ERR_ARGS')) return error
  const arg = name === undefined ? undefined : shape[name]
  // A flag is typed with its own name in every language.
  const called = arg?.named ? [`${name} `] : [name ?? '', ' ']
  const words: Words[] = arg ? [...called, factOf(error, arg)] : [wordsOf(error)]
  if (open) words.push('\n', phrase('args.open_quote', { ...open }))
  const usage = Object.keys(shape).length === 0 ? command : [`${command} `, usageOf(shape)]
  words.push('\n', phrase('args.usage', { usage }))
  const example = examples[0] ?? exampleOf(shape, name)
  if (example) words.push('\n', phrase('args.example', { example: [`${command} `, example] }))
  return new PersonError('ERR_ARGS', words, { cause: error })
}

/** Assigns the words to the args, in order. */
class PlacedWords {
  readonly #sorted: SortedWords
  readonly #typed: string
  /** The number of required args after the current one, one word each. */
  #needed: number
  /** Whether the last arg is a text that must not be missing. */
  readonly #endsInText: boolean
  #next = 0
  /** The number of words up to an arg, its own included. */
  readonly #reached = new Map<string, number>()
  /** The last value of several words, and the position of the words it did not take. */
  #short: { name: string; error: BotwrightError; at: number } | undefined

  constructor(entries: readonly (readonly [string, Arg<unknown>])[], sorted: SortedWords, typed: string) {
    this.#sorted = sorted
    this.#typed = typed
    const needed = entries.filter(([name, arg]) => this.#isNeeded(name, arg))
    this.#needed = needed.length
    this.#endsInText = needed.at(-1)?.[1].takes === 'text'
  }

  #isNeeded(name: string, arg: Arg<unknown>): boolean {
    return isPlaced(arg) && !arg.absent && !this.#sorted.named.has(name)
  }

  read(name: string, arg: Arg<unknown>, place: ArgPlace): unknown {
    const { named, words } = this.#sorted
    if (this.#isNeeded(name, arg)) this.#needed--
    const flag = named.get(name)
    if (flag) return arg.read(flag, place)
    if (isPlaced(arg) && this.#next < words.length) return this.#readPlaced(name, arg, place)
    if (!arg.absent) throw misfit(phrase('args.missing', { expected: arg.expects }))
    return 'typed' in arg.absent ? arg.read([arg.absent.typed], place) : arg.absent.value
  }

  /** Throws if words are left over; prefers the error of the arg that they may belong to. */
  end(): { name: string; error: BotwrightError } | undefined {
    const { words } = this.#sorted
    if (this.#next >= words.length) return undefined
    const open = openQuoteIn(words)
    if (open) throw misfit(phrase('args.open_quote', { ...open }))
    if (this.#short?.at === this.#next) return this.#short
    throw misfit(phrase('args.too_many'))
  }

  /** The first quotation mark that is not closed, up to an arg: its text may have been meant for this one. */
  openQuote(name: string): OpenQuote {
    const { named, words } = this.#sorted
    const flag = named.get(name)
    if (flag) return flag.map(openQuoteOf).find((open) => open !== undefined)
    return openQuoteIn(words.slice(0, this.#reached.get(name)))
  }

  #readPlaced(name: string, arg: Arg<unknown>, place: ArgPlace): unknown {
    const { words } = this.#sorted
    const at = this.#next
    this.#reached.set(name, arg.takes === 'word' ? at + arg.mostWords : words.length)
    if (arg.takes === 'word') {
      if (arg.mostWords > 1) return this.#readSeveral(name, arg, place)
      this.#next++
      return arg.read([words[at]!.text], place)
    }
    this.#next = words.length
    return arg.read(arg.takes === 'text' ? [this.#textFrom(at)] : words.slice(at).map(({ text }) => text), place)
  }

  /** Takes as many words as form a value, as in `tomorrow 18:00`; leaves those that later args require. */
  #readSeveral(name: string, arg: Arg<unknown>, place: ArgPlace): unknown {
    const { words } = this.#sorted
    // If all words are the value, a text after it is missing: "tomorrow 18:00" is not tomorrow with the text "18:00".
    const left = this.#endsInText && this.#needed === 1 ? 0 : this.#needed
    const most = Math.min(arg.mostWords, words.length - this.#next - left)
    const next = words.slice(this.#next, this.#next + Math.max(most, 1))
    const quoted = next.findIndex((word) => word.quoted)
    for (let count = quoted < 0 ? next.length : Math.max(quoted, 1); ; count--) {
      const taken = next.slice(0, count)
      try {
        const value = arg.read([taken.map(({ text }) => trimUnseen(text)).join(' ')], place)
        this.#next += count
        return value
      } catch (error) {
        if (count === 1 || !hasCode(error, 'ERR_ARGS')) throw error
        const at = this.#next + count - 1
        this.#short = { name, at, error: misfit(phrase('args.nothing_else', { fact: factOf(error, arg) })) }
      }
    }
  }

  /** The text from a word on, unchanged, without its flags; of a single quoted text, its contents. */
  #textFrom(at: number): string {
    const { words, flags } = this.#sorted
    const first = words[at]!
    if (words.length === at + 1) return first.text
    let text = ''
    let from = first.at
    for (const [start, end] of flags) {
      if (start < from) continue
      text += this.#typed.slice(from, start).trimEnd()
      from = end
    }
    return (text + this.#typed.slice(from)).trim()
  }
}

const openQuoteIn = (words: readonly Word[]): OpenQuote =>
  words.map(({ text, quoted }) => (quoted ? undefined : openQuoteOf(text))).find((open) => open !== undefined)

/** Whether an arg is positional, and not passed by name alone. */
const isPlaced = ({ takes, named }: Arg<unknown>): boolean => takes !== 'flag' && !named

/** The problem with a command's `args`, if any: reported when the bot loads, not when a user types. */
export function argsProblem(shape: ArgsShape): string | undefined {
  if (typeof shape !== 'object') return 'args must be an object: { question: text() }'
  let optional: string | undefined
  let last: string | undefined
  const keys = new Map<string, string>()
  for (const [name, arg] of Object.entries(shape)) {
    if (!/^[a-z][a-z0-9_-]*$/i.test(name)) return `the arg "${name}" must be a word that begins with a letter`
    if (typeof arg?.read !== 'function' || arg.expects === undefined)
      return `the arg "${name}" must be created with text(), integer() or another kind`
    const twin = keys.get(flagKey(name))
    if (twin !== undefined) return `the args "${twin}" and "${name}" are both typed --${twin}; rename one`
    keys.set(flagKey(name), name)
    if (arg.takes === 'flag' || arg.named) continue
    if (last !== undefined)
      return `the arg "${name}" comes after "${last}", which takes the rest of the text; put "${last}" last`
    if (optional !== undefined && !arg.absent) {
      return `the required arg "${name}" comes after "${optional}", which is optional; put it before`
    }
    if (arg.absent) optional = name
    if (arg.takes !== 'word') last = name
  }
  return undefined
}
