import { foldTyped, isAmbiguous, plainNumber, trimUnseen } from '@botwright/protocol/typed-text'
import type { ArgHelp, CommandHelp } from '../../../people.ts'

// Checks the text of a command against the arguments that `framework dev` has described. The bot's own check comes after sending and is
// the one that counts: here, an argument of an unknown kind fits.

/** A word of the input with its place in it. */
interface Word {
  text: string
  start: number
  end: number
  quoted: boolean
}

/**
 * Splits at blanks; a text in quotes of any kind, which may still be open, is one word, also in `--name="two words"`. An apostrophe may
 * also be a letter of a word.
 */
function splitTyped(typed: string, from: number): Word[] {
  const words: Word[] = []
  const pattern =
    /((?:--|[–—])[a-z][\w-]*=)?(?:["“”„＂]((?:[^"“”＂\\]|\\.)*)["“”＂]?|[«»‹›]([^«»‹›]*)[«»‹›]?|[「『]([^」』]*)[」』]?|['‘’‚]([^'‘’‚]*)['‘’](?!\S))|\S+/gi
  pattern.lastIndex = from
  for (let match = pattern.exec(typed); match; match = pattern.exec(typed)) {
    const [whole, flag = '', ...quotes] = match
    const inside = quotes.find((each) => each !== undefined)
    const text = inside === undefined ? whole : flag + inside
    const quoted = inside !== undefined && flag === ''
    words.push({ text, start: match.index, end: match.index + whole.length, quoted })
  }
  return words
}

/** An argument with the words that were typed for it. */
interface Taken {
  arg: ArgHelp
  words: Word[]
}

/** The state of a command line at the cursor. */
export interface CommandLine {
  command: CommandHelp
  /** The command as it was typed, with its sign. */
  head: string
  /** The argument that is typed at the cursor; undefined after the last one. */
  current: ArgHelp | undefined
  /** The word at the cursor: empty between two words. */
  word: { text: string; start: number }
  /** The switches that were not typed yet. */
  flags: ArgHelp[]
  /** The first thing that the bot would refuse, as far as the page knows; not of the word that is being typed. */
  problem: string | undefined
}

const isFlag = (arg: ArgHelp): boolean => arg.name.startsWith('--')
/** Whether all further words may belong to an argument: only the bot knows how many words `tomorrow 18:00` has. */
const takesRest = ({ takes, mostWords = 1 }: ArgHelp): boolean => takes !== 'word' || mostWords > 1
/** `--time-limit` is the same as `--timeLimit`, as in the framework. */
const flagKey = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** The described command at the start of a text, and the position after it. The longest name counts: `poll create` before `poll`. */
function commandAt(typed: string, commands: readonly CommandHelp[]): { command: CommandHelp; end: number } | undefined {
  const line = typed.slice(1).toLowerCase()
  let found: { command: CommandHelp; end: number } | undefined
  for (const command of commands) {
    for (const name of [command.name, ...command.aliases]) {
      const isTyped = line === name || line.startsWith(`${name} `) || line.startsWith(`${name}\n`)
      if (isTyped && name.length + 1 > (found?.end ?? 0)) found = { command, end: name.length + 1 }
    }
  }
  return found
}

/** Reads a command line up to the cursor; undefined while its name is typed. */
export function readCommandLine(
  typed: string,
  cursor: number,
  commands: readonly CommandHelp[],
): CommandLine | undefined {
  if (!/^[/!]/.test(typed)) return undefined
  const found = commandAt(typed, commands)
  if (!found || cursor <= found.end) return undefined
  const { command, end } = found
  const all = splitTyped(typed, end)
  const word = all.find((each) => each.start < cursor && cursor <= each.end)
  const { taken, unknown, extra } = assign(command.args, all)
  const rest = all.filter((each) => each.end < cursor && each !== word)
  const current = argAt(command.args, rest, word)
  const finished = (each: Word) => each.end !== word?.end
  return {
    command,
    head: typed.slice(0, end),
    current,
    word: { text: word ? typed.slice(word.start, cursor) : '', start: word?.start ?? cursor },
    flags: command.args.filter((arg) => isFlag(arg) && !taken.some((each) => each.arg === arg)),
    problem: problemOf({ taken, unknown, extra: extra.filter(finished) }, finished),
  }
}

interface Assigned {
  taken: Taken[]
  unknown: Word[]
  extra: Word[]
  /** The argument that the next word without a name belongs to. */
  next: ArgHelp | undefined
}

