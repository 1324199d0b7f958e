import type { Message, MessageCreate } from '@botwright/protocol/shapes'
import { bodyOf, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type { BotServices } from '../services.ts'

/** The body of an ephemeral message. Where the compiler did not check, the service refuses its components. */
export const ephemeralBody = (message: OutgoingEphemeral): Pick<MessageCreate, 'content' | 'embeds'> =>
  bodyOf(message) as Pick<MessageCreate, 'content' | 'embeds'>

/** Posts a reply. If the message that it refers to was deleted meanwhile, posts it as a plain message. */
export async function postReply(
  { call }: Pick<BotServices, 'call'>,
  message: MessageCreate & { channel_id: string },
): Promise<Message> {
  try {
    return await call('messages.create', message, { priority: 'reply' })
  } catch (error) {
    const { reply_to, ...alone } = message
    if (reply_to === undefined || !isGone(error)) throw error
    return call('messages.create', alone, { priority: 'reply' })
  }
}

/** A 400 has no code of its own, only a text (§7; decisions row 34). */
function isGone(error: unknown): boolean {
  const { status, message } = error as { status?: unknown; message?: unknown }
  return status === 400 && /reply/i.test(String(message))
}
