// Finds what an operator has typed.

import { didYouMean, lowerId, printableLine } from '@botwright/protocol/facts'
import { type Known, type Server, SwitchError } from './change.ts'
import { nameOf, pathOf } from './switched-off.ts'

/** The names of all that can be switched off: of each file, and of each command with subcommands. Sorted. */
export function switchNames(files: readonly Known[]): string[] {
  const names = files.flatMap((file) => nameOf(file) ?? [])
  const groups = names.flatMap((name) => (name.startsWith('/') ? wordsBefore(name) : []))
  return [...new Set([...names, ...groups])].sort()
}

/** `/team` of `/team add`. */
const wordsBefore = (name: string): string[] => {
  const words = name.split(' ')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '))
}

/** The name that was meant: as `framework routes` prints it, or a path. `more`: further names, preferred to those of files. Throws a `SwitchError`. */
export function findName(typed: string, files: readonly Known[], more: readonly string[] = []): string {
  const names = [...switchNames(files), ...more]
  const words = typed.trim().replaceAll(/\s+/g, ' ')
  if (names.includes(words)) return words
  const path = pathOf(words.replace(/^\.\//, ''))
  const meant = files.flatMap((file) =>
    namesOf(file).includes(words) || pathOf(file.file) === path ? (nameOf(file) ?? []) : [],
  )
  const group = path.startsWith('commands/') ? `/${path.slice('commands/'.length).replaceAll('/', ' ')}` : `/${words}`
  const found = [...new Set([...meant, ...[path, group].filter((name) => names.includes(name))])]
  if (found.length === 1) return found[0]!
  const known = found.filter((name) => more.includes(name))
  if (known.length === 1) return known[0]!
  const what = printableLine(typed)
  if (found.length > 1) throw new SwitchError(`"${what}" is not unique: use ${found.join(' or ')}`)
  const near = didYouMean(words, names) ?? didYouMean(`/${words}`, names)
  const fix = near === undefined ? 'framework routes lists all names' : `did you mean ${near}?`
  throw new SwitchError(`the bot has no command, button, event file, task or route "${what}"; ${fix}`)
}

/** How else a file can be named: by its name alone, and a command by its other names. */
function namesOf({ kind, name, aliases = [] }: Known): string[] {
  if (kind !== 'command') return [name]
  const before = name.split(' ').slice(0, -1)
  return aliases.map((alias) => `/${[...before, alias].join(' ')}`)
}

/** The server with this name or id. Throws a `SwitchError`. */
export function findServer(typed: string, servers: readonly Server[]): Server {
  const found = servers.filter(({ id, name }) => id === lowerId(typed) || name === typed)
  if (found.length === 1) return found[0]!
  if (found.length > 1)
    throw new SwitchError(`several servers are named "${typed}": use an id: ${found.map(({ id }) => id).join(' or ')}`)
  const near = didYouMean(
    typed,
    servers.map(({ name }) => name),
  )
  const fix =
    near === undefined
      ? `it is in: ${servers.map(({ name }) => name).join(', ') || 'no server'}`
      : `did you mean ${near}?`
  throw new SwitchError(printableLine(`the bot is not in a server "${typed}"; ${fix}`))
}