const flagPattern = /^(?:--|[–—])([a-z][\w-]*)(=)?/i

/** Takes values with a name out of the words: `--name value`, `--name=value`, `--switch`. After a lone `--`, no word is a name. */
function takeNamed(args: readonly ArgHelp[], words: readonly Word[]) {
  const named: Taken[] = []
  const unknown: Word[] = []
  const rest: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (!word.quoted && word.text === '--') return { named, unknown, rest: [...rest, ...words.slice(at + 1)] }
    const flag = word.quoted ? undefined : flagPattern.exec(word.text)
    const arg = flag && flagOf(args, flag[1]!)
    if (flag && arg) {
      const value = flag[2] ? { ...word, text: word.text.slice(flag[0].length) } : words[at + 1]
      if (arg.takes !== 'flag' && !flag[2]) at++
      named.push({ arg, words: arg.takes === 'flag' || !value ? [] : [value] })
      // A dash may also begin a text.
    } else if (flag && word.text.startsWith('--')) unknown.push(word)
    else rest.push(word)
  }
  return { named, unknown, rest }
}

/** Assigns words to arguments, in order; each argument may also have its value by its name, anywhere. */
function assign(args: readonly ArgHelp[], words: readonly Word[]): Assigned {
  const { named, unknown, rest } = takeNamed(args, words)
  const places = args.filter((arg) => !isFlag(arg) && !named.some((each) => each.arg === arg))
  const placed: Taken[] = []
  for (const word of rest) {
    const last = placed.at(-1)
    const place = places[placed.length]
    if (last && takesRest(last.arg)) last.words.push(word)
    else if (place) placed.push({ arg: place, words: [word] })
    else return { taken: [...named, ...placed], unknown, extra: rest.slice(rest.indexOf(word)), next: undefined }
  }
  const last = placed.at(-1)?.arg
  const next = last && takesRest(last) ? last : places[placed.length]
  return { taken: [...named, ...placed], unknown, extra: [], next }
}

/** `--name` or, for a switch, `--no-name`; phones turn `--` into a dash. */
const flagOf = (args: readonly ArgHelp[], typed: string): ArgHelp | undefined =>
  args.find((arg) => flagKey(arg.name) === flagKey(typed)) ??
  args.find((arg) => arg.takes === 'flag' && flagKey(`no${arg.name}`) === flagKey(typed))

/** The argument that the word at the cursor belongs to, or the next one. */
function argAt(args: readonly ArgHelp[], before: readonly Word[], word: Word | undefined): ArgHelp | undefined {
  const last = before.at(-1)
  const name = last && !last.quoted ? /^(?:--|[–—])([a-z][\w-]*)$/i.exec(last.text)?.[1] : undefined
  const named = name === undefined ? undefined : flagOf(args, name)
  if (named && named.takes !== 'flag') return named
  if (word && !word.quoted && word.text.startsWith('--')) return flagOf(args, /^--([\w-]*)/.exec(word.text)![1]!)
  return assign(args, before).next
}

function problemOf(
  { taken, unknown, extra }: Omit<Assigned, 'next'>,
  finished: (word: Word) => boolean,
): string | undefined {
  const stray = unknown.find(finished)
  // Free text may contain anything.
  const isText = taken.some(({ arg }) => arg.takes === 'text')
  if (stray && !isText) return `${stray.text} is not an option of this command`
  for (const { arg, words } of taken) {
    if (words.filter(finished).some((word) => !fits(arg, word.text))) return `${arg.name} must be ${arg.expects}`
  }
  return extra.length > 0 ? 'too many words: put values with spaces in quotes' : undefined
}

/** Whether a word fits, as far as the page knows. */
function fits({ choices, number }: ArgHelp, word: string): boolean {
  if (choices && !choices.some((each) => foldTyped(each) === foldTyped(trimUnseen(word)))) return false
  if (!number) return true
  const pattern = number.whole
    ? /^[+-]?\d{1,16}$/
    : /^[+-]?(?:\d{1,300}(?:[.,]\d{0,300})?|[.,]\d{1,300})(?:e[+-]?\d{1,3})?$/i
  const typed = plainNumber(trimUnseen(word))
  const value = Number(typed.replace(',', '.'))
  return (
    pattern.test(typed) &&
    !isAmbiguous(typed) &&
    value >= (number.min ?? -Infinity) &&
    value <= (number.max ?? Infinity)
  )
}
