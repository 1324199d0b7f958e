import { compileBot } from '@botwright/dev/compile'
import { type ConfigInput, readConfig } from '@botwright/framework'
import type { SimBot, SimFacts, SimMessage } from '@botwright/testing/simulation'

/** Compiles the bot of a folder. */
export async function compiled(
  folder: string,
  config: ConfigInput = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Pick<SimBot, 'source' | 'config'>> {
  const { source } = await compileBot(folder)
  const { provide, ...rest } = source
  for (const file of Object.keys(source.modules)) provide?.(file)
  return { source: rest, config: await readConfig(config, 'bot.config.ts', variables) }
}

type Posted = Pick<SimFacts, 'people' | 'botId'>

/** The texts of the bot by the number in them, such as `ordered 12: 3 large`. */
export function byNumber({ people, botId }: Posted, pattern: RegExp): Map<string, SimMessage[]> {
  const found = new Map<string, SimMessage[]>()
  for (const message of people.textsOf(botId)) {
    const number = pattern.exec(message.content)?.[1]
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), message])
  }
  return found
}

/** Reports the texts that the bot posted more than once, by the number in them. */
export function* postedTwice(facts: Posted, pattern: RegExp): Iterable<string> {
  for (const messages of byNumber(facts, pattern).values())
    if (messages.length > 1) yield `"${messages[0]!.content}" was posted ${messages.length} times`
}

/** The rows of the bot's store. */
export function rowsOf({ disk }: SimFacts): { key: string; value: string }[] {
  const db = [...disk.files].find(([path]) => path.endsWith('state.db'))?.[1]
  return db?.prepare<{ key: string; value: string }>('SELECT key, value FROM value').all() ?? []
}

/** `ctx.once` remembers its work for 14 days of the host's clock. */
export const forgets = ({ record }: SimFacts): boolean => record.clockSpanMs > 13 * 24 * 3_600_000

export const isReported = ({ record }: SimFacts, text: string): boolean =>
  record.lines.some((one) => one.text.includes(text))

/** The values of the bot's state. */
export const values = (facts: SimFacts, part: string): { key: string; value: unknown }[] =>
  rowsOf(facts)
    .filter(({ key }) => key.includes(part))
    .map(({ key, value }) => ({ key, value: (JSON.parse(value) as { value: unknown }).value }))

const crashes: readonly string[] = ['kill', 'kill_at_write', 'kill_at_request']
/** People who change their messages, or leave, before the bot answers. */
const changes: readonly string[] = ['edit', 'delete', 'leave']

/** Whether nothing but ends of the process has happened, none of which outlasts the events, and people have not changed their messages. */
export const onlyCrashes = ({ record, plan }: SimFacts): boolean =>
  record.incidents.every(({ incident }) => crashes.includes(incident.kind)) &&
  !record.lines.some(({ code }) => code === 'events_may_have_expired') &&
  !plan.actions.some((action) => changes.includes(action.do))
