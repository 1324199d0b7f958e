import type { PluginData } from '@botwright/framework'
import { ownPrefix, placeholdersOf, readCatalogue } from './catalogue.ts'

/** The member `texts` of the interface `Register`: each key with the values in its text. */
export function textTypes(data: readonly PluginData[], fallback: string): string {
  const texts = readCatalogue(data).get(fallback) ?? new Map<string, string>()
  const authored = [...texts].filter(([key]) => !key.startsWith(ownPrefix))
  const rows = authored.map(([key, text]) => {
    const values = placeholdersOf(text).map((name) => {
      const type = name === 'count' && typeof text !== 'string' ? 'number' : 'string | number | bigint | Date'
      return `${JSON.stringify(name)}: ${type}`
    })
    // An empty type would accept any value.
    return `  ${JSON.stringify(key)}: ${values.length === 0 ? 'Record<string, never>' : `{ ${values.join('; ')} }`}`
  })
  return `texts: {\n${rows.join('\n')}\n}`
}
