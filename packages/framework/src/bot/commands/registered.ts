import type { Command } from '@botwright/protocol/shapes'
import { BotwrightError, cut, limits, ownLimits } from '@botwright/protocol/facts'
import { byText } from '../../author/files/manifest.ts'
import type { Definition, Entry } from '../../author/files/entries.ts'
import { inEnglish, phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'

const helpWord = 'help'

/** The entry of the built-in `/help`. A file at this path replaces it. */
export const helpEntry: Entry = { kind: 'command', name: helpWord, file: 'commands/help.ts' }

/** Whether a bot has a command, a folder or an alias of that name itself. */
export const hasHelp = (definitions: readonly Definition[]): boolean =>
  definitions.some(
    ({ kind, name, aliases }) =>
      kind === 'command' &&
      (name === helpWord || name.startsWith(`${helpWord} `) || (!name.includes(' ') && aliases?.includes(helpWord))),
  )

/**
 * The commands for `PUT /commands`: each first word once, and its aliases, because only registered words arrive as commands (§2).
 * Throws `ERR_CONFLICT` (an alias is already used) and `ERR_DEFINITION` (more than 100).
 */
export function registeredCommands(
  definitions: readonly Definition[],
  { help, say = inEnglish }: { help: boolean; say?: (words: Words) => string },
): Command[] {
  const commands = definitions.filter(({ kind }) => kind === 'command')
  refuseConflicts(commands)
  const found = new Map<string, string>()
  for (const { name, description = '' } of commands) if (!name.includes(' ')) found.set(name, description)
  for (const word of new Set(commands.map(({ name }) => firstOf(name)))) {
    if (!found.has(word)) found.set(word, folderDescription(word, commands))
  }
  const own = found.size
  for (const { name, description = '', aliases = [] } of commands) {
    if (!name.includes(' '))
      for (const alias of aliases) found.set(alias, say(phrase('help.same_as', { command: `/${name}`, description })))
  }
  if (found.size > limits.commands.max) throw tooMany(found.size, found.size - own)
  // Leave out /help if it would exceed the limit.
  if (help && found.size < limits.commands.max) found.set(helpWord, say(phrase('help.description')))
  const most = ownLimits.command_description.characters
  return [...found]
    .map(([name, description]) => ({ name, description: cut(description, most) }))
    .sort((a, b) => byText(a.name, b.name))
}

const firstOf = (name: string): string => name.split(' ', 1)[0] ?? ''

function folderDescription(word: string, commands: readonly Definition[]): string {
  const below = commands.filter(({ name, hidden }) => name.startsWith(`${word} `) && !hidden)
  return `${word}: ${below
    .map(({ name }) => name.slice(word.length + 1))
    .sort(byText)
    .join(', ')}`
}

/** An alias is a sibling of its command and must not be the name or alias of another sibling. */
function refuseConflicts(commands: readonly Definition[]): void {
  const owners = new Map<string, string>()
  for (const { name, file } of commands) {
    const words = name.split(' ')
    words.forEach((_, i) => {
      const path = words.slice(0, i + 1).join(' ')
      if (i === words.length - 1 || !owners.has(path)) owners.set(path, file)
    })
  }
  const problems: string[] = []
  for (const { name, file, aliases = [] } of commands) {
    for (const alias of new Set(aliases)) {
      const path = [...name.split(' ').slice(0, -1), alias].join(' ')
      const owner = owners.get(path)
      if (owner === undefined) owners.set(path, file)
      else problems.push(`${file} and ${owner} both define /${path}; remove the alias "${alias}" from ${file}`)
    }
  }
  if (problems.length > 0) throw new BotwrightError('ERR_CONFLICT', problems.join('\n'))
}

const tooMany = (count: number, aliases: number) =>
  new BotwrightError(
    'ERR_DEFINITION',
    `commands/: ${count} commands${aliases > 0 ? `, ${aliases} of them aliases` : ''}, but a bot can register at most ${limits.commands.max} (interface §8); ` +
      'group related commands in a folder of subcommands, which counts as one',
  )

/** The warning of a build about a bot with many commands; undefined below the limit. */
export const commandsWarning = (definitions: readonly Definition[]): string | undefined =>
  commandCountWarning(registeredCommands(definitions, { help: true }))

/** The warning about a number of commands that a service may refuse; undefined below that number. */
export const commandCountWarning = ({ length }: readonly Command[]): string | undefined =>
  length <= limits.commands.cautious
    ? undefined
    : `${length} commands: the interface documents both ${limits.commands.cautious} and ${limits.commands.max} as the limit; if the service refuses them, group some in folders of subcommands`
