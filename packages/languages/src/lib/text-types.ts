import type { PluginData } from '@botwright/framework'
import { readCatalogue } from './catalogue.ts'
import { type ArgumentKind, argumentsOf } from './message.ts'

const TYPES: Readonly<Record<ArgumentKind, string>> = {
  text: 'string | number | bigint',
  number: 'number',
  date: 'Date | number',
  choice: 'string',
}

/** The member `texts` of the interface `Register`: each key with the values in its text. `framework check` reports invalid texts. */
export function textTypes(data: readonly PluginData[], fallback: string): string {
  const messages = readCatalogue(data, () => {}).get(fallback)?.messages ?? []
  const rows = [...messages].map(([key, message]) => {
    const values = [...argumentsOf(message)].map(([name, kind]) => `${JSON.stringify(name)}: ${TYPES[kind]}`)
    // An empty type would accept any value.
    return `  ${JSON.stringify(key)}: ${values.length === 0 ? 'Record<string, never>' : `{ ${values.join('; ')} }`}`
  })
  return `texts: {\n${rows.join('\n')}\n}`
}
