import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onAbort } from '@botwright/clock'
import { discover, type Manifest } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'

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
  const [configFile, other] = [...configFiles, ...configFiles.map((name) => `src/${name}`)].filter((name) =>
    names.has(name),
  )
  if (other !== undefined)
    throw new BotwrightError('ERR_CONFLICT', `${configFile} and ${other} are both configuration files; remove one`)
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
/** How long the modules of a configuration may wait. Time in which they use the processor does not count: a machine may be busy. */
const WAIT_MS = 15_000
const LOOK_MS = 250

/** One load of a configuration. */
export interface ConfigLoad {
  /** The same module is evaluated once in a round. Default: a round of its own. */
  round?: string | undefined
  /** Ends the wait for the modules. */
  signal?: AbortSignal | undefined
}

/**
 * Loads the exports of a configuration; `undefined` if there is none. Rejects with the error of a module, with the reason of the signal, or
 * if the modules have waited for 15 s.
 */
export async function loadConfigModule(
  path: string | undefined,
  { round = `load-${++loads}`, signal }: ConfigLoad = {},
): Promise<unknown> {
  if (path === undefined) return undefined
  const before = performance.eventLoopUtilization()
  let looking: NodeJS.Timeout | undefined
  let forget = (): void => {}
  const stuck = new Promise<never>((_, reject) => {
    forget = onAbort([signal], reject)
    // It also keeps the process alive: Node ends one that waits for nothing but a promise, with code 0.
    looking = setInterval(() => {
      if (performance.eventLoopUtilization(before).idle < WAIT_MS) return
      const [file = 'bot.config.ts'] = /^bot\.config\.[cm]?[jt]s/.exec(basename(path)) ?? []
      const fact = `did not finish loading within ${WAIT_MS / 1000} s: is there an await that never ends?`
      reject(new Error(`${file}: ${fact}`))
    }, LOOK_MS)
  })
  try {
    const loading = import(`${pathToFileURL(path).href}?${round}`) as Promise<{ default?: unknown }>
    return (await Promise.race([loading, stuck])).default
  } finally {
    clearInterval(looking)
    forget()
  }
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
