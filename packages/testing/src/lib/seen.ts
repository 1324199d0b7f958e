import type { Message } from '@botwright/protocol'

/** What a person sees of a message: a real one, or an ephemeral that only the clicker sees. */
export type Seen = Pick<Message, 'id' | 'channel_id' | 'author_id' | 'author' | 'content' | 'embeds' | 'created_at'> &
  Partial<Message> & {
    /** Whether only one person sees it, below the message with the button. */
    ephemeral: boolean
  }

/** A message of the bot, as it was when it came or was changed. */
export interface Shown {
  how: 'reply' | 'update'
  message: Seen
}

/** What a bot did upon something, as one person saw it. */
export interface Deeds {
  shown: readonly Shown[]
  reactions: readonly { emoji: string; message_id: string }[]
  deleted: readonly string[]
  /** Of a click: whether it was answered, be it with nothing visible. */
  click?: 'waiting' | 'answered' | 'failed'
}

/** Its buttons and links, row by row. */
export const buttonsOf = (message: Pick<Seen, 'components'>) =>
  (message.components ?? []).flatMap((row) => row.components)

/** What a button is called by those who click it. */
export const faceOf = (button: { label?: string | undefined; emoji?: string | undefined }): string =>
  [button.emoji, button.label].filter((part) => part !== undefined && part !== '').join(' ')

/** Whether a button is called so: by its label, its emoji or both. */
export const isCalled = (button: { label?: string | undefined; emoji?: string | undefined }, name: string): boolean =>
  button.label === name || button.emoji === name || faceOf(button) === name
