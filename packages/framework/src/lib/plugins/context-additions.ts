import { BotwrightError } from '@botwright/protocol/facts'
import { type AddedByName, type BotContext, surroundingsOf } from '../context/bot-context.ts'
import { isDefined } from '../definition.ts'
import { definedAs } from '../marks.ts'
import type { StateStore } from '../ports.ts'
import type { ContextAdditions } from '../register.ts'
import type { OwnTexts } from '../texts/words.ts'
import type { PluginData } from './plugin.ts'

/** A plugin as its `context.ts` sees it. */
export interface MountedPlugin<O = unknown> {
  /** The name under which `bot.config.ts` mounts it. */
  readonly name: string
  readonly options: O
  /** The files that it asked for by `data`. */
  readonly data: readonly PluginData[]
  /** Where it keeps its values, apart from those of the bot and of other plugins. */
  readonly store: StateStore
  /** The framework's own texts: `texts.use({ languageOf, find })` chooses their language, and replaces some. */
  readonly texts: OwnTexts
}

/** What a plugin puts on `ctx`: for each name a function that makes it, run when a handler first reads it. */
export type Additions = { [K in keyof ContextAdditions]?: (ctx: BotContext) => ContextAdditions[K] }

/** What `context(…)` gives: the default export of a `context.ts` beside `plugin.ts`. */
export interface ContextDefinition {
  readonly [definedAs]: 'context'
  readonly make: (mounted: MountedPlugin<never>) => Additions
}

/**
 * Defines what a plugin puts on every `ctx`: the default export of its `context.ts`. `make` runs once, when the bot is loaded;
 * each addition when a handler first reads it. Their types are fields of the interface `ContextAdditions`.
 */
export const context = <O = unknown>(make: (mounted: MountedPlugin<O>) => Additions): ContextDefinition => ({
  [definedAs]: 'context',
  make,
})

/** Made once for each `context.ts`. `module` is what that file exports. Throws `ERR_DEFINITION`. */
export function readAdditions(file: string, module: Record<string, unknown>, mounted: MountedPlugin): Additions {
  const value = module['default']
  if (!isDefined(value) || (value as { [definedAs]: string })[definedAs] !== 'context')
    throw new BotwrightError(
      'ERR_DEFINITION',
      `${file} does not define a context: write export default context((plugin) => ({ … }))`,
    )
  return (value as unknown as ContextDefinition).make(mounted as MountedPlugin<never>)
}

/** Instance fields: they would hide an addition of the same name. */
const fields = ['kind', 'file', 'params', 'command', 'typed', 'args']

/** Joins the additions of several plugins. Throws `ERR_CONFLICT` naming both files. */
export function joinAdditions(all: readonly { file: string; additions: Additions }[], contexts: readonly object[]) {
  const joined = new Map<string, (ctx: BotContext) => unknown>()
  const owners = new Map<string, string>()
  for (const { file, additions } of all) {
    for (const [name, make] of Object.entries(additions)) {
      const other = owners.get(name)
      if (other !== undefined)
        throw new BotwrightError('ERR_CONFLICT', `${other} and ${file} both define ctx.${name}; use only one of them`)
      if (fields.includes(name) || contexts.some((one) => name in one && !made.has(name)))
        throw new BotwrightError('ERR_CONFLICT', `${file}: ctx.${name} already exists; choose another name`)
      owners.set(name, file)
      joined.set(name, make as (ctx: BotContext) => unknown)
    }
  }
  return joined
}

/** Names that a prototype has a getter for: made once, whichever bots of this thread have a plugin that adds them. */
const made = new Set<string>()

/** Lets contexts answer to these names. The value is made when it is first read, and stays with its context. */
export function addGetters(prototype: object, added: AddedByName): void {
  for (const name of added.keys()) {
    if (made.has(name)) continue
    made.add(name)
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: BotContext) {
        const value = surroundingsOf(this).additions?.get(name)?.(this)
        Object.defineProperty(this, name, { value, configurable: true, writable: true })
        return value
      },
    })
  }
}
