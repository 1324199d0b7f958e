import { didYouMean } from '../did-you-mean.ts'
import { phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'
import { type Arg, type ArgsShape, misfit } from './arg.ts'
import { looksLikeFlag, meantText, type Word } from '../texts/typed-words.ts'

/** The parsed input: values by the names of their args, and the positional words. */
export interface SortedWords {
  readonly named: ReadonlyMap<string, readonly string[]>
  readonly words: readonly Word[]
  /** The positions of flags in the text, from and to: free text is the text around them. */
  readonly flags: readonly (readonly [number, number])[]
}

/** `timeLimit` can also be typed as `--time-limit`, in any case. */
export const flagKey = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** The names of a command's args by the keys of their flags. */
export const flagKeys = (shape: ArgsShape): ReadonlyMap<string, string> =>
  new Map(Object.keys(shape).map((name) => [flagKey(name), name]))

/**
 * Takes `--name value`, `--name=value`, `--switch` and `--no-switch` out of the words; after a lone `--` nothing is a flag.
 * An unknown flag is an error; in free text it is a word, unless it resembles a known flag.
 */
export function sortWords(shape: ArgsShape, keys: ReadonlyMap<string, string>, all: readonly Word[]): SortedWords {
  const named = new Map<string, string[]>()
  const words: Word[] = []
  const flags: [number, number][] = []
  for (let i = 0; i < all.length; i++) {
    const word = all[i]!
    if (!word.quoted && meantText(word) === '--') {
      flags.push([word.at, word.end])
      for (const one of all.slice(i + 1)) words.push(one)
      break
    }
    const flag = word.quoted ? undefined : knownFlag(shape, keys, meantText(word))
    if (!flag) {
      if (!word.quoted) refuseUnknown(shape, meantText(word))
      words.push(word)
      continue
    }
    const next = flag.value === undefined ? all[++i] : undefined
    // The next flag is not a value: `--title --loud` lacks a title.
    const isFlag = next && !next.quoted && (next.text === '--' || knownFlag(shape, keys, meantText(next)))
    const value = isFlag ? undefined : (flag.value ?? next?.text)
    if (value === undefined)
      throw misfit(phrase('args.flag_without_value', { flag: `--${flag.name}`, expected: shape[flag.name]!.expects }))
    const former = named.get(flag.name)
    if (former && shape[flag.name]!.takes !== 'words')
      throw misfit(phrase('args.flag_twice', { flag: `--${flag.name}` }))
    if (former) former.push(value)
    else named.set(flag.name, [value])
    flags.push([word.at, (next ?? word).end])
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

/** An unknown flag is an error, unless the word is text. */
function refuseUnknown(shape: ArgsShape, word: string): void {
  if (!looksLikeFlag(word)) return
  const { typed } = flagParts(word)
  const dash = !word.startsWith('--')
  // A dash may be a plain dash, and free text may contain anything that does not resemble a flag.
  const isText = Object.values(shape).some(isFreeText)
  const near = typed === '' ? undefined : nearFlag(shape, typed)
  if (dash || (isText && near === undefined)) return
  const unknown = phrase('args.unknown_flag')
  if (!near) throw misfit(withQuoteHint(shape, unknown))
  const fact = phrase('did_you_mean', { fact: unknown, near: `--${near}` })
  throw misfit(isText ? phrase('args.text_behind_dashes', { fact }) : fact)
}

const isFreeText = ({ takes, named }: Arg<unknown>): boolean => takes === 'text' && !named

/** The flag that was probably intended: misspelled (`--lou`, `--no-lou`) or incomplete (`--verb`). Free text itself has no flag. */
function nearFlag(shape: ArgsShape, typed: string): string | undefined {
  const names = Object.keys(shape).filter((name) => !isFreeText(shape[name]!))
  const begun = names.find((name) => typed.length > 1 && flagKey(name).startsWith(flagKey(typed)))
  if (begun !== undefined) return begun
  const positive = /^no-?(.+)/i.exec(typed)?.[1]
  const switches = names.filter((name) => shape[name]!.takes === 'flag')
  const negated = positive === undefined ? undefined : didYouMean(positive, switches)
  return didYouMean(typed, names) ?? (negated === undefined ? undefined : `no-${negated}`)
}

/** If free text is accepted, the word may be text. */
const withQuoteHint = (shape: ArgsShape, fact: Words): Words =>
  Object.values(shape).some((arg: Arg<unknown>) => arg.takes !== 'flag') ? phrase('args.quote_dashes', { fact }) : fact
