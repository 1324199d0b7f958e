import { BotwrightError } from '@botwright/protocol/facts'
import { type AddedByName, servicesOf } from '../../bot/services.ts'
import type { BotContext } from '../../author/context.ts'
import { definedAs, isDefined } from '../../author/definition.ts'
import type { Additions, ContextDefinition, MountedPlugin } from '../../author/plugins/context.ts'

/** Creates the additions of one `context.ts` from its exports (`module`). Throws `ERR_DEFINITION`. */
export function readAdditions(file: string, module: Record<string, unknown>, mounted: MountedPlugin): Additions {
  const value = module['default']
  if (!isDefined(value) || (value as { [definedAs]: string })[definedAs] !== 'context')
    throw new BotwrightError(
      'ERR_DEFINITION',
      `${file} does not define a context: write export default context((plugin) => ({ … }))`,
    )
  return (value as unknown as ContextDefinition).make(mounted as MountedPlugin<never>)
}

/** Instance fields of contexts, which would hide an addition with the same name. */
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

/** The names with a getter on the prototype. Each getter is defined once for all bots of this thread. */
const made = new Set<string>()

/** Defines getters for these names. The value is created on first access and cached on its context. */
export function addGetters(prototype: object, added: AddedByName): void {
  for (const name of added.keys()) {
    if (made.has(name)) continue
    made.add(name)
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: BotContext) {
        const value = servicesOf(this).additions?.get(name)?.(this)
        Object.defineProperty(this, name, { value, configurable: true, writable: true })
        return value
      },
    })
  }
}
