// Makes the calls of steps. A call may have taken effect although no response arrived, or the process died before it: then it is repeated.

import { type Clock, sleep } from '@botwright/clock'
import { BotwrightError, routes } from '@botwright/protocol/facts'
import type { Message } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { hasCode } from '../../../author/error-code.ts'

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
export const SKEW_MS = 30_000

/** The recorded facts of a call, and the messages that belong to other steps. */
export interface Attempt {
  me: string
  clock: Clock
  posted: unknown
  /** When the step was issued, by the clock of this host, which may be wrong. */
  atMs: number
  /** A time of the service before that: of what the run received last. */
  sinceMs: number
  /** The messages of other steps of the run. */
  ownMessages: ReadonlySet<string>
  /** Whether the message with this id belongs to this step, and not to one of another run. */
  claims: (id: string) => Promise<boolean>
  /** Finds a message that an earlier attempt may have made, and that quiet hours hold. */
  held: (channel_id: string, isSame: (message: Message) => Promise<boolean>) => Promise<Message | undefined>
  /** The id in the channel of a message that was held; undefined for others. */
  sentId: (id: string) => Promise<string | undefined>
  /** Called with the id of the message that was posted. */
  made: (id: string) => void
}

type Made = [name: string, input: unknown, options: object | undefined]

/** How often a call is made whose outcome stays unknown. */
const TRIES = 3
/** By then, a call whose response got lost has taken effect, if ever. */
const LOST_MS = 1000
/** Nothing shows whether such a call has taken effect, and a second one would do it twice. */
const once: ReadonlySet<string> = new Set(['channels.create', 'categories.create'])

/** Makes a call until its outcome is known. `repeats`: a former process may have made it. */
export async function makeCall(call: Call, attempt: Attempt, made: Made, repeats: boolean): Promise<unknown> {
  const [name, input, options] = made
  for (let tries = 1; ; tries++) {
    try {
      const result =
        repeats || tries > 1 ? await repeatCall(call, attempt, made) : await plain(call)(name, input, options)
      const id = attempt.posted ? idOf(result) : undefined
      if (id !== undefined) attempt.made(id)
      return result
    } catch (error) {
      if (!hasCode(error, 'ERR_UNKNOWN_OUTCOME') || once.has(name) || tries === TRIES) throw error
      await sleep(attempt.clock, LOST_MS)
    }
  }
}

const plain = (call: Call) => call as unknown as (name: string, input: unknown, options?: object) => Promise<unknown>

/** The id of the message in the response of a call that posts one. */
function idOf(result: unknown): string | undefined {
  const { id, message } = result as { id?: unknown; message?: { id?: unknown } | null }
  const found = message?.id ?? id
  return typeof found === 'string' ? found : undefined
}

/** Adopts the message that the first attempt has posted, or makes the call again. Calls that post nothing are repeatable. */
async function repeatCall(call: Call, attempt: Attempt, [name, input, options]: Made): Promise<unknown> {
  if (once.has(name)) throw unknownOutcome(name, 'the process ended during this call')
  const make = plain(call)
  const posted = attempt.posted as Posted | undefined
  if (!posted) return make(name, input, options).catch((error: unknown) => orRemoved(name, error))
  const isClick = name === 'interactions.callback'
  const found = await findPosted(call, attempt, posted).catch((cause: unknown) => {
    if (!hasCode(cause, 'ERR_NO_ANSWER')) throw cause
    throw unknownOutcome(name, `its message cannot be looked up (${cause.message})`, cause)
  })
  if (found) return isClick ? { message: found } : found
  try {
    return await make(name, input, options)
  } catch (error) {
    const { type, interaction_id: _id, token: _token, ...message } = input as Record<string, unknown>
    if (!isClick || type === 'ephemeral' || !isOver(error) || posted.channel_id === undefined) throw error
    // The click has expired since (§3): answer with a message.
    return {
      message: await make('messages.create', { ...message, channel_id: posted.channel_id }, { priority: 'reply' }),
    }
  }
}

/** They remove a person from a server or from its voice channels. */
const removing: ReadonlySet<string> = new Set(['moderation.kick', 'voice.disconnect'])

/** The result of a removal that finds nothing: an earlier attempt may have done it. */
function orRemoved(name: string, error: unknown): unknown {
  const removes = removing.has(name) || routes[name as keyof typeof routes].method === 'DELETE'
  if (removes && (error as { status?: number }).status === 404) return { ok: true }
  throw error
}

const isOver = (error: unknown) => hasCode(error, 'ERR_INTERACTION_EXPIRED', 'ERR_INTERACTION_UNKNOWN')

const unknownOutcome = (name: string, fact: string, cause?: unknown): BotwrightError =>
  new BotwrightError(
    'ERR_UNKNOWN_OUTCOME',
    `${name}: ${fact}. It may or may not have taken effect, and repeating it could do it twice; check before you repeat it`,
    { cause },
  )

/** The size of a page of messages (§8), and how many are read. */
const PAGE = 100
const PAGES = 10

async function findPosted(
  call: Call,
  { me, atMs, sinceMs, ownMessages, claims, held, sentId }: Attempt,
  { channel_id, content, reply_to, buttons, ephemeral }: Posted,
): Promise<Message | undefined> {
  if (channel_id === undefined || ephemeral) return undefined
  // An answer to a message that was held has its id in the channel since.
  const replies = [reply_to, reply_to === undefined ? undefined : await sentId(reply_to)]
  const isPosted = (message: Message) =>
    message.author_id === me &&
    !ownMessages.has(message.id) &&
    message.content === content &&
    (reply_to === undefined || replies.includes(message.reply_to_id ?? undefined)) &&
    buttonsOf(message.components).join() === buttons.join()
  const isOwn = async (message: Message) => isPosted(message) && (await claims(message.id))
  const heldMessage = await held(channel_id, isOwn)
  if (heldMessage) return heldMessage
  const isSure = sinceMs >= atMs - SKEW_MS
  // The clocks of two channels may differ, too.
  const firstMs = sinceMs - SKEW_MS
  let after = new Date(isSure ? firstMs : atMs - SKEW_MS).toISOString()
  for (let page = 1; page <= PAGES; page++) {
    const { messages } = await call('messages.list', { channel_id, after, limit: PAGE })
    for (const message of messages) if (await isOwn(message)) return message
    const last = messages.at(-1)?.created_at
    if (messages.length < PAGE || last === undefined || last === after) break
    after = last
  }
  if (isSure) return undefined
  // The clock of the host may have been ahead: the newest messages, back to the time that is sure.
  let before: string | undefined
  for (let page = 1; page <= PAGES; page++) {
    const { messages } = await call('messages.list', {
      channel_id,
      limit: PAGE,
      ...(before !== undefined && { before }),
    })
    for (const message of messages)
      if (Date.parse(message.created_at) >= firstMs && (await isOwn(message))) return message
    const oldest = messages[0]?.created_at
    if (messages.length < PAGE || oldest === undefined || oldest === before || Date.parse(oldest) < firstMs)
      return undefined
    before = oldest
  }
  return undefined
}

const buttonsOf = (rows: Body['components']): string[] =>
  (rows ?? []).flatMap(({ components }) => components.map((one) => (one as { custom_id?: string }).custom_id ?? ''))
