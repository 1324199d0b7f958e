import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProgramIo, readPackageJson } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { decodeText } from '@botwright/protocol/text-file'
import { readBotFolder } from '../../files/bot-folder.ts'
import { openBotFolder } from '../../files/open-folder.ts'
import { isJavaScript } from '../place-file.ts'
import { planCopies } from './copy-files.ts'
import { addToConfig, type Mount, newConfig } from './edit-config.ts'
import { packageManagerOf, type PackageManager } from './package-manager.ts'
import { choosePlugin, findPackage, type FoundPackage, mountNames, splitName } from './plugin-origin.ts'

/** The steps of `framework add plugin`, known before it changes anything. */
export interface Plan {
  root: string
  manager: PackageManager
  found: FoundPackage
  /** The plugin's entry in the package. */
  entry: string
  mount: Mount
  /** Whether the options are those of the author, not the example of the plugin. */
  hasOwnOptions: boolean
  /** The new text of the configuration, or the reason why its author must edit it. */
  config: { file: string; before: string | undefined; text: string } | { file: string; reason: string }
  /** Paths of files that the plugin offers: those to write, and those that exist already. */
  copies: { fresh: readonly string[]; kept: readonly string[] }
}

/** Reads the bot and the package. Rejects with `ERR_CONFIG` or `ERR_CONFLICT` if the plugin cannot be added. Changes nothing. */
export async function planOf(
  io: ProgramIo,
  words: readonly string[],
  options: Readonly<Record<string, unknown>> | undefined,
): Promise<Plan> {
  const { root, files } = await openBotFolder(io.cwd)
  if (!readPackageJson(root))
    throw new BotwrightError('ERR_CONFIG', `there is no package.json in ${root}: run this in the folder of a bot`)
  const manager = await packageManagerOf(root, io)
  const { typed, part } = splitName(words)
  const found = await findPackage(typed, root, manager)
  const plugin = choosePlugin(found, part)
  const mount: Mount = {
    specifier: found.name + plugin.entry.slice(1),
    ...mountNames(found.name, plugin.entry),
    options: options ?? plugin.options,
  }
  return {
    ...{ root, manager, found, mount, entry: plugin.entry },
    hasOwnOptions: options !== undefined,
    config: planConfig(root, files, mount),
    copies: planCopies(root, plugin.copy),
  }
}

function planConfig(root: string, files: ReadonlySet<string>, mount: Mount): Plan['config'] {
  const { configFile } = readBotFolder(files)
  if (configFile === undefined)
    return { file: `bot.config.${isJavaScript(files) ? 'js' : 'ts'}`, before: undefined, text: newConfig(mount) }
  const bytes = readFileSync(join(root, configFile))
  decodeText(bytes, configFile)
  // With its byte order mark, which stays.
  const before = bytes.toString()
  const edit = addToConfig(before, mount)
  if ('mounted' in edit)
    throw new BotwrightError(
      'ERR_CONFLICT',
      `${configFile} already mounts ${mount.specifier} as plugins.${edit.mounted}: nothing was changed`,
    )
  return { file: configFile, ...('text' in edit ? { before, text: edit.text } : edit) }
}
