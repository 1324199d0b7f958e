import type { Message, MessageCreate } from '@botwright/protocol/shapes'
import type { BotServices } from '../services.ts'

/** Posts for a person who waits. What it was to reply to may be deleted meanwhile, by its author or by the handler itself: then it stands alone. */
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

/** The text of a 400 says what is wrong (§7; decisions row 34). */
function isGone(error: unknown): boolean {
  const { status, message } = error as { status?: unknown; message?: unknown }
  return status === 400 && /reply/i.test(String(message))
}
