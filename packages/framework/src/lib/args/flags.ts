import { didYouMean } from '../entry-name.ts'
import { type Arg, type ArgsShape, misfit } from './arg.ts'
import { looksLikeFlag, type Word } from './words.ts'

/** What was typed, sorted: values by the names of their args, and the words that belong to places. */
export interface SortedWords {
  readonly named: ReadonlyMap<string, readonly string[]>
  readonly words: readonly Word[]
  /** Where in the text the last flag begins: what stands behind it is as it was typed. */
  readonly lastFlagAt: number
}

/** `timeLimit` is also typed `--time-limit`, in any case. */
export const flagKey = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** The names of a command's args by the keys of their flags. */
export const flagKeys = (shape: ArgsShape): ReadonlyMap<string, string> =>
  new Map(Object.keys(shape).map((name) => [flagKey(name), name]))

/**
 * Takes `--name value`, `--name=value`, `--switch` and `--no-switch` out of the words; behind a lone `--` nothing is a flag.
 * An unknown flag is a mistake; where free text is taken it is a word of it, unless it is nearly a known one.
 */
export function sortWords(shape: ArgsShape, keys: ReadonlyMap<string, string>, all: readonly Word[]): SortedWords {
  const named = new Map<string, string[]>()
  const words: Word[] = []
  let lastFlagAt = -1
  for (let i = 0; i < all.length; i++) {
    const word = all[i]!
    if (!word.quoted && word.text === '--') {
      lastFlagAt = word.at
      words.push(...all.slice(i + 1))
      break
    }
    const flag = word.quoted ? undefined : readFlag(shape, keys, word.text)
    if (!flag) {
      words.push(word)
      continue
    }
    const value = flag.value ?? all[++i]?.text
    if (value === undefined) throw misfit(`--${flag.name} needs a value: ${shape[flag.name]!.expects}`)
    const former = named.get(flag.name)
    if (former && shape[flag.name]!.takes !== 'words') throw misfit(`--${flag.name} is there twice`)
    named.set(flag.name, [...(former ?? []), value])
    lastFlagAt = word.at
  }
  return { named, words, lastFlagAt }
}

function readFlag(
  shape: ArgsShape,
  keys: ReadonlyMap<string, string>,
  word: string,
): { name: string; value: string | undefined } | undefined {
  if (!looksLikeFlag(word)) return undefined
  const dash = !word.startsWith('--')
  const [, typed = '', value] = /^(?:--|.)([a-z][\w-]*)(?:=([^]*))?$/i.exec(word) ?? []
  const name = keys.get(flagKey(typed))
  if (typed !== '' && name !== undefined) {
    return { name, value: shape[name]?.takes === 'flag' ? (value ?? 'yes') : value }
  }
  const negated = /^no-?/i.test(typed) ? keys.get(flagKey(typed.slice(2))) : undefined
  if (negated !== undefined && value === undefined && shape[negated]?.takes === 'flag') {
    return { name: negated, value: 'no' }
  }
  // A dash may be just that, and so may anything be inside of free text that is no flag mistyped.
  const isText = Object.values(shape).some(isFreeText)
  const near = typed === '' ? undefined : nearFlag(shape, typed)
  if (dash || (isText && near === undefined)) return undefined
  const asText = isText ? ' Behind a lone -- all is text.' : ''
  throw misfit(
    near ? `there is no such flag; did you mean --${near}?${asText}` : `there is no such flag${quoteHint(shape)}`,
  )
}

const isFreeText = ({ takes, named }: Arg<unknown>): boolean => takes === 'text' && !named

/** The flag that was probably meant: mistyped (`--lou`, `--no-lou`) or begun (`--verb`). Nobody names the free text itself. */
function nearFlag(shape: ArgsShape, typed: string): string | undefined {
  const names = Object.keys(shape).filter((name) => !isFreeText(shape[name]!))
  const begun = names.find((name) => typed.length > 1 && flagKey(name).startsWith(flagKey(typed)))
  if (begun !== undefined) return begun
  const positive = /^no-?(.+)/i.exec(typed)?.[1]
  const switches = names.filter((name) => shape[name]!.takes === 'flag')
  const negated = positive === undefined ? undefined : didYouMean(positive, switches)
  return didYouMean(typed, names) ?? (negated === undefined ? undefined : `no-${negated}`)
}

/** Where a text is taken, a text may have been meant. */
const quoteHint = (shape: ArgsShape): string =>
  Object.values(shape).some((arg: Arg<unknown>) => arg.takes !== 'flag') ? '; put "quotes" around a text with --' : ''
