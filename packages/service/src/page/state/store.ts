import { batch, computed, signal } from '@preact/signals'
import type { Author, Channel, Message, Server } from '@botwright/protocol'
import type { Dm, Ephemeral, Person, Presence, ServerView } from '../../people.ts'

/** The state of the page, as signals. Components read it; `session.ts`, `actions.ts` and `stream.ts` write it. */
export const person = signal<Person | undefined>(undefined)
export const starting = signal(true)
export const servers = signal<Server[]>([])
export const views = signal<Record<string, ServerView>>({})
export const dms = signal<Dm[]>([])
/** Presence is separate from the views, so that a bot going on- and offline does not re-render every message. */
export const presences = signal<Record<string, Presence>>({})
/** Hosts that pictures may come from (§2, Embed), besides the service itself. */
export const pictureHosts = signal<readonly string[]>([])

export type Place = { serverId: string | undefined; channelId: string | undefined }
export const place = signal<Place>({ serverId: undefined, channelId: undefined })

/** Messages by channel, oldest first; empty for a channel that was never opened. */
export const messages = signal<Record<string, Message[]>>({})
/** Whether the oldest message of a channel is loaded; absent until the channel is loaded. */
export const complete = signal<Record<string, boolean>>({})
export const authors = signal<Record<string, Author>>({})
export const ephemerals = signal<Record<string, Ephemeral[]>>({})
export const voice = signal<Record<string, string[]>>({})
/** The state of each click, by `clickKey`. */
export const clicks = signal<Record<string, 'waiting' | 'failed'>>({})
export const clickKey = (messageId: string, customId: string): string => `${messageId} ${customId}`

/** `newest`: the time of the newest message. */
export type Unread = { count: number; mentions: number; newest: string; serverId: string | null }
export const unread = signal<Record<string, Unread>>({})

/** Forgets the unread messages of channels that are gone for this person. */
export function dropUnread(isGone: (channelId: string, marks: Unread) => boolean): void {
  const all = Object.entries(unread.value)
  const left = all.filter(([id, marks]) => !isGone(id, marks))
  if (left.length < all.length) unread.value = Object.fromEntries(left)
}

/** Time of the newest read message, by channel. */
export const readUntil = signal<Record<string, string>>({})
/** Messages of the open channel after this time are below the "New messages" divider. */
export const newSince = signal<string | undefined>(undefined)
/** Whether the open channel is scrolled to its end, where new messages appear. */
export const atEnd = signal(true)

export const connection = signal<'open' | 'lost' | 'restored'>('open')
/** Whether events arrive. Changes of a time without them are not known: what was requested must be requested again. */
export const isOnline = computed(() => connection.value !== 'lost')
/** The target of a jump: it is highlighted for a moment. */
export const highlighted = signal<string | undefined>(undefined)

/** When the wait for the next message began, by channel with slowmode, in milliseconds of the service's clock. */
export const slowSince = signal<Record<string, number>>({})

/** On narrow screens at most one of the two panels is open; on wide ones `members` can be hidden. */
export const drawer = signal<'channels' | 'members' | undefined>(undefined)
export const membersShown = signal(true)
/** Whether the search in messages is open, on a wide screen. */
export const searching = signal(false)
/** The dialog on top of the chat. */
export type Overlay =
  | { kind: 'switcher' }
  | { kind: 'shortcuts' }
  | { kind: 'add-server' }
  | { kind: 'profile'; userId: string }
  | { kind: 'save-test'; from: Message | undefined }
export const overlay = signal<Overlay | undefined>(undefined)

export const view = computed(() => views.value[place.value.serverId ?? ''])
export const dm = computed<Dm | undefined>(() => dms.value.find((each) => each.channel_id === place.value.channelId))
export const channel = computed<Channel | undefined>(() =>
  view.value?.channels.find((each) => each.id === place.value.channelId),
)

/** The entries of the open channel: messages and the viewer's ephemerals, in order of time. */
export type Entry = { kind: 'message'; message: Message } | { kind: 'ephemeral'; message: Ephemeral }
export const entries = computed<Entry[]>(() => {
  const id = place.value.channelId ?? ''
  const shown: Entry[] = (messages.value[id] ?? []).map((message) => ({ kind: 'message', message }))
  const own = ephemerals.value[id] ?? []
  if (own.length === 0) return shown
  for (const message of own) shown.push({ kind: 'ephemeral', message })
  return shown.sort((a, b) => compareTimes(a.message.created_at, b.message.created_at))
})

/** ISO times in UTC sort as strings. */
const compareTimes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Adds messages to a channel, in order, and replaces known ones. */
export function putMessages(channelId: string, incoming: readonly Message[]): void {
  const loaded = messages.value[channelId] ?? []
  const [only] = incoming
  // Most events append one message or change one: no need to sort thousands again.
  if (only && incoming.length === 1) {
    const index = loaded.findLastIndex((each) => each.id === only.id)
    const newest = loaded.at(-1)
    if (index >= 0 || newest === undefined || only.created_at > newest.created_at) {
      const changed = index < 0 ? [...loaded, only] : loaded.with(index, only)
      messages.value = { ...messages.value, [channelId]: changed }
      return
    }
  }
  const byId = new Map(loaded.map((each) => [each.id, each]))
  for (const each of incoming) byId.set(each.id, each)
  const sorted = [...byId.values()].sort((a, b) => compareTimes(a.created_at, b.created_at))
  messages.value = { ...messages.value, [channelId]: sorted }
}

