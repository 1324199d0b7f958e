import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import type { BotSource, Definition, Entry } from './ports.ts'

/** What `framework build` writes as `botwright.json`, and `framework start` reads. Paths are relative to its folder, with `/`. */
export interface BuildManifest {
  version: 1
  entries: readonly Entry[]
  definitions: readonly Definition[]
  /** For each entry's file the built module. */
  modules: Readonly<Record<string, string>>
  /** The built `bot.config`, if the bot has one. */
  config: string | null
}

/** The name of the file that `framework build` leaves in its output folder. */
export const buildManifestName = 'botwright.json'

/** A bot that was built: its code, and where its configuration is. */
export interface BuiltBot {
  source: BotSource
  /** Absolute path of the built `bot.config`. */
  configPath: string | undefined
}

/**
 * Reads a folder that `framework build` made. Throws `ERR_CONFIG` naming the file and the fix.
 * Checked by hand: a schema would cost every start its loading time, and only our own program writes this file.
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
  if (!isBuildManifest(manifest)) return refuse('it is not the manifest that this version of the framework builds')
  const modules = Object.fromEntries(
    Object.entries(manifest.modules).map(([name, path]): [string, string] => [name, resolve(folder, path)]),
  )
  const bare = manifest.entries.find((entry) => modules[entry.file] === undefined)
  if (bare) return refuse(`it names no module for ${bare.file}`)
  return {
    source: { manifest: { entries: manifest.entries }, root, modules, definitions: manifest.definitions },
    configPath: manifest.config === null ? undefined : resolve(folder, manifest.config),
  }
}

function isBuildManifest(value: unknown): value is BuildManifest {
  if (typeof value !== 'object' || value === null) return false
  const { version, entries, definitions, modules, config } = value as Record<string, unknown>
  return (
    version === 1 &&
    isListOfEntries(entries) &&
    isListOfEntries(definitions) &&
    typeof modules === 'object' &&
    modules !== null &&
    Object.values(modules).every((path) => typeof path === 'string') &&
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
