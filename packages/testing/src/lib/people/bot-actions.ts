import type { Message } from '@botwright/protocol'
import type { PersonEvent } from '@botwright/service'
import type { BotActions, Seen, Shown } from './seen.ts'

/**
 * Reads the bot's actions from the events that a person received. `about`: the message or click that the bot answered; `removed`: the
 * messages that people deleted.
 */
export function actionsOf(
  told: readonly PersonEvent[],
  {
    botId,
    userId,
    about,
    removed,
  }: { botId: string; userId: string; about: string | undefined; removed: ReadonlySet<string> },
): BotActions {
  const shown: Shown[] = []
  const reactions: { emoji: string; message_id: string }[] = []
  const deleted: string[] = []
  /** Actions of others in the meantime: replies to those do not count. */
  const others = new Set<string>()
  let click: BotActions['click']
  for (const { type, data } of told) {
    if (type === 'message_create') {
      const { message } = data
      if (message.author_id !== botId) {
        if (message.author_id !== userId) others.add(message.id)
      } else if (!others.has(message.reply_to_id ?? '')) shown.push({ how: 'reply', message: seen(message) })
    } else if (type === 'message_update') {
      if (data.message.author_id === botId) shown.push({ how: 'update', message: seen(data.message) })
    } else if (type === 'ephemeral') {
      shown.push({ how: 'reply', message: { ...data.message, server_id: data.server_id, ephemeral: true } })
    } else if (type === 'reaction_add') {
      if (data.user_id === botId) reactions.push({ emoji: data.emoji, message_id: data.message_id })
    } else if (type === 'message_delete') {
      if (!removed.has(data.message_id)) deleted.push(data.message_id)
    } else if (type === 'click' && data.interaction_id === about) {
      click = data.state
    }
  }
  return { shown, reactions, deleted, ...(click && { click }) }
}

export const seen = (message: Message): Seen => ({ ...message, ephemeral: false })
