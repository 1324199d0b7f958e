import { computed, signal } from '@preact/signals'
import type { Author, Channel, Message, Server } from '@botwright/protocol'
import type { Dm, Ephemeral, Person, ServerView } from '../people.ts'

/** What the page knows, as signals. Components read it; `session.ts`, `actions.ts` and `stream.ts` write it. */
export const person = signal<Person | undefined>(undefined)
export const starting = signal(true)
export const servers = signal<Server[]>([])
export const views = signal<Record<string, ServerView>>({})
export const dms = signal<Dm[]>([])

export type Place = { serverId: string | undefined; channelId: string | undefined }
export const place = signal<Place>({ serverId: undefined, channelId: undefined })

/** Messages by channel, oldest first; a channel that was never opened has none. */
export const messages = signal<Record<string, Message[]>>({})
/** Channels whose oldest message is loaded. */
export const complete = signal<Record<string, boolean>>({})
export const authors = signal<Record<string, Author>>({})
export const ephemerals = signal<Record<string, Ephemeral[]>>({})
export const unread = signal<Record<string, { count: number; serverId: string | null }>>({})
export const voice = signal<Record<string, string[]>>({})
/** What became of a click, by `clickKey`. */
export const clicks = signal<Record<string, 'waiting' | 'failed'>>({})
export const clickKey = (messageId: string, customId: string): string => `${messageId} ${customId}`

export const online = signal(true)
export const replyTo = signal<Message | undefined>(undefined)
export const editing = signal<string | undefined>(undefined)
export const drafts = signal<Record<string, string>>({})

/** On narrow screens at most one of the two panels is open; on wide ones `members` can be folded away. */
export const drawer = signal<'channels' | 'members' | undefined>(undefined)
export const membersShown = signal(true)

export type Toast = { id: number; text: string }
export const toasts = signal<Toast[]>([])

export const view = computed(() => views.value[place.value.serverId ?? ''])
export const channel = computed<Channel | undefined>(() =>
  view.value?.channels.find((each) => each.id === place.value.channelId),
)
export const dm = computed<Dm | undefined>(() => dms.value.find((each) => each.channel_id === place.value.channelId))

/** What stands in the channel: messages and the viewer's ephemerals, in order of time. */
export type Entry = { kind: 'message'; message: Message } | { kind: 'ephemeral'; message: Ephemeral }
export const entries = computed<Entry[]>(() => {
  const id = place.value.channelId ?? ''
  const shown: Entry[] = (messages.value[id] ?? []).map((message) => ({ kind: 'message', message }))
  for (const message of ephemerals.value[id] ?? []) shown.push({ kind: 'ephemeral', message })
  return shown.sort((a, b) => a.message.created_at.localeCompare(b.message.created_at))
})

let toastId = 0
/** Shows a text in the corner for some seconds. */
export function toast(text: string): void {
  const id = ++toastId
  toasts.value = [...toasts.value.filter((each) => each.text !== text), { id, text }].slice(-3)
  setTimeout(() => dismissToast(id), 7_000)
}
export const dismissToast = (id: number): void => {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}

/** Puts messages into a channel: new ones in their place, known ones replaced. */
export function putMessages(channelId: string, incoming: readonly Message[]): void {
  const byId = new Map((messages.value[channelId] ?? []).map((each) => [each.id, each]))
  for (const each of incoming) byId.set(each.id, each)
  const sorted = [...byId.values()].sort((a, b) => a.created_at.localeCompare(b.created_at))
  messages.value = { ...messages.value, [channelId]: sorted }
}
export function dropMessage(channelId: string, messageId: string): void {
  const left = (messages.value[channelId] ?? []).filter((each) => each.id !== messageId)
  messages.value = { ...messages.value, [channelId]: left }
}
export const putAuthors = (list: readonly Author[]): void => {
  authors.value = { ...authors.value, ...Object.fromEntries(list.map((each) => [each.id, each])) }
}
export function dismissEphemeral(channelId: string, id: string): void {
  const left = (ephemerals.value[channelId] ?? []).filter((each) => each.id !== id)
  ephemerals.value = { ...ephemerals.value, [channelId]: left }
}
export function setClick(key: string, state: 'waiting' | 'failed' | undefined): void {
  const { [key]: _old, ...rest } = clicks.value
  clicks.value = state === undefined ? rest : { ...rest, [key]: state }
}
