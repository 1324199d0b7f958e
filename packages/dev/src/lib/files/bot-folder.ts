import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { discover, type Manifest } from '@botwright/framework'
import { handlerFolders } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from './bot-files.ts'

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

const configFiles = ['bot.config.ts', 'bot.config.mts', 'bot.config.js', 'bot.config.mjs']

/** The folder in which a command was started. Rejects with `ERR_CONFIG` if it does not exist, or is part of a bot. */
export async function openBotFolder(folder: string): Promise<{ root: string; files: Set<string> }> {
  const path = resolve(folder)
  if (!existsSync(path)) throw new BotwrightError('ERR_CONFIG', `there is no folder ${path}`)
  if (!statSync(path).isDirectory()) throw new BotwrightError('ERR_CONFIG', `${path} is a file: pass the bot's folder`)
  // The compiler names files by their real location, whatever links lead there.
  const root = realpathSync(path)
  const whole = botAround(root)
  if (whole !== undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${root} is part of the bot in ${whole}: use that folder (cd ${relative(root, whole)})`,
    )
  return { root, files: new Set(await listBotFiles(root)) }
}

/** The bot that contains a folder, such as its `commands/`: run there, a bot would have half of its files. */
function botAround(root: string): string | undefined {
  let whole = root
  while (!existsSync(join(whole, 'package.json'))) {
    const above = dirname(whole)
    if (above === whole) return undefined
    whole = above
  }
  if (whole === root || !looksLikeBot(whole)) return undefined
  const [first = '', second = ''] = relative(whole, root).split(sep)
  const isHandlers = handlerFolders.includes(first === 'src' ? second : first) || (first === 'src' && second === '')
  // A bot in the tests of a plugin has no package.json, but is complete.
  return isHandlers || !looksLikeBot(root) ? whole : undefined
}

const looksLikeBot = (folder: string): boolean =>
  [folder, join(folder, 'src')].some((one) =>
    [...handlerFolders, ...configFiles].some((name) => existsSync(join(one, name))),
  )

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