type Load = { channelId: string; changes: (() => void)[] }
/** The requests for messages that wait for a response. */
const loads = new Set<Load>()

/** Changes the messages of a channel, and again after each load that is under way: the response may be older. */
export function changeMessages(channelId: string, change: () => void): void {
  change()
  for (const load of loads) if (load.channelId === channelId) load.changes.push(change)
}

/** The same in every channel that is loaded, or is being loaded. */
export function changeAllMessages(change: (channelId: string) => void): void {
  const channelIds = [...Object.keys(messages.value), ...[...loads].map(({ channelId }) => channelId)]
  for (const channelId of new Set(channelIds)) changeMessages(channelId, () => change(channelId))
}

/** The changes since each request for servers that waits for a response. */
const serverLoads = new Set<(() => void)[]>()

/** Changes servers, their members or their presences, and again after each load that is under way: the response may be older. */
export function changeServers(change: () => void): void {
  change()
  for (const changes of serverLoads) changes.push(change)
}

/** Puts requested servers into the store, and on top of them the changes since the request. */
export async function loadServers<T>(request: Promise<T>, put: (loaded: T) => void): Promise<void> {
  const changes: (() => void)[] = []
  serverLoads.add(changes)
  try {
    const loaded = await request
    batch(() => {
      put(loaded)
      for (const change of changes) change()
    })
  } finally {
    serverLoads.delete(changes)
  }
}

/** Puts requested messages of a channel into the store, and on top of them the changes since the request. */
export async function loadInto<T>(channelId: string, request: Promise<T>, put: (loaded: T) => void): Promise<void> {
  const load: Load = { channelId, changes: [] }
  loads.add(load)
  try {
    const loaded = await request
    batch(() => {
      put(loaded)
      for (const change of load.changes) change()
    })
  } finally {
    loads.delete(load)
  }
}

const without = <T>(all: Record<string, T>, id: string): Record<string, T> => {
  const { [id]: _gone, ...rest } = all
  return rest
}
/** Forgets channels that are gone for this person: no event reports what others write there in the meantime, or who is in voice. */
export function forgetChannels(channelIds: Iterable<string>): void {
  for (const id of channelIds) {
    voice.value = without(voice.value, id)
    changeMessages(id, () => {
      messages.value = without(messages.value, id)
      complete.value = without(complete.value, id)
    })
  }
}

const keptMessages = 300
/** Drops the oldest messages of a channel, because a page stays open all day. Scrolling up loads them again. */
export function trimMessages(channelId: string): void {
  const known = messages.value[channelId] ?? []
  // Older messages that are being loaded must join the oldest one.
  if (known.length <= keptMessages * 2 || [...loads].some((load) => load.channelId === channelId)) return
  messages.value = { ...messages.value, [channelId]: known.slice(-keptMessages) }
  complete.value = { ...complete.value, [channelId]: false }
}

export function dropMessage(channelId: string, messageId: string): void {
  const left = (messages.value[channelId] ?? []).filter((each) => each.id !== messageId)
  messages.value = { ...messages.value, [channelId]: left }
}
/** Drops the messages of a user in a channel, and their reactions to those of others. */
export function dropUser(channelId: string, userId: string): void {
  const without = ({ reactions, ...message }: Message): Message => ({
    ...message,
    reactions: reactions.flatMap((each) => {
      const user_ids = each.user_ids.filter((id) => id !== userId)
      return user_ids.length === each.user_ids.length
        ? each
        : user_ids.length === 0
          ? []
          : { ...each, user_ids, count: user_ids.length }
    }),
  })
  const left = (messages.value[channelId] ?? []).filter((each) => each.author_id !== userId)
  messages.value = { ...messages.value, [channelId]: left.map(without) }
  const own = (ephemerals.value[channelId] ?? []).filter((each) => each.author_id !== userId)
  ephemerals.value = { ...ephemerals.value, [channelId]: own }
}
export const putAuthors = (list: readonly Author[]): void => {
  const changed = list.filter((each) => JSON.stringify(authors.value[each.id]) !== JSON.stringify(each))
  if (changed.length === 0) return
  authors.value = { ...authors.value, ...Object.fromEntries(changed.map((each) => [each.id, each])) }
}
export function dismissEphemeral(channelId: string, id: string): void {
  const left = (ephemerals.value[channelId] ?? []).filter((each) => each.id !== id)
  ephemerals.value = { ...ephemerals.value, [channelId]: left }
}
export function setClick(key: string, state: 'waiting' | 'failed' | undefined): void {
  const { [key]: _old, ...rest } = clicks.value
  clicks.value = state === undefined ? rest : { ...rest, [key]: state }
}

/** Clears everything before the window switches to another person. */
export function clearStore(): void {
  person.value = undefined
  servers.value = []
  dms.value = []
  views.value = {}
  presences.value = {}
  messages.value = {}
  complete.value = {}
  ephemerals.value = {}
  voice.value = {}
  clicks.value = {}
  unread.value = {}
  readUntil.value = {}
  newSince.value = undefined
  overlay.value = undefined
  slowSince.value = {}
  place.value = { serverId: undefined, channelId: undefined }
}
