import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandEntry } from './command-entry.ts'
import { ownCommands } from './own-commands.ts'

/** The commands that there are here. `hasDev` is false where `@botwright/dev` is not installed, as in production. */
export interface FoundCommands {
  commands: readonly CommandEntry[]
  hasDev: boolean
}

/** Looks the table of `@botwright/dev` up from the bot's own folder: the one upward step in the house. */
export async function findCommands(folder: string): Promise<FoundCommands> {
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve('@botwright/dev')
  } catch {
    return { commands: ownCommands, hasDev: false }
  }
  const { commands } = (await import(pathToFileURL(path).href)) as { commands: readonly CommandEntry[] }
  // What both have by one name can do more where the dev package is.
  const only = ownCommands.filter(({ name }) => !commands.some((command) => command.name === name))
  return { commands: [...commands, ...only], hasDev: true }
}
