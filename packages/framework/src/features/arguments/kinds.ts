import { characters, isId } from '@botwright/protocol/facts'
import { foldName, foldTyped, isAmbiguous, plainDigits, plainNumber, trimUnseen } from '@botwright/protocol/typed-text'
import { didYouMean } from '../../author/did-you-mean.ts'
import { hasCode } from '../../author/error-code.ts'
import { type ArgParam, packable, packList } from './composed.ts'
import { packBoolean, packFloat, packInteger, packOneOf, packText, packUuid } from './param-kinds.ts'
import { isThenable } from '../../author/outgoing.ts'
import { type Bounds, ranged } from './bounds.ts'
import { oneOfWords, phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { arg, type Arg, type ArgPlace, factOf, makeArg, misfit, mustBe } from '../../author/args/arg.ts'
import { inReadersLanguage } from './readers-language.ts'

const isWithin = (value: number, { min = -Infinity, max = Infinity }: Bounds): boolean => value >= min && value <= max

function textOf({ min = 0, max }: Bounds): Words {
  if (max !== undefined)
    return min > 0 ? phrase('kind.text_between', { min, max }) : phrase('kind.text_at_most', { count: max })
  return min > 1 ? phrase('kind.text_at_least', { count: min }) : phrase('kind.text')
}

function checkedText(value: string, bounds: Bounds): string {
  if (!isWithin(characters(value), bounds)) throw misfit()
  return value
}

/** A sample word, as long as the bounds require. */
const sampleText = (sample: string, { min = 0, max = Infinity }: Bounds): string =>
  sample.slice(0, max).trim().padEnd(Math.min(min, 200), 'x')

/** A text: one word, or several in quotes. `min` and `max` count characters; a parameter of a button requires `max`. */
export const text = (bounds: Bounds = {}): ArgParam<string> =>
  packable(
    makeArg<string>({
      takes: 'word',
      expects: textOf(bounds),
      example: sampleText('some words', bounds),
      read: ([typed = '']) => checkedText(typed, bounds),
      write: (value) => [value],
    }),
    packText(bounds),
  )

/** A number within the bounds, preferably a small one. */
const sampleNumber = ({ min = -Infinity, max = Infinity }: Bounds, usual: number): number =>
  Math.max(min, Math.min(max, usual))

/** A whole number, in the digits of any script. `min` and `max` shorten the `custom_id` if it is a parameter of a button. */
export const integer = (bounds: Bounds = {}): ArgParam<number> =>
  packable(
    arg({
      expects: ranged(phrase('kind.whole_number'), bounds),
      number: { whole: true, ...bounds },
      example: String(sampleNumber(bounds, 5)),
      read: (typed) => {
        const word = plainNumber(typed)
        const value = /^[+-]?\d+$/.test(word) ? Number(word) : NaN
        if (!Number.isSafeInteger(value) || !isWithin(value, bounds)) throw misfit()
        // `-0` is never meant.
        return value === 0 ? 0 : value
      },
    }),
    packInteger(bounds),
  )

/** A number, with `.` or `,` before the decimals. 11 characters in a `custom_id`. */
export const number = (bounds: Bounds = {}): ArgParam<number> =>
  packable(
    arg({
      expects: ranged(phrase('kind.number'), bounds),
      number: { whole: false, ...bounds },
      example: String(sampleNumber(bounds, 2.5)),
      read: (typed) => {
        const plain = plainNumber(typed)
        const word = plain.replace(',', '.')
        const value = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(word) ? Number(word) : NaN
        if (isAmbiguous(plain) || !Number.isFinite(value) || !isWithin(value, bounds)) throw misfit()
        return value === 0 ? 0 : value
      },
    }),
    packFloat(bounds),
  )

const yes: readonly string[] = ['true', 'yes', 'y', 'on', '1', 'ja', 'j', 'an']
const no: readonly string[] = ['false', 'no', 'n', 'off', '0', 'nein', 'aus']

/** A switch: `--name` sets it, `--no-name` clears it; false if omitted. */
export const boolean = (): ArgParam<boolean> =>
  packable(
    makeArg<boolean>({
      takes: 'flag',
      expects: phrase('kind.yes_or_no'),
      example: 'yes',
      read: ([typed = '']) => {
        const word = foldTyped(plainDigits(trimUnseen(typed)))
        if (!yes.includes(word) && !no.includes(word)) throw misfit()
        return yes.includes(word)
      },
      write: (value) => [value ? 'yes' : 'no'],
      absent: { value: false },
    }),
    packBoolean,
  )

/** Words may differ only in case, or in a form of their letters. */
function wordLike<W extends string>(typed: string, words: readonly W[]): W | undefined {
  const same = (form: (word: string) => string) => {
    const own = form(typed)
    return words.find((word) => form(word) === own)
  }
  return same(String) ?? same(foldName) ?? same(foldTyped)
}

/** One of several words, in any case and Unicode form; returns the word as declared. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...words: T): ArgParam<T[number]> =>
  packable(
    arg<T[number]>({
      expects: oneOfWords(words),
      choices: words,
      example: words[0],
      read: (typed, place) => {
        const found = wordLike(typed, words)
        if (found !== undefined) return found
        const near = didYouMean(typed, words)
        const wrong = misfit(near && phrase('did_you_mean', { fact: mustBe(oneOfWords(words)), near }))
        const translated = inReadersLanguage(words, place)
        if (!translated) throw wrong
        return translated.then((shown) => {
          const word = wordLike(typed, shown)
          if (word === undefined) throw wrong
          return words[shown.indexOf(word)]!
        })
      },
    }),
    packOneOf<T[number]>(words),
  )

/** A UUID. 22 characters in a `custom_id`. */
export const uuid = (): ArgParam<string> =>
  packable(
    arg({
      expects: phrase('kind.uuid'),
      example: '0194f3a0-1234-7abc-8def-0123456789ab',
      read: (typed) => {
        if (!isId(typed)) throw misfit()
        return typed.toLowerCase()
      },
    }),
    packUuid,
  )

/** All remaining text, unchanged; quotes around the whole text are removed. Must be last. */
export const rest = (bounds: Bounds = {}): Arg<string> =>
  arg({
    takes: 'text',
    expects: textOf(bounds),
    example: sampleText('some more words', bounds),
    read: (typed) => checkedText(typed, bounds),
  })

/**
 * All remaining words, each read as `item`. `min` (1) and `max` count them. Must be last, or a flag that is repeated for each value;
 * a parameter of a button requires `max`.
 */
export function list(item?: undefined, bounds?: Bounds): ArgParam<string[]>
export function list<T>(item: ArgParam<T>, bounds?: Bounds): ArgParam<T[]>
export function list<T>(item: Arg<T>, bounds?: Bounds): Arg<T[]>
export function list(
  item: Arg<unknown> | ArgParam<unknown> = text(),
  { min = 1, max = Infinity }: Bounds = {},
): Arg<unknown[]> {
  const values = counted(min, max)
  const expects = item.takes === 'word' ? phrase('kind.values_each', { values, expected: item.expects }) : values
  const all = makeArg<unknown[]>({
    takes: 'words',
    expects,
    example: item.example,
    read: (typed, place) => {
      if (!isWithin(typed.length, { min, max })) throw misfit(mustBe(expects))
      const values: unknown[] = []
      try {
        for (const [i, word] of typed.entries()) values.push(readItem(item, word, i, place))
      } catch (error) {
        // The lookups of the names before it are no longer needed.
        for (const value of values) Promise.resolve(value).catch(() => undefined)
        throw error
      }
      return values.some(isThenable) ? Promise.all(values) : values
    },
    write: (values) => values.flatMap((value) => item.write(value)),
    ...(min === 0 && { absent: { value: [] } }),
  })
  return 'packing' in item ? packable(all, packList(item.packing, { min, max })) : all
}

function counted(min: number, max: number): Words {
  if (min === max) return phrase('kind.values', { count: min })
  if (max !== Infinity)
    return min === 0 ? phrase('kind.values_at_most', { count: max }) : phrase('kind.values_between', { min, max })
  return min === 0 ? phrase('kind.any_values') : phrase('kind.values_at_least', { count: min })
}

function readItem(item: Arg<unknown>, word: string, i: number, place: ArgPlace): unknown {
  const rethrow = (error: unknown): never => {
    if (!hasCode(error, 'ERR_ARGS')) throw error
    throw misfit(phrase('args.item', { number: i + 1, fact: factOf(error, item) }))
  }
  try {
    const value = item.read([word], place)
    return isThenable(value) ? value.then(undefined, rethrow) : value
  } catch (error) {
    return rethrow(error)
  }
}
