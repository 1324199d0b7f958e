import type { MessageCreate } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { didYouMean } from './did-you-mean.ts'
import type { Outgoing } from './outgoing.ts'
import type { ScheduledId } from './schedule.ts'

/** A message that a handler returns. The fields with fixed texts exist only so that the compiler suggests the correct field. */
export interface AnswerMessage extends MessageCreate {
  embed?: 'write embeds: [embed({ … })]'
  text?: 'write content'
  ephemeral?: 'write return ctx.ephemeral(…)'
}

/** A posted message: the result of `ctx.reply(…)` and `ctx.send(…)`. It is not posted again. */
export interface PostedMessage {
  id: string
  channel_id: string
}

/** The service's response without data, so that a handler may end with `return ctx.api.moderation.kick(…)`. */
export interface Done {
  ok: true
}

/** Return values that send no reply. */
export type Nothing = PostedMessage | Done | null | undefined | void

/** Anything but a text or message to send. */
export type NoMessage = Nothing | ScheduledId | number | boolean | (object & { content?: never; embeds?: never })

/** A handler's answer: a text or a message, which is the reply, or nothing. */
export type Answer = string | AnswerMessage | Nothing

/** The return value of `run`: an answer or its promise. The compiler shows the name of this type. */
export type TextOrMessageOrNothing = Answer | Promise<Answer>

const messageFields: ReadonlySet<string> = new Set(['content', 'embeds', 'components', 'reply_to'])

// The message to send for a return value; undefined for none. Throws `ERR_INVALID_REQUEST` for an invalid one. `what`: the function that returned it.
export function answerOf(value: unknown, what: string): Outgoing | undefined {
  // An empty text is not an answer.
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value !== 'object') throw refused(what, `returned ${described(value)}`)
  // A message from the service is already posted.
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

/** Whether a return value was meant as a message; ids and other results of calls are not. */
export const isMessageLike = (value: unknown): boolean =>
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

const described = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : `the ${typeof value} ${String(value)}`

const refused = (what: string, fact: string) =>
  new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${what} ${fact}: return a string, a message such as { content: 'x' }, or nothing`,
  )
