import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { discover, type Manifest } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from './bot-files.ts'

/** What the files of a bot say by their names alone. */
export interface BotFolder {
  manifest: Manifest
  /** Path of `bot.config.ts`, when there is one. */
  configFile: string | undefined
  /** Of files of plugins that are compiled: their paths from the bot's folder. */
  places?: ReadonlyMap<string, string>
  /** Of files of installed plugins: their absolute paths. */
  installed?: ReadonlyMap<string, string>
}

const configFiles = ['bot.config.ts', 'bot.config.mts', 'bot.config.js', 'bot.config.mjs']

/** The folder in which a command was started. Rejects with `ERR_CONFIG` when it holds no bot. */
export async function openBotFolder(folder: string): Promise<{ root: string; files: Set<string> }> {
  const root = resolve(folder)
  if (!existsSync(root)) throw new BotwrightError('ERR_CONFIG', `there is no folder ${root}`)
  return { root, files: new Set(await listBotFiles(root)) }
}

/** Computes what each file is for. Throws `ERR_DEFINITION` or `ERR_CONFLICT`, telling of every file. */
export function readBotFolder(files: Iterable<string>): BotFolder {
  const all = [...files]
  const names = new Set(all)
  const configFile = [...configFiles, ...configFiles.map((name) => `src/${name}`)].find((name) => names.has(name))
  return { manifest: discover(all), configFile }
}

/** The roots of a bot's modules: everything that is compiled because it is loaded by name. */
export function rootsOf(folder: BotFolder): string[] {
  const { configFile, places, installed } = folder
  const files = loadedFiles(folder)
    .filter((file) => !installed?.has(file))
    .map((file) => places?.get(file) ?? file)
  return configFile === undefined ? files : [...files, configFile]
}

/** Loads what a configuration exports; `undefined` when there is none. Another `round` evaluates the same module again. */
export async function loadConfigModule(path: string | undefined, round = 0): Promise<unknown> {
  if (path === undefined) return undefined
  const module = (await import(`${pathToFileURL(path).href}?${round}`)) as { default?: unknown }
  return module.default
}

/** Every file that is loaded by name, apart from the configuration. */
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
