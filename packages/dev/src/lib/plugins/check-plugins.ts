import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pluginsOf, type PluginData } from '@botwright/framework'
import { decodeText } from '@botwright/protocol/text-file'
import type { BotFolder } from '../files/bot-folder.ts'
import type { Problem } from '../compile/problem.ts'

/** The problems that the plugins of a bot find in the JSON files they requested. The compiler reports invalid JSON. */
export async function pluginProblems(config: unknown, folder: BotFolder, root: string): Promise<Problem[]> {
  const found: Problem[] = []
  for (const { plugin, data, options } of await withData(config, folder, root))
    for (const { file, text } of (await plugin.check?.(data, options)) ?? []) found.push({ file, text })
  return found
}

/** The members of the interface `Register` for these files, for `.framework/types.d.ts`. */
export async function pluginTypes(config: unknown, folder: BotFolder, root: string): Promise<string[]> {
  const found: string[] = []
  for (const { plugin, data, options } of await withData(config, folder, root)) {
    const text = await plugin.types?.(data, options)
    if (text !== undefined) found.push(text)
  }
  return found
}

async function withData(config: unknown, folder: BotFolder, root: string) {
  const asking = pluginsOf(config).filter(([, { plugin }]) => plugin.check !== undefined || plugin.types !== undefined)
  return Promise.all(
    asking.map(async ([name, { plugin, options }]) => {
      const mount = folder.manifest.plugins?.find((one) => one.name === name)
      const data = await Promise.all(
        (mount?.data ?? []).map(async (one): Promise<PluginData> => {
          const bytes = await readFile(resolve(root, folder.places?.get(one.file) ?? one.file))
          return { ...one, value: JSON.parse(decodeText(bytes, one.file)) as unknown }
        }),
      )
      return { plugin, data, options: plugin.options ? await plugin.options.parseAsync(options) : {} }
    }),
  )
}
