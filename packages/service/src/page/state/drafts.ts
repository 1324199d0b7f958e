import type { Message } from '@botwright/protocol'
import { computed, signal } from '@preact/signals'
import { place } from './store.ts'

/** A message that is being written. */
export interface Post {
  text: string
  /** The message that it answers. */
  replyTo?: Message | undefined
  /** That message was deleted meanwhile. */
  isReplyGone?: boolean | undefined
  picture?: File | undefined
}

/** The edit of an own message. */
export interface Edit {
  message: Message
  text: string
  /** The message was deleted meanwhile. */
  isGone?: boolean
  isSaving?: boolean
  /** Why the service refused the edit. */
  refusal?: string | undefined
}

/** Everything that the person is writing in a channel. Nothing of it is lost until they send or discard it. */
export interface Draft extends Post {
  /** By the id of the message. */
  edits: Record<string, Edit>
  /** The message that is on its way to the service, and those that wait for its response. The person already writes the next one. */
  sending: readonly Post[]
  /** Messages that were not sent while the person wrote the next one. */
  unsent: readonly Post[]
  /** Why the last message was not sent. */
  refusal?: string | undefined
}

const empty: Draft = { text: '', edits: {}, sending: [], unsent: [] }

/** By channel. */
export const drafts = signal<Readonly<Record<string, Draft>>>({})

export const draftOf = (channelId: string): Draft => drafts.value[channelId] ?? empty
/** The draft of the open channel. */
export const draft = computed(() => draftOf(place.value.channelId ?? ''))
/** The messages of the open channel that are being edited. */
export const edits = computed(() => draft.value.edits)

export function changeDraft(channelId: string, change: Partial<Draft>): void {
  drafts.value = { ...drafts.value, [channelId]: { ...draftOf(channelId), ...change } }
}

export const isEmpty = ({ text, replyTo, picture }: Post): boolean =>
  text.trim() === '' && replyTo === undefined && picture === undefined

/** A draft without the message that is being written. */
export const nothing = { text: '', replyTo: undefined, isReplyGone: undefined, picture: undefined } satisfies Post

export const replyWith = (message: Message): void =>
  changeDraft(message.channel_id, { replyTo: message, isReplyGone: undefined })
export const endReply = (channelId: string): void =>
  changeDraft(channelId, { replyTo: undefined, isReplyGone: undefined })

/** The edit whose input takes the focus as soon as it is shown. */
let wantsFocus: string | undefined
/** Whether the edit of a message was just begun; true only once. */
export function takesFocus(id: string): boolean {
  const takes = wantsFocus === id
  if (takes) wantsFocus = undefined
  return takes
}

/** Begins the edit of a message, or goes on with it. */
export function beginEdit(message: Message, text: string): void {
  wantsFocus = message.id
  const { edits: open } = draftOf(message.channel_id)
  changeDraft(message.channel_id, { edits: { ...open, [message.id]: open[message.id] ?? { message, text } } })
}

export function changeEdit({ channel_id, id }: Message, change: Partial<Edit>): void {
  const { edits: open } = draftOf(channel_id)
  if (open[id]) changeDraft(channel_id, { edits: { ...open, [id]: { ...open[id], ...change } } })
}

export function endEdit({ channel_id, id }: Message): void {
  const { [id]: _ended, ...left } = draftOf(channel_id).edits
  changeDraft(channel_id, { edits: left })
}

/** Marks what is being written about messages that are gone: its text stays. */
export function markGone(isGone: (message: Message) => boolean): void {
  for (const [channelId, { replyTo, isReplyGone, edits: open }] of Object.entries(drafts.value)) {
    if (replyTo && isReplyGone !== true && isGone(replyTo)) changeDraft(channelId, { isReplyGone: true })
    for (const { message } of Object.values(open)) if (isGone(message)) changeEdit(message, { isGone: true })
  }
}
