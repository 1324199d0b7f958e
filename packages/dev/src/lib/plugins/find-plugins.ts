import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pluginsOf, type FoundPlugin } from '@botwright/framework'
import { readPackageJson } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from '../files/bot-files.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import { hasSeveral } from '../compile/package-import.ts'

/** A plugin of a bot, with the location of its files. */
export interface PlacedPlugin extends FoundPlugin {
  /** The absolute path of the folder with its `commands/` and so on: that of its `plugin.ts`. */
  folder: string
  /** The absolute path of the folder of its `package.json`. */
  packageFolder: string
  /** The name of its package. */
  packageName: string
  /** Whether it is TypeScript from a workspace: then it is compiled like the bot's own files. An installed plugin runs as it is. */
  isSource: boolean
}

/** Finds the files of the plugins that a configuration mounts. Rejects with `ERR_CONFIG` if one is not at its declared location. */
export function findPlugins(config: unknown, root: string): Promise<PlacedPlugin[]> {
  return Promise.all(
    pluginsOf(config).map(async ([name, { plugin }]): Promise<PlacedPlugin> => {
      if (typeof plugin.url !== 'string' || !plugin.url.startsWith('file:'))
        throw new BotwrightError('ERR_CONFIG', `plugins.${name}: its plugin.ts must set "url: import.meta.url"`)
      const path = fileURLToPath(plugin.url)
      const folder = dirname(path)
      const packageFolder = packageFolderOf(folder)
      const isInside = pathBelow(packageFolder, root) !== undefined
      const found = readPackageJson(packageFolder)
      const packageName = found?.name ?? packageFolder
      // The plugins of one package may have files with the same names.
      const label = hasSeveral(found?.botwright) ? `${packageName}/${basename(folder)}` : packageName
      return {
        name,
        // A folder of the bot itself is identified by its path.
        package: isInside ? slashed(relative(root, folder)) : label,
        files: await listBotFiles(folder),
        data: plugin.data ?? [],
        folder,
        packageFolder,
        packageName,
        isSource: /\.m?ts$/.test(path),
      }
    }),
  )
}

function packageFolderOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) if (existsSync(join(at, 'package.json')) || dirname(at) === at) return at
}
