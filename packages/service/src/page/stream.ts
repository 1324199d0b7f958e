import type { Reaction } from '@botwright/protocol'
import type { StreamEvent, StreamEventType } from '../people.ts'
import { loadServer } from './actions.ts'
import { announce } from './announcer.tsx'
import { api, Refused } from './api.ts'
import { noteArrival } from './read-marks.ts'
import * as store from './store.ts'
import { tell } from './toasts.tsx'

type Handler<T extends StreamEventType> = (event: StreamEvent<T>) => void
type Handlers = { [T in StreamEventType]?: Handler<T> }

const reloads = new Map<string, ReturnType<typeof setTimeout>>()
const reloadWaitMs = 150
/** Reads a server anew, once for all the changes of a moment. */
function reload(serverId: string | null): void {
  if (serverId === null || !store.views.value[serverId] || reloads.has(serverId)) return
  const timer = setTimeout(() => {
    reloads.delete(serverId)
    if (store.views.value[serverId]) void loadServer(serverId).then(leaveLostChannel).catch(tell)
  }, reloadWaitMs)
  reloads.set(serverId, timer)
}

/** The open channel may be gone, or closed to this person. */
function leaveLostChannel(): void {
  const { serverId, channelId } = store.place.value
  const view = store.views.value[serverId ?? '']
  if (channelId === undefined || !view || store.dm.value || view.channels.some((each) => each.id === channelId)) return
  store.place.value = { serverId, channelId: undefined }
}

function setReactions(event: { channel_id: string | null; message_id: string; reactions: Reaction[] }): void {
  const channelId = event.channel_id ?? ''
  const known = store.messages.value[channelId]?.find((each) => each.id === event.message_id)
  if (known) store.putMessages(channelId, [{ ...known, reactions: event.reactions }])
}

const handlers: Handlers = {
  message_create({ message, author }) {
    const id = message.channel_id
    const open = store.place.value.channelId === id
    store.putAuthors([author])
    if (store.complete.value[id] !== undefined) store.putMessages(id, [message])
    if (!open || store.atEnd.value) store.trimMessages(id)
    if (open && message.author_id !== store.person.value?.id) announce(message)
    noteArrival(message)
  },
  message_update({ message, author }) {
    store.putAuthors([author])
    if (store.messages.value[message.channel_id]?.some((each) => each.id === message.id)) {
      store.putMessages(message.channel_id, [message])
    }
  },
  message_delete: ({ channel_id, message_id }) => store.dropMessage(channel_id ?? '', message_id),
  reaction_add: setReactions,
  reaction_remove: setReactions,
  ephemeral({ message }) {
    const list = store.ephemerals.value[message.channel_id] ?? []
    const rest = list.filter((each) => each.id !== message.id)
    store.ephemerals.value = { ...store.ephemerals.value, [message.channel_id]: [...rest, message] }
    if (store.place.value.channelId === message.channel_id) announce(message)
  },
  presence({ user_id, presence }) {
    store.presences.value = { ...store.presences.value, [user_id]: presence }
  },
  click({ message_id, custom_id, state }) {
    store.setClick(store.clickKey(message_id, custom_id), state === 'answered' ? undefined : state)
  },
  channel_create: ({ server_id }) => reload(server_id),
  channel_update: ({ server_id }) => reload(server_id),
  channel_delete: ({ server_id }) => reload(server_id),
  server_update({ server }) {
    store.servers.value = store.servers.value.map((each) => (each.id === server.id ? server : each))
    reload(server.id)
  },
  member_join: ({ server_id, member }) => {
    if (member.user_id !== store.person.value?.id) return reload(server_id)
    void api.me().then(({ servers }) => (store.servers.value = servers), tell)
  },
  member_leave({ server_id, user_id }) {
    if (user_id !== store.person.value?.id) return reload(server_id)
    const { [server_id ?? '']: _gone, ...views } = store.views.value
    store.views.value = views
    store.servers.value = store.servers.value.filter((each) => each.id !== server_id)
    if (store.place.value.serverId === server_id) store.place.value = { serverId: undefined, channelId: undefined }
  },
  voice({ channel_id, user_ids }) {
    if (channel_id !== null) store.voice.value = { ...store.voice.value, [channel_id]: user_ids }
  },
  dm_create({ channel_id, user }) {
    if (channel_id === null || store.dms.value.some((each) => each.channel_id === channel_id)) return
    store.dms.value = [...store.dms.value, { channel_id, user }]
  },
}

const others = new Map<StreamEventType, Set<(event: never) => void>>()
/** Hears of one kind of event beside what the store makes of it, for as long as the result is not called. */
export function onStream<T extends StreamEventType>(type: T, handler: Handler<T>): () => void {
  const set = others.get(type) ?? new Set()
  others.set(type, set.add(handler))
  if (source && !heard.has(type)) hear(source, type)
  return () => void set.delete(handler)
}

let source: EventSource | undefined
let heard = new Set<StreamEventType>()
let retryTimer: ReturnType<typeof setTimeout> | undefined
let noteTimer: ReturnType<typeof setTimeout> | undefined
type Listener = { reopened: () => void; gone: () => void }

function hear(opened: EventSource, type: StreamEventType): void {
  heard.add(type)
  opened.addEventListener(type, (event: MessageEvent<string>) => {
    const data = JSON.parse(event.data) as never
    handlers[type]?.(data)
    for (const handler of others.get(type) ?? []) handler(data)
  })
}

const firstWaitMs = 500
const longestWaitMs = 8_000
const restoredShownMs = 2_500

/**
 * Follows the live feed until `disconnect`; tells of `reopened` after a gap, of `gone` when the session ended.
 * Resolves when the feed is open, or was refused for the first time.
 */
export function connect(token: string, on: Listener, waitMs = firstWaitMs): Promise<void> {
  disconnect()
  const opened = new EventSource(`/people/v1/stream?token=${encodeURIComponent(token)}`)
  source = opened
  heard = new Set()
  for (const type of new Set([...Object.keys(handlers), ...others.keys()])) hear(opened, type as StreamEventType)
  return new Promise((settled) => {
    opened.onopen = () => {
      waitMs = firstWaitMs
      if (store.connection.value === 'lost') {
        store.connection.value = 'restored'
        noteTimer = setTimeout(() => (store.connection.value = 'open'), restoredShownMs)
        on.reopened()
      }
      settled()
    }
    opened.onerror = () => {
      clearTimeout(noteTimer)
      store.connection.value = 'lost'
      opened.close()
      // The browser gives up on some answers, so trying again is done here, ever more slowly.
      retryTimer = setTimeout(() => void again(token, on, Math.min(waitMs * 2, longestWaitMs)), waitMs)
      settled()
    }
  })
}

async function again(token: string, on: Listener, waitMs: number): Promise<void> {
  const asked = source
  try {
    await api.me()
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return on.gone()
  }
  // Somebody else may have taken this window meanwhile.
  if (store.person.value && source === asked) await connect(token, on, waitMs)
}

export function disconnect(): void {
  clearTimeout(retryTimer)
  source?.close()
  source = undefined
}
