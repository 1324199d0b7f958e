import type { MessageCreate } from '@botwright/protocol/shapes'

/** A message to send: its text, or its parts. */
export type Outgoing = string | MessageCreate
/** A message that only one user sees cannot have components (§4, Callback). */
export interface EphemeralMessage {
  content?: MessageCreate['content']
  embeds?: MessageCreate['embeds']
  components?: 'an ephemeral message cannot have buttons'
}
/** A message that only the clicker sees: a text, or a message without buttons. */
export type OutgoingEphemeral = string | EphemeralMessage

export const bodyOf = <T extends object>(message: string | T): T | { content: string } =>
  typeof message === 'string' ? { content: message } : message

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
