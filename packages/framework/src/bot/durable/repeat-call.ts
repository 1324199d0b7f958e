// Repeats a call whose first attempt may have taken effect before the process died.

import type { Message } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { hasCode } from '../../author/error-code.ts'

/** The recorded facts that identify a message. */
interface Posted {
  channel_id?: string
  content: string
  reply_to?: string
  ephemeral?: true
  /** The ids of its buttons. */
  buttons: string[]
}

type Body = {
  type?: string
  channel_id?: string
  content?: string
  reply_to?: string
  components?: Message['components'] | null
}

/** The facts to record with a call that posts a message; undefined for other calls. `channel_id`: the channel of a click. */
export function postedBy(name: string, input: unknown, channel_id: string | null): Posted | undefined {
  const { type, content = '', reply_to, components, ...rest } = input as Body
  const isPost = name === 'messages.create'
  if (!isPost && (name !== 'interactions.callback' || (type !== 'reply' && type !== 'ephemeral'))) return undefined
  const channel = isPost ? rest.channel_id : channel_id
  return {
    content,
    buttons: buttonsOf(components),
    ...(typeof channel === 'string' && { channel_id: channel }),
    ...(reply_to !== undefined && { reply_to }),
    ...(type === 'ephemeral' && { ephemeral: true }),
  }
}

/** The service's clock may differ from this machine's. */
const SKEW_MS = 30_000

/** The first attempt: its recorded facts, its time, and the messages that other steps of the run have posted. */
export interface Attempt {
  me: string
  posted: unknown
  atMs: number
  ownMessages: ReadonlySet<string>
}

/** Adopts the message that the first attempt has posted, or makes the call again. Calls that post nothing are repeatable. */
export async function repeatCall(
  call: Call,
  attempt: Attempt,
  [name, input, options]: [string, unknown, object | undefined],
): Promise<unknown> {
  const make = call as unknown as (name: string, input: unknown, options?: object) => Promise<unknown>
  const posted = attempt.posted as Posted | undefined
  if (!posted) return make(name, input, options)
  const isClick = name === 'interactions.callback'
  const found = await findPosted(call, attempt, posted)
  if (found) return isClick ? { message: found } : found
  try {
    return await make(name, input, options)
  } catch (error) {
    if (!isClick || !isOver(error) || posted.channel_id === undefined) throw error
    // The click accepts no more answers (§3): answer with a message.
    const { type: _type, interaction_id: _id, token: _token, ...message } = input as Record<string, unknown>
    return {
      message: await make('messages.create', { ...message, channel_id: posted.channel_id }, { priority: 'reply' }),
    }
  }
}

const isOver = (error: unknown) =>
  hasCode(error, 'ERR_INTERACTION_EXPIRED') || hasCode(error, 'ERR_INTERACTION_UNKNOWN')

async function findPosted(
  call: Call,
  { me, atMs, ownMessages }: Attempt,
  { channel_id, content, reply_to, buttons, ephemeral }: Posted,
): Promise<Message | undefined> {
  if (channel_id === undefined || ephemeral) return undefined
  const after = new Date(atMs - SKEW_MS).toISOString()
  const { messages } = await call('messages.list', { channel_id, after, limit: 100 })
  return messages.find(
    (message) =>
      message.author_id === me &&
      !ownMessages.has(message.id) &&
      message.content === content &&
      (reply_to === undefined || message.reply_to_id === reply_to) &&
      buttonsOf(message.components).join() === buttons.join(),
  )
}

const buttonsOf = (rows: Body['components']): string[] =>
  (rows ?? []).flatMap(({ components }) => components.map((one) => (one as { custom_id?: string }).custom_id ?? ''))
