import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Config } from '../author/config/config.ts'
import { loadReason } from '../bot/load-reason.ts'
import type { BotSource } from '../link/ports.ts'
import { threadWide } from '../link/redaction.ts'
import { readConfig } from '../runtime/config/read-config.ts'
import type { Definition, Entry, PluginMount } from '../author/files/entries.ts'

/** The contents of `botwright.json`, which `framework build` writes and `framework start` reads. Paths are relative to its folder, with `/`. */
export interface BuildManifest {
  version: 1
  entries: readonly Entry[]
  definitions: readonly Definition[]
  plugins?: readonly PluginMount[]
  /** The built module of each entry's file: a path, or `npm:<package>/<path in it>` for an installed plugin. */
  modules: Readonly<Record<string, string>>
  /** See `BotSource`. */
  codeId?: string
  /** The built `bot.config`, if the bot has one. */
  config: string | null
}

/** The name of the file in the output folder of `framework build`. */
export const buildManifestName = 'botwright.json'

/** A built bot: its code, and the location of its configuration. */
export interface BuiltBot {
  source: BotSource
  /** The absolute path of the built `bot.config`. */
  configPath: string | undefined
}

/**
 * Reads a folder that `framework build` wrote. Throws `ERR_CONFIG` naming the file and the fix.
 * Validated by hand, because loading a schema library would slow down every start.
 */
export function readBuild(folder: string, root: string): BuiltBot {
  const file = join(folder, buildManifestName)
  const refuse = (fact: string): never => {
    throw new BotwrightError('ERR_CONFIG', `${file}: ${fact}; run "framework build"`)
  }
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const missing = (error as { code?: string }).code === 'ENOENT'
    return refuse(missing ? 'there is no such file' : `cannot be read (${(error as Error).message})`)
  }
  if ((manifest as { target?: unknown } | null)?.target === 'fetch')
    return refuse(
      'the folder is built as functions (--target fetch), and framework start runs a build without --target',
    )
  if (!isBuildManifest(manifest)) return refuse('it is not a manifest of this version of the framework')
  const at = resolve(folder)
  const modules = Object.fromEntries(
    Object.entries(manifest.modules).map(([name, path]): [string, string] => {
      if (!path.startsWith('npm:')) return [name, within(at, path)]
      const found = installedFile(path.slice('npm:'.length), folder)
      return [name, found ?? refuse(`${name} is not installed: npm install ${packageOf(path.slice('npm:'.length))}`)]
    }),
  )
  const bare = manifest.entries.find((entry) => modules[entry.file] === undefined)
  if (bare) return refuse(`it has no module for ${bare.file}`)
  return {
    source: {
      manifest: { entries: manifest.entries, ...(manifest.plugins && { plugins: manifest.plugins }) },
      root,
      modules,
      definitions: manifest.definitions,
      codeId: manifest.codeId ?? codeIdOf(Object.values(modules)),
    },
    configPath: manifest.config === null ? undefined : resolve(folder, manifest.config),
  }
}

/** Identifies a build without an id, as earlier versions made it. */
function codeIdOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) if (existsSync(path)) hash.update(readFileSync(path)).update('\0')
  return hash.digest('hex').slice(0, 12)
}

const loads = threadWide('configurations', () => ({ count: 0 }))

/** Reads a built `bot.config`. Only a program that loads several evaluates it under another name, because a build may have replaced it. */
export async function readBuiltConfig({ configPath }: BuiltBot, env?: NodeJS.ProcessEnv): Promise<Config> {
  if (configPath === undefined) return readConfig(undefined)
  const query = loads.count++ === 0 ? '' : `?${loads.count}`
  const module = (await import(pathToFileURL(configPath).href + query).catch(wrongPackage)) as { default?: unknown }
  return readConfig(module.default, 'bot.config.ts', env)
}

function wrongPackage(error: unknown): never {
  const reason = loadReason(error)
  if (reason === (error as Error | undefined)?.message) throw error
  throw new BotwrightError('ERR_DEFINITION', `bot.config.ts cannot be loaded: ${reason}`, { cause: error })
}

/** Like `resolve`, but fast for a plain path below a folder. Before V8 has optimized it, `resolve` takes 5 ms for a hundred commands. */
function within(folder: string, path: string): string {
  if (folder.endsWith(sep) || isAbsolute(path) || /^$|\.\/|\.$|\/\/|[\\:]/.test(path)) return resolve(folder, path)
  return folder + sep + (sep === '/' ? path : path.replaceAll('/', sep))
}

const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

/** The file of a package that is installed for the code in `folder`, as Node resolves packages. */
function installedFile(path: string, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'node_modules', path)
    if (existsSync(file)) return file
    if (dirname(at) === at) return undefined
  }
}

function isBuildManifest(value: unknown): value is BuildManifest {
  if (typeof value !== 'object' || value === null) return false
  const { version, entries, plugins = [], definitions, modules, config, codeId = '' } = value as Record<string, unknown>
  return (
    version === 1 &&
    isListOfEntries(entries) &&
    Array.isArray(plugins) &&
    isListOfEntries(definitions) &&
    typeof modules === 'object' &&
    modules !== null &&
    Object.values(modules).every((path) => typeof path === 'string') &&
    typeof codeId === 'string' &&
    (config === null || typeof config === 'string')
  )
}

const isListOfEntries = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return false
    const { kind, name, file } = entry as Record<string, unknown>
    return typeof kind === 'string' && typeof name === 'string' && typeof file === 'string'
  })
