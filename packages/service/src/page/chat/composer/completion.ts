import { foldName } from '@botwright/protocol/typed-text'
import type { ArgHelp, CommandHelp, ServerBot } from '../../../people.ts'
import { type CommandLine, readCommandLine } from './command-line.ts'
import { findEmoji, loadEmoji } from '../../components/emoji.ts'
import { typedMention } from '../../../lib/markdown/typed.ts'
import { byName, channelsHere, memberName, peopleHere, typedNames } from '../../state/names.ts'
import { dm, view, views } from '../../state/store.ts'
import { showError } from '../../state/toasts.ts'

export type Suggestion = { insert: string; label: string; detail: string; from: string }
export type Completion = {
  start: number
  end: number
  suggestions: Suggestion[]
  /** The text may be sent as it is: Enter picks a suggestion only after an arrow key. */
  isOptional: boolean
}

/** The bots in this channel. */
function botsHere(): ServerBot[] {
  const other = dm.value?.user.id
  if (other === undefined) return view.value?.bots ?? []
  const all = Object.values(views.value).flatMap((each) => each.bots)
  return all.filter((each, index) => each.id === other && all.findIndex((one) => one.id === other) === index)
}

/** A command as a person types it, without its sign: a subcommand has its own entry. */
type KnownCommand = { name: string; description: string; usage: string; example?: string | undefined; bot: string }

/** The commands of a bot: those that `framework dev` described, and the other registered ones. */
function commandsOf(bot: ServerBot): KnownCommand[] {
  const from = memberName(bot)
  const described = bot.help.map(({ name, description, usage, examples }) => ({
    ...{ name, description, usage, bot: from },
    example: examples[0],
  }))
  const words = new Set(bot.help.flatMap(({ name, aliases }) => [name.split(' ', 1)[0]!, ...aliases]))
  const others = bot.commands.filter(({ name }) => !words.has(name))
  return [...described, ...others.map((each) => ({ ...each, usage: '', bot: from }))]
}

/** The commands of the bots in this channel. */
export const commandsHere = (): KnownCommand[] => botsHere().flatMap(commandsOf)

/** The registered first words of commands in this channel: only these arrive as commands (§2). */
export const commandWords = (): string[] => botsHere().flatMap((bot) => bot.commands.map(({ name }) => name))

const starts = (query: string, ...names: (string | null)[]): boolean =>
  names.some((each) => each !== null && foldName(each).startsWith(foldName(query)))

/** The text with two neighbouring letters swapped, once for each pair. */
const swapped = (text: string): string[] =>
  Array.from(
    { length: Math.max(0, text.length - 1) },
    (_, at) => text.slice(0, at) + text[at + 1]! + text[at]! + text.slice(at + 2),
  )

/** The entries that begin with the typed text; else, as a guess, those that begin with it after two of its letters are swapped. */
function beginning<T>(query: string, all: readonly T[], names: (one: T) => (string | null)[]) {
  const found = all.filter((each) => starts(query, ...names(each)))
  if (found.length > 0) return { found, isGuess: false }
  const others = swapped(query)
  return { found: all.filter((each) => others.some((other) => starts(other, ...names(each)))), isGuess: true }
}

/** A shorter `:name` is often a smiley or a time. */
const shortestName = 2
const mostEmoji = 20

function suggestEmoji(query: string): Suggestion[] {
  if (query.length < shortestName) return []
  // The suggestions appear as soon as the emoji are loaded.
  loadEmoji().catch(showError)
  return findEmoji(query, mostEmoji).map(({ emoji, names }) => ({
    insert: `${emoji} `,
    label: emoji,
    detail: `:${names[0]}:`,
    from: '',
  }))
}

type Suggested = Pick<Completion, 'suggestions' | 'isOptional'>

/** Emoji, members or channels. In a sentence, a guess is optional: Enter sends the text. */
function suggest(sign: string, query: string): Suggested {
  if (sign === ':') return { suggestions: suggestEmoji(query), isOptional: false }
  if (sign === '@') {
    const { found, isGuess } = beginning(query, peopleHere.value, (each) => [
      each.username,
      each.nickname,
      each.display_name,
    ])
    const suggestions = found.map((each) => ({
      insert: `${typedMention('@', { id: each.user_id, name: each.username }, typedNames.value)} `,
      label: memberName(each),
      detail: each.bot ? 'bot' : `@${each.username}`,
      from: '',
    }))
    return { suggestions, isOptional: isGuess }
  }
  const { found, isGuess } = beginning(query, channelsHere.value, (each) => [each.name])
  const suggestions = found.map((each) => ({
    insert: `${typedMention('#', each, typedNames.value)} `,
    label: `#${each.name}`,
    detail: '',
    from: '',
  }))
  return { suggestions, isOptional: isGuess }
}

/** The commands that begin with the typed text, subcommands included. */
function suggestCommands(sign: string, query: string): Suggestion[] {
  return beginning(query, commandsHere(), (each) => [each.name])
    .found.sort((a, b) => byName(a.name, b.name))
    .map((each) => ({
      insert: `${sign}${each.name} `,
      label: `${sign}${each.name}${each.usage === '' ? '' : ` ${each.usage}`}`,
      detail: each.description,
      from: each.bot,
    }))
}

/** The choices of the argument at the cursor, or the switches that can be added. */
function suggestArgument({ word, current, flags }: CommandLine): Suggestion[] {
  if (word.text.startsWith('--')) return flags.filter((each) => starts(word.text, each.name)).map(flagSuggestion)
  const choices = (current?.choices ?? []).filter((each) => starts(word.text, each))
  // The hint above the list describes the argument.
  const values = choices.map((each) => ({ insert: `${quoted(each)} `, label: each, detail: '', from: '' }))
  return word.text === '' && !current ? flags.map(flagSuggestion) : values
}

const flagSuggestion = (arg: ArgHelp): Suggestion => ({
  insert: `${arg.name} `,
  label: arg.name,
  detail: arg.about ?? arg.expects,
  from: '',
})

const quoted = (text: string): string => (/[\s"]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text)

/** The command line of a text, if its command is described. */
export const commandLineAt = (text: string, cursor: number): CommandLine | undefined =>
  readCommandLine(
    text,
    cursor,
    botsHere().flatMap(({ help }): CommandHelp[] => help),
  )

/**
 * Completions for the word at the cursor: a command or subcommand at the start of the text (§2, Command), its arguments, a member, a
 * channel, an emoji.
 */
export function complete(text: string, cursor: number): Completion | undefined {
  const before = text.slice(0, cursor)
  const [, mark, named = ''] = /(?:^|\s)([@#:])([^\s@#:<>]{0,32})$/.exec(before) ?? []
  if (mark !== undefined) {
    return completion({ end: cursor, typed: mark + named, ...suggest(mark, named) })
  }
  const [, sign, query = ''] = /^([/!])([^\n]{0,200})$/.exec(before) ?? []
  if (sign === undefined) return undefined
  const commands = suggestCommands(sign, query)
  if (commands.length > 0) return completion({ end: cursor, typed: before, suggestions: commands, isOptional: false })
  const line = commandLineAt(text, cursor)
  if (!line) return undefined
  return completion({ end: cursor, typed: line.word.text, suggestions: suggestArgument(line), isOptional: true })
}

function completion(found: Omit<Completion, 'start'> & { typed: string }): Completion | undefined {
  const { suggestions, typed, end, isOptional } = found
  // Nothing to complete: Enter sends the message.
  if (suggestions.length === 0 || suggestions.every((each) => each.insert.trim() === typed)) return undefined
  return { start: end - typed.length, end, suggestions, isOptional }
}
