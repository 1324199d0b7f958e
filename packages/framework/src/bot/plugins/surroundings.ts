import { BotwrightError } from '@botwright/protocol/facts'
import type { AddedByName, BotServices } from '../services.ts'
import { BotContext } from '../context/bot-context.ts'
import { ButtonContext } from '../context/button-context.ts'
import { EventContext } from '../context/event-context.ts'
import { CommandContext, MessageContext } from '../context/message-context.ts'
import { importModule } from '../load-module.ts'
import type { BotHost } from '../host.ts'
import type { BotSource } from '../../link/ports.ts'
import type { PluginMount } from '../../author/entries.ts'
import { addGetters, joinAdditions, readAdditions } from './context-additions.ts'
import type { PluginData } from '../../author/plugins/plugin.ts'
import type { StateStore } from '../../author/ports.ts'

const contexts = [EventContext, MessageContext, CommandContext, ButtonContext].map((one) => one.prototype)

/** What the contexts of a bot with plugins share: for each plugin its own options, for all of them what plugins add. */
export async function pluginServices(
  around: BotServices & { additions?: AddedByName },
  source: BotSource,
  host: BotHost,
): Promise<ReadonlyMap<string, BotServices>> {
  const mounts = source.manifest.plugins ?? []
  checkMounts(mounts, host.plugins)
  const optionsOf = (name: string): unknown => host.plugins?.[name]?.options ?? {}
  const all = await Promise.all(
    mounts.flatMap(({ context, ...mount }) => (context === undefined ? [] : [additionsOf(context, mount)])),
  )
  async function additionsOf(file: string, { name, data = [] }: PluginMount) {
    const [module, values] = await Promise.all([
      importModule(file, source),
      Promise.all(data.map((one) => importModule(one.file, source))),
    ])
    const read = data.map((one, i): PluginData => ({ ...one, value: values[i]?.['default'] }))
    return {
      file,
      additions: readAdditions(file, module, {
        name,
        options: optionsOf(name),
        data: read,
        store: storeUnder(name, around.store),
        texts: around.texts,
      }),
    }
  }
  const additions = joinAdditions(all, contexts)
  addGetters(BotContext.prototype, additions)
  around.additions = additions
  return new Map(
    mounts.map(({ name }) => {
      const own = { options: { value: optionsOf(name) }, store: { value: storeUnder(name, around.store) } }
      return [name, Object.create(around, own) as BotServices]
    }),
  )
}

/** A configuration can mount other plugins than it did when the bot was built: it may read the environment. */
function checkMounts(mounts: readonly PluginMount[], configured: BotHost['plugins']): void {
  const built = mounts.map((one) => one.name)
  const named = Object.keys(configured ?? {})
  const missing = named.find((name) => !built.includes(name))
  const gone = built.find((name) => !named.includes(name))
  if (missing === undefined && gone === undefined) return
  const fact = missing === undefined ? `plugins.${gone} is gone` : `plugins.${missing} is not part of this build`
  throw new BotwrightError('ERR_CONFIG', `the bot's configuration: ${fact}; run "framework build" again`)
}

/** The part of a bot's store in which a plugin keeps its values: all its keys begin with its name, so that no other meets them. */
export function storeUnder(name: string, store: StateStore): StateStore {
  const prefix = `${name}/`
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value, options) => store.set(prefix + key, value, options),
    delete: (key, options) => store.delete(prefix + key, options),
    list: async (under, { after, limit } = {}) => {
      const found = await store.list(prefix + under, {
        ...(after !== undefined && { after: prefix + after }),
        ...(limit !== undefined && { limit }),
      })
      return found.map((one) => ({ ...one, key: one.key.slice(prefix.length) }))
    },
  }
}
