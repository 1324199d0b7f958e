import { BotwrightError } from '@botwright/protocol/facts'
import { type AddedByName, type BotServices, derivedServices } from '../../bot/services.ts'
import { BotContext } from '../../bot/context/bot-context.ts'
import { ButtonContext } from '../../bot/context/button-context.ts'
import { EventContext } from '../../bot/context/event-context.ts'
import { CommandContext, MessageContext } from '../../bot/context/message-context.ts'
import { importModule } from '../../bot/load-module.ts'
import type { BotHost } from '../../bot/host.ts'
import type { BotSource, Outbox } from '../../link/ports.ts'
import type { PluginMount } from '../../author/files/entries.ts'
import { storeOfRun } from './store-of-run.ts'
import { addGetters, joinAdditions, readAdditions } from './context-additions.ts'
import type { PluginData } from '../../author/plugins/plugin.ts'
import type { StateStore } from '../../author/ports.ts'
import { checkPlain } from '../../author/state/plain-data.ts'

const contexts = [EventContext, MessageContext, CommandContext, ButtonContext].map((one) => one.prototype)

/** The services of each plugin's contexts: its own options and store, and the additions of all plugins. */
export async function pluginServices(
  services: BotServices & { additions?: AddedByName },
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
        store: plainStore(
          name,
          storeUnder(name, () => storeOfRun.getStore() ?? services.store),
        ),
        texts: services.texts,
      }),
    }
  }
  const additions = joinAdditions(all, contexts)
  addGetters(BotContext.prototype, additions)
  services.additions = additions
  return new Map(
    mounts.map(({ name }) => {
      const { outbox, store } = services
      const own = { store: storeUnder(name, () => store), outbox: outboxUnder(name, outbox) }
      return [name, derivedServices(services, { plugin: name, options: optionsOf(name), ...own })]
    }),
  )
}

/** The configuration may mount other plugins than at build time, because it can read the environment. */
function checkMounts(mounts: readonly PluginMount[], configured: BotHost['plugins']): void {
  const built = mounts.map((one) => one.name)
  const named = Object.keys(configured ?? {})
  const missing = named.find((name) => !built.includes(name))
  const gone = built.find((name) => !named.includes(name))
  if (missing === undefined && gone === undefined) return
  const fact = missing === undefined ? `plugins.${gone} is gone` : `plugins.${missing} is not part of this build`
  throw new BotwrightError('ERR_CONFIG', `the bot's configuration: ${fact}; run "framework build" again`)
}

/** The part of the bot's store that belongs to a plugin: its name is the prefix of all keys. */
function storeUnder(name: string, store: () => StateStore): StateStore {
  const prefix = `${name}/`
  return {
    get: (key) => store().get(prefix + key),
    set: (key, value, options) => store().set(prefix + key, value, options),
    delete: (key, options) => store().delete(prefix + key, options),
    list: async (under, { after, limit } = {}) => {
      const found = await store().list(prefix + under, {
        ...(after !== undefined && { after: prefix + after }),
        ...(limit !== undefined && { limit }),
      })
      return found.map((one) => ({ ...one, key: one.key.slice(prefix.length) }))
    },
  }
}

/** The outbox of a plugin: its name is the prefix of its broadcasts' ids. */
function outboxUnder(name: string, outbox: Outbox): Outbox {
  const prefix = `${name}/`
  const { broadcasts } = outbox
  return {
    broadcasts: {
      start: (id, input) => broadcasts.start(prefix + id, input),
      next: (id, done, known) => broadcasts.next(prefix + id, done, known),
      cancel: (id) => broadcasts.cancel(prefix + id),
    },
    budget: () => outbox.budget(),
  }
}

/** The store as a plugin's `context.ts` gets it: no schema reads its values back. */
const plainStore = (name: string, store: StateStore): StateStore => ({
  ...store,
  async set(key, value, options) {
    checkPlain(value, `plugins.${name}: store.set("${key}")`, 'pass plain data')
    return store.set(key, value, options)
  },
})
