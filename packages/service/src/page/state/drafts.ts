import type { Message } from '@botwright/protocol'
import { computed, effect, signal } from '@preact/signals'
import { messages, person, place } from './store.ts'

/** The message that something is written about. Only the parts that are shown: a tab has little room for drafts. */
export type Target = Pick<Message, 'id' | 'channel_id' | 'author_id' | 'author'>
const targetOf = ({ id, channel_id, author_id, author }: Message): Target => ({ id, channel_id, author_id, author })

/** A message that is being written. */
export interface Post {
  text: string
  /** The message that it answers. */
  replyTo?: Target | undefined
  /** That message was deleted meanwhile. */
  isReplyGone?: boolean | undefined
  picture?: File | undefined
}

/** A message that the person has sent. It is kept until the service confirms it. */
export interface Outgoing extends Post {
  /** Random. */
  id: string
  /** The text that was sent to the service. Until a response, the service may have the message. */
  content?: string | undefined
  /** The time of the newest message that was loaded before. */
  sentAfter?: string | undefined
}

/** The edit of an own message. */
export interface Edit {
  message: Target
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
  sending: readonly Outgoing[]
  /** Messages that the service refused while the person wrote the next one, or to which it did not respond. */
  unsent: readonly Outgoing[]
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
const joinedIds = computed(() => Object.keys(edits.value).join())
/** Their ids. They stay the same while the person types. */
export const editedIds = computed(() => joinedIds.value.split(','))

export function changeDraft(channelId: string, change: Partial<Draft>): void {
  drafts.value = { ...drafts.value, [channelId]: { ...draftOf(channelId), ...change } }
}

export const isEmpty = ({ text, replyTo, picture }: Post): boolean =>
  text.trim() === '' && replyTo === undefined && picture === undefined

/** The messages without the one with this id. */
export const without = (all: readonly Outgoing[], id: string): Outgoing[] => all.filter((each) => each.id !== id)

/** A draft without the message that is being written. */
export const nothing = { text: '', replyTo: undefined, isReplyGone: undefined, picture: undefined } satisfies Post

export const replyWith = (message: Message): void =>
  changeDraft(message.channel_id, { replyTo: targetOf(message), isReplyGone: undefined })
export const endReply = (channelId: string): void =>
  changeDraft(channelId, { replyTo: undefined, isReplyGone: undefined })

/** The edit whose input takes the focus: the person has just begun it, or goes on with it. */
export const editToFocus = signal<string | undefined>(undefined)

/** Begins the edit of a message, or goes on with it. */
export function beginEdit(message: Message, text: string): void {
  const { edits: open } = draftOf(message.channel_id)
  if (open[message.id]?.isSaving === true) return
  editToFocus.value = message.id
  const edit = open[message.id] ?? { message: targetOf(message), text }
  changeDraft(message.channel_id, { edits: { ...open, [message.id]: edit } })
}

export function changeEdit({ channel_id, id }: Target, change: Partial<Edit>): void {
  const { edits: open } = draftOf(channel_id)
  if (open[id]) changeDraft(channel_id, { edits: { ...open, [id]: { ...open[id], ...change } } })
}

export function endEdit({ channel_id, id }: Target): void {
  const { [id]: _ended, ...left } = draftOf(channel_id).edits
  changeDraft(channel_id, { edits: left })
}

/** Marks what is being written about messages that are gone: its text stays. */
export function markGone(isGone: (message: Target) => boolean): void {
  const loses = ({ replyTo, isReplyGone }: Post) => replyTo !== undefined && isReplyGone !== true && isGone(replyTo)
  const mark = (all: readonly Outgoing[]) => all.map((each) => (loses(each) ? { ...each, isReplyGone: true } : each))
  for (const [channelId, each] of Object.entries(drafts.value)) {
    const { sending, unsent } = each
    if (loses(each)) changeDraft(channelId, { isReplyGone: true })
    if ([...sending, ...unsent].some(loses)) changeDraft(channelId, { sending: mark(sending), unsent: mark(unsent) })
    for (const { message } of Object.values(each.edits)) if (isGone(message)) changeEdit(message, { isGone: true })
  }
}

/** The messages that a draft is about. */
export const targetsOf = ({ edits: open, ...rest }: Draft): Target[] => [
  ...[rest, ...rest.sending, ...rest.unsent].flatMap(({ replyTo }) => replyTo ?? []),
  ...Object.values(open).map(({ message }) => message),
]

const hasArrived = (channelId: string, { content, sentAfter = '' }: Outgoing): boolean =>
  content !== undefined &&
  (messages.value[channelId] ?? []).some(
    (each) => each.content === content && each.created_at > sentAfter && each.author_id === person.value?.id,
  )

// A message whose response was lost with the page is not offered again once the service shows it.
effect(() => {
  for (const [channelId, { unsent }] of Object.entries(drafts.value)) {
    const left = unsent.filter((each) => !hasArrived(channelId, each))
    if (left.length < unsent.length) changeDraft(channelId, { unsent: left })
  }
})
