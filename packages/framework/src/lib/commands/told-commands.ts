import { foldersAround } from '../manifest.ts'
import type { Definition } from '../ports.ts'

/** The commands among a bot's definitions, each with the rules of the folders that it stands in: of their middleware. */
export function toldCommands(definitions: readonly Definition[]): Definition[] {
  const commands = definitions.filter(({ kind }) => kind === 'command')
  const folders = new Map<string, readonly string[]>()
  for (const { kind, name, plugin, guards } of definitions)
    if (kind === 'middleware' && plugin === undefined && guards) folders.set(name, guards)
  if (folders.size === 0) return commands
  return commands.map((command) => {
    // The bot's own middleware is around what a plugin brings, too; of its folders there are none.
    const around = command.plugin === undefined ? foldersAround(command.file) : ['']
    const rules = around.flatMap((folder) => folders.get(folder) ?? [])
    if (rules.length === 0) return command
    const { usage = '', args = [], examples = [], rules: own = [] } = command.help ?? {}
    return { ...command, help: { usage, args, examples, rules: [...rules, ...own] } }
  })
}
