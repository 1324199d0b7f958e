import type * as author from '../../author/context.ts'
import type { Message, MessageCreate, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import { isReplyGone } from '../../author/error-code.ts'
import { Context, ephemeralBody } from './context.ts'
import type { BotServices } from '../services.ts'
import { callOfRun, onPost, replyTo } from './bot-context.ts'

/** The context of an event that is not a click. Answers are messages. */
export class EventContext<
  D extends Record<string, unknown> = Record<string, unknown>,
  S extends author.ServerId = author.ServerId,
>
  extends Context<D, S>
  implements author.EventContext<D, S>
{
  #last: Promise<Message> | undefined
  #direct: Promise<{ channel_id: string }> | undefined

  override get kind(): 'event' | 'command' {
    return 'event'
  }

  override async reply(message: Outgoing): Promise<Message> {
    const channel_id = this.channel_id
    if (channel_id === null) throw lacks(this.envelope.type, 'channel')
    this.#last = this.#post({ channel_id, ...this[replyTo], ...bodyOf(message) })
    return this.#last
  }

  override async update(message: string | MessageEdit): Promise<Message> {
    let reply = this.#last
    while (reply) {
      const last = await reply.catch(() => undefined)
      if (last) return this.#edit(last, message)
      // A failed reply cannot be edited, but another update may have posted one meanwhile.
      reply = this.#last === reply ? undefined : this.#last
    }
    return this.reply(withoutNulls(bodyOf(message)))
  }

  #edit({ id, channel_id }: Message, message: string | MessageEdit): Promise<Message> {
    return this[callOfRun]('messages.update', { channel_id, message_id: id, ...bodyOf(message) }, { priority: 'reply' })
  }

  override async ephemeral(message: OutgoingEphemeral): Promise<Message> {
    if (this.server_id === null && this.channel_id !== null)
      return this.#post({ channel_id: this.channel_id, ...ephemeralBody(message) })
    if (this.user.id === '') throw lacks(this.envelope.type, 'user')
    const direct = (this.#direct ??= this[callOfRun]('users.dm', { user_id: this.user.id }))
    // The next attempt sends a new request.
    direct.catch(() => (this.#direct = undefined))
    return this.#post({ channel_id: (await direct).channel_id, ...ephemeralBody(message) })
  }

  override async ack(): Promise<void> {}

  protected get [replyTo](): { reply_to: string } | undefined {
    return undefined
  }

  #post(message: MessageCreate & { channel_id: string }): Promise<Message> {
    this[onPost](message.channel_id)
    return postReply({ call: this[callOfRun] }, message)
  }
}

/** Drops nulls, because a new message has nothing to remove. */
function withoutNulls({ content, embeds, components }: MessageEdit): MessageCreate {
  return { ...(content !== undefined && { content }), ...(embeds && { embeds }), ...(components && { components }) }
}

const lacks = (type: string, what: 'channel' | 'user') =>
  new BotwrightError('ERR_INVALID_REQUEST', `"${type}" has no ${what}: use ctx.send(channel_id, message)`)

/** Posts a reply. If the message that it refers to was deleted meanwhile, posts it as a plain message. */
export async function postReply(
  { call }: Pick<BotServices, 'call'>,
  message: MessageCreate & { channel_id: string },
): Promise<Message> {
  try {
    return await call('messages.create', message, { priority: 'reply' })
  } catch (error) {
    const { reply_to, ...alone } = message
    if (reply_to === undefined || !isReplyGone(error)) throw error
    return call('messages.create', alone, { priority: 'reply' })
  }
}
