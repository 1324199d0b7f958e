import type { BotContext } from '../context.ts'
import type { StateStore } from '../ports.ts'
import type { ContextAdditions } from '../register.ts'
import type { OwnTexts } from '../texts/words.ts'
import type { PluginData } from './plugin.ts'
import { definedAs } from '../definition.ts'

/** A plugin, as its `context.ts` sees it. */
export interface MountedPlugin<O = unknown> {
  /** The name under which `bot.config.ts` mounts it. */
  readonly name: string
  readonly options: O
  /** The files that it requested by `data`. */
  readonly data: readonly PluginData[]
  /** The plugin's own store, separate from those of the bot and of other plugins. */
  readonly store: StateStore
  /** The framework's own texts: `texts.use({ languageOf, find })` chooses their language, and replaces some. */
  readonly texts: OwnTexts
}

/** Additions of a plugin to `ctx`: for each name a function that creates it when a handler first reads it. */
export type Additions = { [K in keyof ContextAdditions]?: (ctx: BotContext) => ContextAdditions[K] }

/** The result of `context(…)`: the default export of a `context.ts` beside `plugin.ts`. */
export interface ContextDefinition {
  readonly [definedAs]: 'context'
  readonly make: (mounted: MountedPlugin<never>) => Additions
}

/**
 * Defines a plugin's additions to every `ctx`: the default export of its `context.ts`. `make` runs once, when the bot loads;
 * each addition when a handler first reads it. Their types are fields of the interface `ContextAdditions`.
 */
export const context = <O = unknown>(make: (mounted: MountedPlugin<O>) => Additions): ContextDefinition => ({
  [definedAs]: 'context',
  make,
})
