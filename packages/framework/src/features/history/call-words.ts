import { printableLine, routes, shortened } from '@botwright/protocol/facts'
import { zonedTime } from './local-time.ts'
import type { RecordedCall } from './recorded-event.ts'

const LONGEST = 200
/** Of all texts of a call together. */
const LONGEST_CALL = 2000

/** A call in words, in one line: `reply “pong” [Yes] [No]`. */
export function answerWords({ name, input, code, error, held_until }: RecordedCall): string {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const words = shortened(verb(name, fields), LONGEST_CALL)
  if (held_until !== undefined) return `${words} (held until ${zonedTime(Date.parse(held_until))}: quiet hours)`
  if (code === undefined) return words
  // The message of an error begins with the endpoint, which the words name already.
  const reason = error?.startsWith(`${name}: `) ? error.slice(name.length + 2) : (error ?? '')
  return `${words.trimEnd()} failed: ${code} ${short(reason)}`.trimEnd()
}

/** Whether an endpoint only reads. */
export const isRead = (name: string): boolean =>
  (routes as Readonly<Record<string, { method: string } | undefined>>)[name]?.method === 'GET'

/** Calls with a visible effect: reads are left out. */
export const answersOf = (calls: readonly RecordedCall[]): RecordedCall[] => calls.filter(({ name }) => !isRead(name))

function verb(name: string, input: Record<string, unknown>): string {
  switch (name) {
    case 'messages.create':
      return `${input['reply_to'] === undefined ? 'send' : 'reply'} ${message(input)}`
    case 'messages.update':
      return `edit ${message(input) || (input['components'] === null ? 'without buttons' : '')}`.trimEnd()
    case 'interactions.callback':
      return `${String(input['type'])} ${message(input)}`.trimEnd()
    case 'reactions.add':
      return `react ${String(input['emoji'])}`
    case 'reactions.remove':
      return `take back ${String(input['emoji'])}`
    case 'users.dm':
      return 'open direct messages'
    default: {
      const rest = Object.entries(input).filter(([key]) => !/_id$/.test(key))
      return rest.length === 0 ? name : `${name} ${short(JSON.stringify(Object.fromEntries(rest)))}`
    }
  }
}

function message({ content, embeds, components }: Record<string, unknown>): string {
  const parts: string[] = []
  if (typeof content === 'string' && content !== '') parts.push(`“${short(content)}”`)
  for (const embed of listOf(embeds))
    parts.push(['embed', ...embedTexts(embed).map((one) => `“${short(one)}”`)].join(' '))
  for (const row of listOf(components))
    for (const { label, emoji } of listOf(row['components'])) parts.push(`[${textOf(label ?? emoji)}]`)
  return parts.join(' ')
}

/** The texts of an embed, in the order in which people read them; a field is `Yes: 3`. */
export function embedTexts({ author, title, description, fields, footer }: Record<string, unknown>): string[] {
  const pairs = listOf(fields).map(({ name, value }) => `${String(name)}: ${String(value)}`)
  const texts = [objectOf(author)['name'], title, description, ...pairs, objectOf(footer)['text']]
  return texts.filter((one): one is string => typeof one === 'string' && one !== '')
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value)
    ? value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
    : []

/** A text of limited length in one line. Line breaks and control characters would break a line, or control the terminal. */
export const short = (text: string, most = LONGEST): string => {
  return shortened(printableLine(text.trim().replaceAll(/\s+/g, ' ')), most)
}
