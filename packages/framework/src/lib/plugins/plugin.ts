import type { z } from 'zod'
import { definedAs } from '../marks.ts'
import type { Register } from '../register.ts'

/** A JSON file of the bot's folder, or of a plugin's, that a plugin asked for by `data`. */
export interface PluginData {
  /** The name under which the plugin that the file belongs to is mounted; `''` for a file of the bot. */
  readonly owner: string
  /** Its path without the ending: `locales/de`. */
  readonly name: string
  /** As messages name it: `locales/de.json`. */
  readonly file: string
  readonly value: unknown
}

/** Something wrong with a file that a plugin looked at, told by `framework check`, `build` and `dev`. */
export interface PluginProblem {
  file: string
  text: string
}

/** What a plugin is made of, beside the files of its folder. */
export interface PluginOptions<S extends z.ZodType> {
  /** `import.meta.url`: the folder of this file holds the plugin's `commands/`, `buttons/` and so on. */
  url: string
  /** The schema of the options with which a bot mounts it. Left out: there are none. */
  options?: S
  /** Folders whose `*.json`, of the bot and of its plugins, reach the plugin's `context.ts`. */
  data?: readonly string[]
  /** Tells what is wrong with these files. Not run in production. */
  check?: (data: readonly PluginData[], options: z.output<S>) => PluginProblem[] | Promise<PluginProblem[]>
  /** Members of the interface `Register` that these files lead to, as TypeScript. Not run in production. */
  types?: (data: readonly PluginData[], options: z.output<S>) => string | Promise<string>
}

/** A plugin with the options that a bot gives it: a value of `plugins` in `bot.config.ts`. */
export interface PluginUse {
  readonly [definedAs]: 'plugin'
  readonly plugin: PluginOptions<z.ZodType>
  readonly options: unknown
}

type NoOptions = z.ZodObject<Record<never, never>, z.core.$strict>

/** What `plugin()` gives: called in `bot.config.ts` with the bot's options. */
export interface Plugin<S extends z.ZodType = NoOptions> {
  (...options: Record<never, never> extends z.input<S> ? [options?: z.input<S>] : [options: z.input<S>]): PluginUse
  /** For the types only. */
  readonly schema?: S
}

/**
 * Defines a plugin: the default export of its `plugin.ts`. Its handlers stand beside that file, in folders as a bot's.
 * A bot mounts it in `bot.config.ts`: `plugins: { counting: counting({ channel: 'counting' }) }`.
 */
export const plugin =
  <S extends z.ZodType = NoOptions>(made: PluginOptions<S>): Plugin<S> =>
  (...[options]) => ({ [definedAs]: 'plugin', plugin: made, options: options ?? {} })

/** `ctx.options`: in a plugin's package what its schema makes of the bot's options, elsewhere nothing. */
export type MountedOptions = Register extends { plugin: Plugin<infer S> }
  ? Readonly<z.output<S>>
  : Readonly<Record<never, never>>

export const isPluginUse = (value: unknown): value is PluginUse =>
  typeof value === 'object' && value !== null && (value as Partial<PluginUse>)[definedAs] === 'plugin'

/** The plugins of what a `bot.config.ts` exports, in their order. What is no plugin is passed over: `readConfig` tells of it. */
export function pluginsOf(config: unknown): [name: string, use: PluginUse][] {
  const plugins = (config as { plugins?: unknown } | null | undefined)?.plugins
  if (typeof plugins !== 'object' || plugins === null) return []
  return Object.entries(plugins).filter((entry): entry is [string, PluginUse] => isPluginUse(entry[1]))
}
