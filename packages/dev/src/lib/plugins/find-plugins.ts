import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pluginsOf, type FoundPlugin } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from '../bot-files.ts'
import { pathBelow } from '../path-below.ts'
import { slashed } from '../problem.ts'

/** A plugin of a bot, with the place of its files. */
export interface PlacedPlugin extends FoundPlugin {
  /** Absolute path of the folder that holds its `commands/` and so on: that of its `plugin.ts`. */
  folder: string
  /** Absolute path of the folder of its `package.json`. */
  packageFolder: string
  /** It is there as TypeScript, from a workspace: it is compiled as the bot's own files are. An installed one runs as it is. */
  isSource: boolean
}

/** Whether it is worth while to run the configuration before the bot is put together: one without plugins does not name them. */
export async function mightMountPlugins(root: string, configFile: string | undefined): Promise<boolean> {
  return configFile !== undefined && (await readFile(join(root, configFile), 'utf8')).includes('plugins')
}

/** Finds the files of the plugins that a configuration mounts. Rejects with `ERR_CONFIG` when one is not where it says it is. */
export function findPlugins(config: unknown, root: string): Promise<PlacedPlugin[]> {
  return Promise.all(
    pluginsOf(config).map(async ([name, { plugin }]): Promise<PlacedPlugin> => {
      if (typeof plugin.url !== 'string' || !plugin.url.startsWith('file:'))
        throw new BotwrightError('ERR_CONFIG', `plugins.${name}: its plugin.ts must set "url: import.meta.url"`)
      const path = fileURLToPath(plugin.url)
      const folder = dirname(path)
      const packageFolder = packageFolderOf(folder)
      const isInside = pathBelow(packageFolder, root) !== undefined
      return {
        name,
        // A folder of the bot itself is known by its path.
        package: isInside ? slashed(relative(root, folder)) : await nameOf(packageFolder),
        files: await listBotFiles(folder),
        data: plugin.data ?? [],
        folder,
        packageFolder,
        isSource: /\.m?ts$/.test(path),
      }
    }),
  )
}

function packageFolderOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) if (existsSync(join(at, 'package.json')) || dirname(at) === at) return at
}

async function nameOf(folder: string): Promise<string> {
  const { name } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { name?: string }
  return name ?? folder
}
