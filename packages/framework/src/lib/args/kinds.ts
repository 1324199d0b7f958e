import { characters, isId } from '@botwright/protocol/facts'
import { didYouMean } from '../entry-name.ts'
import { packable, packList, type ArgParam } from '../params/composed.ts'
import { packBoolean, packFloat, packInteger, packOneOf, packText, packUuid } from '../params/kinds.ts'
import { arg, misfit, type Arg } from './arg.ts'

interface Bounds {
  min?: number
  max?: number
}

const typedWord = (typed: readonly string[]): string => typed[0] ?? ''

function inBounds(value: number, what: string, { min, max }: Bounds): number {
  if (Number.isFinite(value) && !(min !== undefined && value < min) && !(max !== undefined && value > max)) return value
  throw misfit(`must be ${what}${rangeText({ min, max })}`)
}

const rangeText = ({ min, max }: { min: number | undefined; max: number | undefined }): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

function checkedText(value: string, { min, max }: Bounds): string {
  const length = characters(value)
  if (max !== undefined && length > max) throw misfit(`must be at most ${max} characters`)
  if (min !== undefined && length < min) throw misfit(`must be at least ${min} characters`)
  return value
}

/** A text: one word, or several in quotes. `min` and `max` count characters; as a parameter of a button it needs `max`. */
export const text = (bounds: Bounds = {}): ArgParam<string> =>
  packable(
    arg('word', (typed) => checkedText(typedWord(typed), bounds)),
    packText(bounds),
  )

/** A whole number. `min` and `max` keep the `custom_id` short when it is a parameter of a button. */
export const integer = (bounds: Bounds = {}): ArgParam<number> =>
  packable(
    arg('word', (typed) => {
      const word = typedWord(typed)
      const value = /^[+-]?\d+$/.test(word) ? Number(word) : NaN
      return inBounds(Number.isSafeInteger(value) ? value : NaN, 'a whole number', bounds)
    }),
    packInteger(bounds),
  )

/** A number, with `.` or `,` before the decimals. 11 characters in a `custom_id`. */
export const number = (bounds: Bounds = {}): ArgParam<number> =>
  packable(
    arg('word', (typed) => {
      const word = typedWord(typed).replace(',', '.')
      return inBounds(/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(word) ? Number(word) : NaN, 'a number', bounds)
    }),
    packFloat(bounds),
  )

/** A switch: `--name` sets it, `--no-name` unsets it, false when it is left out. */
export const boolean = (): ArgParam<boolean> => packable(arg('flag', readBoolean, { value: false }), packBoolean)

function readBoolean(typed: readonly string[]): boolean {
  const word = typedWord(typed).toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  if (['false', 'no', 'off', '0'].includes(word)) return false
  throw misfit('must be yes or no')
}

/** One of some words, whatever their case; gives the word as it is written here. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...words: T): ArgParam<T[number]> =>
  packable(
    arg<T[number]>('word', (typed) => {
      const wanted = typedWord(typed)
      const found =
        words.find((word) => word === wanted) ?? words.find((word) => word.toLowerCase() === wanted.toLowerCase())
      if (found !== undefined) return found
      const near = didYouMean(wanted, words)
      throw misfit(`must be ${listed(words)}${near === undefined ? '' : `; did you mean ${near}?`}`)
    }),
    packOneOf<T[number]>(words),
  )

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const idArg = (mention: RegExp | undefined, what: string): ArgParam<string> =>
  packable(
    arg('word', (typed) => {
      const word = typedWord(typed)
      const id = mention?.exec(word)?.[1] ?? word
      if (!isId(id)) throw misfit(`must be ${what}`)
      return id.toLowerCase()
    }),
    packUuid,
  )

/** A UUID. 22 characters in a `custom_id`. */
export const uuid = (): ArgParam<string> => idArg(undefined, 'a UUID')

/** A person, mentioned (`<@id>`, §2) or by id; gives the user's id. */
export const user = (): ArgParam<string> => idArg(/^<@!?([^>]+)>$/, 'a person: mention one')

/** A channel, linked (`<#id>`, §2) or by id; gives the channel's id. */
export const channel = (): ArgParam<string> => idArg(/^<#([^>]+)>$/, 'a channel: link one')

/** All text that is left, as it was typed; quotes around the whole are dropped. Stands last. */
export const rest = (bounds: Bounds = {}): Arg<string> => arg('text', (typed) => checkedText(typed.join(' '), bounds))

/** All words that are left, each read as `item`. `min` (1) and `max` count them. Stands last; as a parameter of a button it needs `max`. */
export function list(item?: ArgParam<string>, bounds?: Bounds): ArgParam<string[]>
export function list<T>(item: ArgParam<T>, bounds?: Bounds): ArgParam<T[]>
export function list<T>(item: Arg<T>, bounds?: Bounds): Arg<T[]>
export function list(item: Arg<unknown> | ArgParam<unknown> = text(), { min = 1, max }: Bounds = {}): Arg<unknown[]> {
  const all = arg<unknown[]>(
    'words',
    (typed) => {
      if (typed.length < min) throw misfit(`must be at least ${min}`)
      if (max !== undefined && typed.length > max) throw misfit(`must be at most ${max}`)
      return typed.map((word) => item.read([word]))
    },
    min === 0 ? { value: [] } : undefined,
  )
  return 'packing' in item ? packable(all, packList(item.packing, { min, max })) : all
}
