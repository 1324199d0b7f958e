import { BotwrightError } from '@botwright/protocol/facts'
import { hasCode } from '../error-code.ts'
import { didYouMean } from '../entry-name.ts'
import { misfit, type ArgsShape } from './arg.ts'
import { usage } from './usage.ts'
import { splitWords, type Word } from './words.ts'

/**
 * Reads what was typed behind a command (`command` with its prefix, for the usage text).
 * Throws `ERR_ARGS`: what is wrong, then the usage. What was typed is never repeated: it may hold mentions.
 */
export function readArgs(shape: ArgsShape, typed: string, command: string): Record<string, unknown> {
  try {
    return read(shape, typed)
  } catch (error) {
    if (!hasCode(error, 'ERR_ARGS')) throw error
    throw new BotwrightError('ERR_ARGS', `${error.message}\n${usage(command, shape)}`, { cause: error })
  }
}

function read(shape: ArgsShape, typed: string): Record<string, unknown> {
  const { named, words } = takeFlags(shape, splitWords(typed))
  const values: Record<string, unknown> = {}
  let next = 0
  for (const [name, arg] of Object.entries(shape)) {
    const flag = named.get(name)
    let given: string[] | undefined = flag
    if (!given && arg.takes !== 'flag' && next < words.length) {
      if (arg.takes === 'word') given = [words[next++]?.text ?? '']
      else {
        given = arg.takes === 'words' ? words.slice(next).map((word) => word.text) : [restOf(typed, words, next)]
        next = words.length
      }
    }
    if (given) values[name] = readOne(name, () => arg.read(given))
    else if (arg.absent) values[name] = arg.absent.value
    else throw misfit(`${name} is missing`)
  }
  if (next < words.length) throw misfit('that is more than fits; put "quotes" around texts of several words')
  return values
}

function readOne(name: string, read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (hasCode(error, 'ERR_ARGS')) throw misfit(`${name} ${error.message}`)
    throw error
  }
}

/** The text from a word on as it stands, unless a flag was taken out of it or it is one quoted text. */
function restOf(typed: string, words: readonly (Word & { whole: boolean })[], from: number): string {
  const first = words[from]
  if (!first) return ''
  if (words.length === from + 1 || !first.whole)
    return words
      .slice(from)
      .map((word) => word.text)
      .join(' ')
  return typed.slice(first.at).trim()
}

/** Takes `--name value`, `--name=value`, `--switch` and `--no-switch` out of the words; behind a lone `--` nothing is a flag. */
function takeFlags(shape: ArgsShape, all: readonly Word[]) {
  const named = new Map<string, string[]>()
  const rest: Word[] = []
  let lastFlag = -1
  for (let i = 0; i < all.length; i++) {
    const word = all[i]
    if (!word) break
    if (!word.quoted && word.text === '--') {
      lastFlag = i
      rest.push(...all.slice(i + 1))
      break
    }
    const flag = word.quoted ? null : /^--([a-z][\w-]*)(?:=([^]*))?$/i.exec(word.text)
    if (!flag) {
      rest.push(word)
      continue
    }
    const { name, value } = flagOf(shape, flag[1] ?? '', flag[2])
    if (named.has(name)) throw misfit(`--${name} is there twice`)
    const following = value ?? all[++i]?.text
    if (following === undefined) throw misfit(`--${name} needs a value`)
    lastFlag = i
    named.set(name, [following])
  }
  return { named, words: rest.map((word) => ({ ...word, whole: all.indexOf(word) > lastFlag })) }
}

function flagOf(
  shape: ArgsShape,
  typed: string,
  value: string | undefined,
): { name: string; value: string | undefined } {
  const find = (wanted: string) => Object.keys(shape).find((name) => name.toLowerCase() === wanted.toLowerCase())
  const name = find(typed)
  if (name !== undefined) return { name, value: shape[name]?.takes === 'flag' ? (value ?? 'true') : value }
  const negated = /^no-/i.test(typed) ? find(typed.slice(3)) : undefined
  if (negated !== undefined && shape[negated]?.takes === 'flag') return { name: negated, value: 'false' }
  const near = didYouMean(typed, Object.keys(shape))
  throw misfit(near ? `there is no such flag; did you mean --${near}?` : 'there is no such flag')
}
