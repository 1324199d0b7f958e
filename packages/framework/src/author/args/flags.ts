import { didYouMean } from '../did-you-mean.ts'
import { phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'
import { type Arg, type ArgsShape, misfit } from './arg.ts'
import { looksLikeFlag, type Word } from './words.ts'

/** What was typed, sorted: values by the names of their args, and the words that belong to places. */
export interface SortedWords {
  readonly named: ReadonlyMap<string, readonly string[]>
  readonly words: readonly Word[]
  /** Where flags stand in the text, from and to: free text is what was typed around them. */
  readonly flags: readonly (readonly [number, number])[]
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
  const flags: [number, number][] = []
  for (let i = 0; i < all.length; i++) {
    const word = all[i]!
    if (!word.quoted && word.text === '--') {
      flags.push([word.at, word.end])
      for (const one of all.slice(i + 1)) words.push(one)
      break
    }
    const flag = word.quoted ? undefined : knownFlag(shape, keys, word.text)
    if (!flag) {
      if (!word.quoted) refuseUnknown(shape, word.text)
      words.push(word)
      continue
    }
    const behind = flag.value === undefined ? all[++i] : undefined
    // The next flag is no value: `--title --loud` has forgotten one.
    const isFlag = behind && !behind.quoted && (behind.text === '--' || knownFlag(shape, keys, behind.text))
    const value = isFlag ? undefined : (flag.value ?? behind?.text)
    if (value === undefined)
      throw misfit(phrase('args.flag_without_value', { flag: `--${flag.name}`, expected: shape[flag.name]!.expects }))
    const former = named.get(flag.name)
    if (former && shape[flag.name]!.takes !== 'words')
      throw misfit(phrase('args.flag_twice', { flag: `--${flag.name}` }))
    if (former) former.push(value)
    else named.set(flag.name, [value])
    flags.push([word.at, (behind ?? word).end])
  }
  return { named, words, flags }
}

interface Flag {
  name: string
  value: string | undefined
}

/** A flag of the command: `--name`, `--name=value`, `--no-switch`. */
function knownFlag(shape: ArgsShape, keys: ReadonlyMap<string, string>, word: string): Flag | undefined {
  if (!looksLikeFlag(word)) return undefined
  const { typed, value } = flagParts(word)
  const name = keys.get(flagKey(typed))
  if (typed !== '' && name !== undefined) {
    return { name, value: shape[name]?.takes === 'flag' ? (value ?? 'yes') : value }
  }
  const negated = /^no-?/i.test(typed) ? keys.get(flagKey(typed.slice(2))) : undefined
  const switchesOff = negated !== undefined && value === undefined && shape[negated]?.takes === 'flag'
  return switchesOff ? { name: negated, value: 'no' } : undefined
}

function flagParts(word: string): { typed: string; value: string | undefined } {
  const [, typed = '', value] = /^(?:--|.)([a-z][\w-]*)(?:=([^]*))?$/i.exec(word) ?? []
  return { typed, value }
}

/** A flag that the command does not have is a mistake, unless the word is text. */
function refuseUnknown(shape: ArgsShape, word: string): void {
  if (!looksLikeFlag(word)) return
  const { typed } = flagParts(word)
  const dash = !word.startsWith('--')
  // A dash may be just that, and so may anything be inside of free text that is no flag mistyped.
  const isText = Object.values(shape).some(isFreeText)
  const near = typed === '' ? undefined : nearFlag(shape, typed)
  if (dash || (isText && near === undefined)) return
  const unknown = phrase('args.unknown_flag')
  if (!near) throw misfit(withQuoteHint(shape, unknown))
  const fact = phrase('did_you_mean', { fact: unknown, near: `--${near}` })
  throw misfit(isText ? phrase('args.text_behind_dashes', { fact }) : fact)
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
const withQuoteHint = (shape: ArgsShape, fact: Words): Words =>
  Object.values(shape).some((arg: Arg<unknown>) => arg.takes !== 'flag') ? phrase('args.quote_dashes', { fact }) : fact
