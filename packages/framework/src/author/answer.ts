import type { MessageCreate } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { didYouMean } from './did-you-mean.ts'
import type { Outgoing } from './outgoing.ts'
import type { ScheduledId } from './tasks/schedule.ts'

/** A message that a handler returns. The fields that are only words are for the compiler: it tells them to whoever writes the others. */
export interface AnswerMessage extends MessageCreate {
  embed?: 'write embeds: [embed({ … })]'
  text?: 'write content'
  ephemeral?: 'write return ctx.ephemeral(…)'
}

/** A message that is there: what `ctx.reply(…)` and `ctx.send(…)` give. It is not posted again. */
export interface PostedMessage {
  id: string
  channel_id: string
}

/** What the service answers when there is nothing to tell: so a handler may end with `return ctx.api.moderation.kick(…)`. */
export interface Done {
  ok: true
}

/** What answers nobody. */
export type Nothing = PostedMessage | Done | null | undefined | void

/** Anything but a text or message that is to be told. */
export type NoMessage = Nothing | ScheduledId | number | boolean | (object & { content?: never; embeds?: never })

/** What a handler answers: a text or a message, which is the reply, or nothing. */
export type Answer = string | AnswerMessage | Nothing

/** What `run` returns: an answer, at once or later. Its name is what the compiler tells. */
export type TextOrMessageOrNothing = Answer | Promise<Answer>

const messageFields: ReadonlySet<string> = new Set(['content', 'embeds', 'components', 'reply_to'])

/** What is to be sent of what a handler returned; undefined for nothing. Throws `ERR_INVALID_REQUEST` for what is no answer. `what`: whose it is. */
export function answerOf(value: unknown, what: string): Outgoing | undefined {
  // No text is no answer.
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value !== 'object') throw refused(what, `returned ${spoken(value)}`)
  // A message that came from the service is there already.
  if (isPosted(value) || ('ok' in value && value.ok === true)) return undefined
  const { constructor } = value
  if (Array.isArray(value) || (typeof constructor === 'function' && constructor !== Object))
    throw refused(what, `returned ${Array.isArray(value) ? 'a list' : `a ${constructor.name || 'class'}`}`)
  const fields = Object.keys(value).filter((name) => (value as Record<string, unknown>)[name] !== undefined)
  const wrong = fields.find((name) => !messageFields.has(name))
  if (wrong !== undefined) throw refused(what, `returned a message with the field "${wrong}"${fixOf(wrong)}`)
  if (!fields.includes('content') && !fields.includes('embeds'))
    throw refused(what, 'returned a message without content or embeds')
  return value
}

/** Whether something was returned to be told to somebody; ids, and all else that calls give, are not. */
export const isTold = (value: unknown): boolean =>
  typeof value === 'string'
    ? value !== '' && !/^[0-9a-f]+(?:-[0-9a-f]+)+$/i.test(value)
    : typeof value === 'object' && value !== null && !isPosted(value) && ('content' in value || 'embeds' in value)

const isPosted = (value: object): boolean =>
  'id' in value && typeof value.id === 'string' && 'channel_id' in value && typeof value.channel_id === 'string'

function fixOf(field: string): string {
  if (field === 'ephemeral') return ' (write return ctx.ephemeral(…))'
  const near = field === 'text' ? 'content' : didYouMean(field, [...messageFields])
  return near === undefined ? ', which messages do not have' : ` (did you mean ${near}?)`
}

const spoken = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : `the ${typeof value} ${String(value)}`

const refused = (what: string, fact: string) =>
  new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${what} ${fact}: return a string, a message such as { content: 'x' }, or nothing`,
  )
