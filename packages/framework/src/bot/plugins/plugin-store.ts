import type { StateStore } from '../../author/ports.ts'

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
