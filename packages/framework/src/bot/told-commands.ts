import { layerOf, layersAround } from '../author/manifest.ts'
import type { Definition } from '../author/entries.ts'
import type { Words } from '../author/texts/words.ts'

/** The commands among a bot's definitions, each with the rules of the folders that it stands in: of their middleware. */
export function toldCommands(definitions: readonly Definition[]): Definition[] {
  const commands = definitions.filter(({ kind }) => kind === 'command')
  const folders = new Map<string, readonly Words[]>()
  for (const one of definitions) if (one.kind === 'middleware' && one.guards) folders.set(layerOf(one), one.guards)
  if (folders.size === 0) return commands
  return commands.map((command) => {
    const rules = layersAround(command).flatMap((layer) => folders.get(layer) ?? [])
    if (rules.length === 0) return command
    const { usage = '', args = [], examples = [], rules: own = [] } = command.help ?? {}
    return { ...command, help: { usage, args, examples, rules: [...rules, ...own] } }
  })
}
