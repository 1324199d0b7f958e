import type { Message } from '@botwright/protocol'
import { lookOf } from '@botwright/protocol/typed-text'

/** A message as a person sees it: a real one, or an ephemeral that only the clicker sees. */
export type Seen = Pick<Message, 'id' | 'channel_id' | 'author_id' | 'author' | 'content' | 'embeds' | 'created_at'> &
  Partial<Message> & {
    /** Whether only one person sees it, below the message with the button. */
    ephemeral: boolean
  }

/** A message of the bot, as it was when it arrived or changed. */
export interface Shown {
  how: 'reply' | 'update'
  message: Seen
}

/** The bot's actions after an event, as one person saw them. */
export interface BotActions {
  shown: readonly Shown[]
  reactions: readonly { emoji: string; message_id: string }[]
  deleted: readonly string[]
  /** Of a click: whether it was answered, with or without something visible. */
  click?: 'waiting' | 'answered' | 'failed'
}

/** Its buttons and links, row by row. */
export const buttonsOf = (message: Pick<Seen, 'components'>) =>
  (message.components ?? []).flatMap((row) => row.components)

/** The name of a button for those who click it. */
export const faceOf = (button: { label?: string | undefined; emoji?: string | undefined }): string =>
  [button.emoji, button.label].filter((part) => part !== undefined && part !== '').join(' ')

/** Whether a button has this name: its label, its emoji or both. */
export const isCalled = (button: { label?: string | undefined; emoji?: string | undefined }, name: string): boolean =>
  [button.label, button.emoji, faceOf(button)].some((one) => one !== undefined && lookOf(one) === lookOf(name))
