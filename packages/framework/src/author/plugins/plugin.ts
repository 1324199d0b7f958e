import type { EnvIssue } from '../env-schema.ts'
import { BotwrightError } from '@botwright/protocol/facts'
import { definedAs } from '../definition.ts'

/** A JSON file of the bot's or a plugin's folder that a plugin requested by `data`. */
export interface PluginData {
  /** The name of the mounted plugin that the file belongs to; `''` for a file of the bot. */
  readonly owner: string
  /** Its path without the extension: `locales/de`. */
  readonly name: string
  /** Its name in messages: `locales/de.json`. */
  readonly file: string
  readonly value: unknown
}

/** A problem in a file that a plugin checked, reported by `framework check`, `build` and `dev`. */
export interface PluginProblem {
  file: string
  text: string
}

/** A zod schema, recognized by its shape, because the plugin's zod may be another copy than this package's. */
export interface OptionsSchema<Input = unknown, Output = unknown> {
  /** Contains the types; see https://standardschema.dev. */
  readonly '~standard': { readonly types?: { readonly input: Input; readonly output: Output } | undefined }
  parseAsync(value: unknown): Promise<unknown>
  safeParseAsync(value: unknown): Promise<{ success: boolean; data?: unknown; error?: { issues: readonly EnvIssue[] } }>
}

type TypesOf<S extends OptionsSchema> = NonNullable<S['~standard']['types']>
type InputOf<S extends OptionsSchema> = TypesOf<S>['input']
type OutputOf<S extends OptionsSchema> = TypesOf<S>['output']

/** The definition of a plugin, in addition to the files of its folder. */
export interface PluginOptions<S extends OptionsSchema> {
  /** `import.meta.url`: the folder of this file holds the plugin's `commands/`, `buttons/` and so on. */
  url: string
  /** The schema of the plugin's options. Default: no options. */
  options?: S
  /** Folders whose `*.json`, of the bot and of its plugins, are passed to the plugin's `context.ts`. */
  data?: readonly string[]
  /** Returns the problems in these files. Not run in production. */
  check?(data: readonly PluginData[], options: OutputOf<S>): PluginProblem[] | Promise<PluginProblem[]>
  /** Members of the interface `Register` for these files, as TypeScript. Not run in production. */
  types?(data: readonly PluginData[], options: OutputOf<S>): string | Promise<string>
}

/** A plugin with the options that a bot gives it: a value of `plugins` in `bot.config.ts`. */
export interface PluginUse {
  readonly [definedAs]: 'plugin'
  readonly plugin: PluginOptions<OptionsSchema>
  readonly options: unknown
}

type NoOptions = OptionsSchema<Record<string, never>, Record<string, never>>

/** The value of `ctx.options` in the bot's own handlers. */
export const noOptions = Object.freeze({})

/** Anything with `ctx.options`: every context of a handler or a task. */
interface HasOptions {
  readonly options: unknown
}

/** The result of `plugin()`: called in `bot.config.ts` with the bot's options. */
export interface Plugin<S extends OptionsSchema = NoOptions> {
  (...options: Record<never, never> extends InputOf<S> ? [options?: InputOf<S>] : [options: InputOf<S>]): PluginUse
  /**
   * In a handler of this plugin: the options that the bot mounts it with, typed. Throws `ERR_DEFINITION` in a handler of the
   * bot's own files, which has no options.
   */
  options(ctx: HasOptions): Readonly<OutputOf<S>>
}

/**
 * Defines a plugin: the default export of its `plugin.ts`. Its handlers are next to that file, in the same folders as a bot's.
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

/** The plugins that a `bot.config.ts` exports, in order. Other values are ignored: `readConfig` reports them. */
export function pluginsOf(config: unknown): [name: string, use: PluginUse][] {
  const plugins = (config as { plugins?: unknown } | null | undefined)?.plugins
  if (typeof plugins !== 'object' || plugins === null) return []
  return Object.entries(plugins).filter((entry): entry is [string, PluginUse] => isPluginUse(entry[1]))
}
