import type { SimFacts, SimMessage } from '@botwright/testing/simulation'

/** The texts of the bot by the number in them, such as `ordered 12: 3 large`. */
export function byNumber({ people, botId }: SimFacts, pattern: RegExp): Map<string, SimMessage[]> {
  const found = new Map<string, SimMessage[]>()
  for (const message of people.textsOf(botId)) {
    const number = pattern.exec(message.content)?.[1]
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), message])
  }
  return found
}

/** The rows of the bot's store. */
export function rowsOf({ disk }: SimFacts): { key: string; value: string }[] {
  const db = [...disk.files].find(([path]) => path.endsWith('state.db'))?.[1]
  return db?.prepare<{ key: string; value: string }>('SELECT key, value FROM value').all() ?? []
}

/** The values of the bot's state. */
export const values = (facts: SimFacts, part: string): { key: string; value: unknown }[] =>
  rowsOf(facts)
    .filter(({ key }) => key.includes(part))
    .map(({ key, value }) => ({ key, value: (JSON.parse(value) as { value: unknown }).value }))
