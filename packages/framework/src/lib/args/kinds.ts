import { characters, isId } from '@botwright/protocol/facts'
import { didYouMean } from '../entry-name.ts'
import type { Param } from '../params/packing.ts'
import { packBoolean, packInteger, packOneOf, packText, packUuid } from '../params/kinds.ts'
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
export const text = (bounds: Bounds = {}): Arg<string> & Param<string> => ({
  ...arg('word', (typed) => checkedText(typedWord(typed), bounds)),
  packing: packText(bounds),
})

/** A whole number. `min` and `max` keep the `custom_id` short when it is a parameter of a button. */
export const integer = (bounds: Bounds = {}): Arg<number> & Param<number> => ({
  ...arg('word', (typed) => {
    const word = typedWord(typed)
    const value = /^[+-]?\d+$/.test(word) ? Number(word) : NaN
    return inBounds(Number.isSafeInteger(value) ? value : NaN, 'a whole number', bounds)
  }),
  packing: packInteger(bounds),
})

/** A number, with `.` or `,` before the decimals. */
export const number = (bounds: Bounds = {}): Arg<number> =>
  arg('word', (typed) => {
    const word = typedWord(typed).replace(',', '.')
    return inBounds(/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(word) ? Number(word) : NaN, 'a number', bounds)
  })

/** A switch: `--name` sets it, `--no-name` unsets it, false when it is left out. */
export const boolean = (): Arg<boolean> & Param<boolean> => ({
  ...arg('flag', readBoolean, { value: false }),
  packing: packBoolean,
})

function readBoolean(typed: readonly string[]): boolean {
  const word = typedWord(typed).toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  if (['false', 'no', 'off', '0'].includes(word)) return false
  throw misfit('must be yes or no')
}

/** One of some words, whatever their case; gives the word as it is written here. */
export const oneOf = <const T extends readonly [string, ...string[]]>(
  ...words: T
): Arg<T[number]> & Param<T[number]> => ({
  ...arg<T[number]>('word', (typed) => {
    const wanted = typedWord(typed)
    const found =
      words.find((word) => word === wanted) ?? words.find((word) => word.toLowerCase() === wanted.toLowerCase())
    if (found !== undefined) return found
    const near = didYouMean(wanted, words)
    throw misfit(`must be ${listed(words)}${near === undefined ? '' : `; did you mean ${near}?`}`)
  }),
  packing: packOneOf(words),
})

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const idArg = (mention: RegExp | undefined, what: string): Arg<string> & Param<string> => ({
  ...arg('word', (typed) => {
    const word = typedWord(typed)
    const id = mention?.exec(word)?.[1] ?? word
    if (!isId(id)) throw misfit(`must be ${what}`)
    return id.toLowerCase()
  }),
  packing: packUuid,
})

/** A UUID. 22 characters in a `custom_id`. */
export const uuid = (): Arg<string> & Param<string> => idArg(undefined, 'a UUID')

/** A person, mentioned (`<@id>`, §2) or by id; gives the user's id. */
export const user = (): Arg<string> & Param<string> => idArg(/^<@!?([^>]+)>$/, 'a person: mention one')

/** A channel, linked (`<#id>`, §2) or by id; gives the channel's id. */
export const channel = (): Arg<string> & Param<string> => idArg(/^<#([^>]+)>$/, 'a channel: link one')

/** All text that is left, as it was typed; quotes around the whole are dropped. Stands last. */
export const rest = (bounds: Bounds = {}): Arg<string> => arg('text', (typed) => checkedText(typed.join(' '), bounds))

/** All words that are left, each read as `item`. `min` (1) and `max` count them. Stands last. */
export function list(item?: Arg<string>, bounds?: Bounds): Arg<string[]>
export function list<T>(item: Arg<T>, bounds?: Bounds): Arg<T[]>
export function list(item: Arg<unknown> = text(), { min = 1, max }: Bounds = {}): Arg<unknown[]> {
  return arg(
    'words',
    (typed) => {
      if (typed.length < min) throw misfit(`must be at least ${min}`)
      if (max !== undefined && typed.length > max) throw misfit(`must be at most ${max}`)
      return typed.map((word) => item.read([word]))
    },
    min === 0 ? { value: [] } : undefined,
  )
}
