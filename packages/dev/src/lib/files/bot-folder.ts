import { pathToFileURL } from 'node:url'
import { discover, type Manifest } from '@botwright/framework'

/** The contents of a bot's folder, by the names of its files alone. */
export interface BotFolder {
  manifest: Manifest
  /** The path of `bot.config.ts`, if there is one. */
  configFile: string | undefined
  /** The paths of compiled files of plugins, from the bot's folder. */
  places?: ReadonlyMap<string, string>
  /** The absolute paths of files of installed plugins. */
  installed?: ReadonlyMap<string, string>
}

/** The names of a bot's configuration. */
export const configFiles = ['bot.config.ts', 'bot.config.mts', 'bot.config.js', 'bot.config.mjs']

/** Computes the purpose of each file. Throws `ERR_DEFINITION` or `ERR_CONFLICT`, naming every file. */
export function readBotFolder(files: Iterable<string>): BotFolder {
  const all = [...files]
  const names = new Set(all)
  const configFile = [...configFiles, ...configFiles.map((name) => `src/${name}`)].find((name) => names.has(name))
  return { manifest: discover(all), configFile }
}

/** The roots of a bot's modules: all files that are compiled because they are loaded by name. */
export function rootsOf(folder: BotFolder): string[] {
  const { configFile, places, installed } = folder
  const files = loadedFiles(folder)
    .filter((file) => !installed?.has(file))
    .map((file) => places?.get(file) ?? file)
  return configFile === undefined ? files : [...files, configFile]
}

let loads = 0

/** Loads the exports of a configuration; `undefined` if there is none. The same module is evaluated again, except in the same `round`. */
export async function loadConfigModule(path: string | undefined, round = `load-${++loads}`): Promise<unknown> {
  if (path === undefined) return undefined
  const module = (await import(`${pathToFileURL(path).href}?${round}`)) as { default?: unknown }
  return module.default
}

/** Every file that is loaded by name, except the configuration. */
export function loadedFiles({ manifest }: BotFolder): string[] {
  const mounts = manifest.plugins ?? []
  return [
    ...manifest.entries.map((entry) => entry.file),
    ...mounts.flatMap(({ context, data = [] }) => [
      ...(context === undefined ? [] : [context]),
      ...data.map((one) => one.file),
    ]),
  ].filter((file, i, all) => all.indexOf(file) === i)
}
