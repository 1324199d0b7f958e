import type { Message } from '@botwright/protocol'
import { type Answer, api } from './api.ts'
import * as store from './store.ts'

// Read state is kept in this browser: the service does not store it.
const keyOf = (personId: string): string => `botwright-read-${personId}`
const personId = (): string => store.person.value?.id ?? ''

type Newest = { channel_id: string; server_id: string | null; at: string }

/** Marks the channels with unread messages, and counts them. On the first visit everything counts as read. */
export async function startReadMarks(newest: readonly Newest[]): Promise<void> {
  saveNow()
  const forPerson = personId()
  const known = savedMarks(keyOf(personId()))
  const all = Object.fromEntries(newest.map((each) => [each.channel_id, each.at]))
  store.readUntil.value = known ?? all
  if (known === undefined) save()
  const marks: Record<string, store.Unread> = {}
  for (const { channel_id, server_id, at } of newest) {
    if (at > readUntil(channel_id)) {
      const { count = 0, mentions = 0 } = store.unread.value[channel_id] ?? {}
      marks[channel_id] = { count, mentions, newest: at, serverId: server_id }
    }
  }
  store.unread.value = marks
  if (Object.keys(marks).length === 0) return
  const since = Object.fromEntries(Object.keys(marks).map((id) => [id, readUntil(id)]))
  const { channels } = await api.me.unread({ read_until: since })
  if (personId() !== forPerson) return
  store.unread.value = { ...store.unread.value, ...counted(channels) }
  // Only own messages are new there.
  store.dropUnread((_id, { count }) => count === 0)
}

/** When a channel was read last; a channel that the person never saw counts from its beginning. */
const readUntil = (channelId: string): string => store.readUntil.value[channelId] ?? beginning
const beginning = new Date(0).toISOString()

/** The marks of the channels that are still unread; the page counts what arrived after the call. */
function counted(channels: Answer<typeof api.me.unread>['channels']): Record<string, store.Unread> {
  const marks: Record<string, store.Unread> = {}
  for (const { channel_id, messages, mentions } of channels) {
    const known = store.unread.value[channel_id]
    if (!known) continue
    const newer = { count: Math.max(messages, known.count), mentions: Math.max(mentions, known.mentions) }
    marks[channel_id] = { ...known, ...newer }
  }
  return marks
}

/** What to save soon: a flood of messages must not write to the disk for each. */
let unsaved: { key: string; marks: Record<string, string> } | undefined
const saveWaitMs = 300
function saveNow(): void {
  if (unsaved) {
    const { key, marks } = unsaved
    // Another tab of this person may have read other channels.
    const all = { ...savedMarks(key) }
    for (const [id, at] of Object.entries(marks)) if (at > (all[id] ?? '')) all[id] = at
    localStorage.setItem(key, JSON.stringify(all))
  }
  unsaved = undefined
}
function savedMarks(key: string): Record<string, string> | undefined {
  const saved = localStorage.getItem(key)
  return saved === null ? undefined : (JSON.parse(saved) as Record<string, string>)
}
function save(): void {
  const key = keyOf(personId())
  // The window may have switched to another person.
  if (unsaved && unsaved.key !== key) saveNow()
  if (!unsaved) setTimeout(saveNow, saveWaitMs)
  unsaved = { key, marks: store.readUntil.value }
}
addEventListener('pagehide', saveNow)

/** Marks the messages of a channel as read, also if it was never opened. */
export function markRead(channelId: string): void {
  const loaded = store.messages.value[channelId]?.at(-1)?.created_at ?? beginning
  const newest = store.unread.value[channelId]?.newest ?? beginning
  const last = newest > loaded ? newest : loaded
  if (last > readUntil(channelId)) {
    store.readUntil.value = { ...store.readUntil.value, [channelId]: last }
    save()
  }
  if (store.unread.value[channelId] === undefined) return
  const { [channelId]: _seen, ...rest } = store.unread.value
  store.unread.value = rest
}

/** On opening a channel, puts the "New messages" divider before what arrived since it was last read. */
export function beginNew(channelId: string): void {
  store.newSince.value = store.unread.value[channelId] ? readUntil(channelId) : undefined
}

/** Whether the user is viewing the end of this channel right now: not while a screen is on top of the chat. */
const watched = (channelId: string): boolean =>
  store.place.value.channelId === channelId &&
  store.atEnd.value &&
  document.visibilityState === 'visible' &&
  document.querySelector('.log') !== null

/** Marks the open channel as read if the user is viewing its end. */
export function markWatched(): void {
  const { channelId } = store.place.value
  if (channelId !== undefined && watched(channelId)) markRead(channelId)
}

/** Updates the read state for a new message, which is in the store already if its channel is loaded. */
export function noteArrival(message: Message): void {
  const id = message.channel_id
  if (watched(id)) return markRead(id)
  if (message.author_id === personId()) return
  if (store.place.value.channelId === id) store.newSince.value ??= readUntil(id)
  const old = store.unread.value[id]
  const mentions = (old?.mentions ?? 0) + (message.mentioned || message.server_id === null ? 1 : 0)
  const count = (old?.count ?? 0) + 1
  const marks = { count, mentions, newest: message.created_at, serverId: message.server_id }
  store.unread.value = { ...store.unread.value, [id]: marks }
}
