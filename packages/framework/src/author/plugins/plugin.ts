import type { EnvIssue } from '../env-schema.ts'
import { BotwrightError } from '@botwright/protocol/facts'
import { definedAs } from '../definition.ts'

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

/** A zod schema by its look, because the plugin's zod may be another copy than this package's. */
export interface OptionsSchema<Input = unknown, Output = unknown> {
  /** Carries the types; see https://standardschema.dev. */
  readonly '~standard': { readonly types?: { readonly input: Input; readonly output: Output } | undefined }
  parseAsync(value: unknown): Promise<unknown>
  safeParseAsync(value: unknown): Promise<{ success: boolean; data?: unknown; error?: { issues: readonly EnvIssue[] } }>
}

type TypesOf<S extends OptionsSchema> = NonNullable<S['~standard']['types']>
type InputOf<S extends OptionsSchema> = TypesOf<S>['input']
type OutputOf<S extends OptionsSchema> = TypesOf<S>['output']

/** What a plugin is made of, beside the files of its folder. */
export interface PluginOptions<S extends OptionsSchema> {
  /** `import.meta.url`: the folder of this file holds the plugin's `commands/`, `buttons/` and so on. */
  url: string
  /** The schema of the options with which a bot mounts it. Left out: there are none. */
  options?: S
  /** Folders whose `*.json`, of the bot and of its plugins, reach the plugin's `context.ts`. */
  data?: readonly string[]
  /** Tells what is wrong with these files. Not run in production. */
  check?(data: readonly PluginData[], options: OutputOf<S>): PluginProblem[] | Promise<PluginProblem[]>
  /** Members of the interface `Register` that these files lead to, as TypeScript. Not run in production. */
  types?(data: readonly PluginData[], options: OutputOf<S>): string | Promise<string>
}

/** A plugin with the options that a bot gives it: a value of `plugins` in `bot.config.ts`. */
export interface PluginUse {
  readonly [definedAs]: 'plugin'
  readonly plugin: PluginOptions<OptionsSchema>
  readonly options: unknown
}

type NoOptions = OptionsSchema<Record<string, never>, Record<string, never>>

/** What `ctx.options` is in the bot's own handlers. */
export const noOptions = Object.freeze({})

/** Anything with `ctx.options`: every context of a handler or a task. */
interface HasOptions {
  readonly options: unknown
}

/** What `plugin()` gives: called in `bot.config.ts` with the bot's options. */
export interface Plugin<S extends OptionsSchema = NoOptions> {
  (...options: Record<never, never> extends InputOf<S> ? [options?: InputOf<S>] : [options: InputOf<S>]): PluginUse
  /**
   * In a handler of this plugin: the options that the bot mounts it with, with their types. Throws `ERR_DEFINITION` in a handler of the
   * bot's own files, which no options reach.
   */
  options(ctx: HasOptions): Readonly<OutputOf<S>>
}

/**
 * Defines a plugin: the default export of its `plugin.ts`. Its handlers stand beside that file, in folders as a bot's.
 * A bot mounts it in `bot.config.ts`: `plugins: { counting: counting({ channel: 'counting' }) }`.
 */
export const plugin = <S extends OptionsSchema = NoOptions>(made: PluginOptions<S>): Plugin<S> =>
  Object.assign<(...given: [options?: InputOf<S>]) => PluginUse, Pick<Plugin<S>, 'options'>>(
    (options) => ({ [definedAs]: 'plugin', plugin: made, options: options ?? {} }),
    {
      options(ctx) {
        if (ctx.options === noOptions)
          throw new BotwrightError(
            'ERR_DEFINITION',
            'options(ctx) of a plugin was called in a handler of the bot itself: only the handlers in the folder of the plugin have its options',
          )
        return ctx.options as Readonly<OutputOf<S>>
      },
    },
  )

export const isPluginUse = (value: unknown): value is PluginUse =>
  typeof value === 'object' && value !== null && (value as Partial<PluginUse>)[definedAs] === 'plugin'

/** The plugins of what a `bot.config.ts` exports, in their order. What is no plugin is passed over: `readConfig` tells of it. */
export function pluginsOf(config: unknown): [name: string, use: PluginUse][] {
  const plugins = (config as { plugins?: unknown } | null | undefined)?.plugins
  if (typeof plugins !== 'object' || plugins === null) return []
  return Object.entries(plugins).filter((entry): entry is [string, PluginUse] => isPluginUse(entry[1]))
}
