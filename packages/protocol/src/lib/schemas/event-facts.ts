/** The names of all event types of §6. */
export const eventTypes = [
  'message',
  'member_join',
  'member_leave',
  'reaction_add',
  'reaction_remove',
  'interaction',
  'voice_join',
  'voice_leave',
  'test',
] as const
/** A type of event (§6). */
export type EventType = (typeof eventTypes)[number]

/**
 * All fields of an event or a response, including those that the specification does not name: `raw(ctx.event)['priority']`. The service
 * may send such fields; check their types before you use them.
 */
export const raw = (received: object): Readonly<Record<string, unknown>> => received as Record<string, unknown>

/** The `args` of a command as one text, whatever form they arrived in (decisions row 4). Words of a list that contain spaces are quoted. */
export function argsText(args: unknown): string {
  if (Array.isArray(args)) return args.filter(isTyped).map(String).map(asWord).join(' ')
  return isTyped(args) ? String(args) : ''
}

/** A service that parses the arguments may send a word as a number. */
const isTyped = (part: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof part)

/** Restores the quotes that were removed when the text was split, so that the word stays one word. */
const asWord = (part: string): string =>
  part === '' || /^[^"'].*\s/s.test(part) ? `"${part.replace(/["\\]/g, '\\$&')}"` : part

/** The name in an event's `author`, whatever form it arrived in (decisions row 5). */
export function authorName(author: unknown): string {
  if (typeof author === 'string') return author
  if (typeof author !== 'object' || author === null) return ''
  const { username, display_name } = author as { username?: unknown; display_name?: unknown }
  return typeof username === 'string' ? username : typeof display_name === 'string' ? display_name : ''
}
