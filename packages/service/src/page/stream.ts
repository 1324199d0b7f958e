import type { Reaction } from '@botwright/protocol'
import type { StreamEvent, StreamEventType } from '../people.ts'
import { loadServer, tell } from './actions.ts'
import { api, Refused } from './api.ts'
import * as store from './store.ts'

type Handlers = { [T in StreamEventType]: (event: StreamEvent<T>) => void }

function patchServer(serverId: string | null, change: (view: (typeof store.views.value)[string]) => object): void {
  const view = store.views.value[serverId ?? '']
  if (serverId === null || !view) return
  store.views.value = { ...store.views.value, [serverId]: { ...view, ...change(view) } }
}

const reload = (serverId: string | null): void => {
  if (serverId !== null && store.views.value[serverId]) void loadServer(serverId).catch(tell)
}

function setReactions(event: { channel_id: string | null; message_id: string; reactions: Reaction[] }): void {
  const channelId = event.channel_id ?? ''
  const known = store.messages.value[channelId]?.find((each) => each.id === event.message_id)
  if (known) store.putMessages(channelId, [{ ...known, reactions: event.reactions }])
}

const handlers: Handlers = {
  message_create({ message, author }) {
    const id = message.channel_id
    store.putAuthors([author])
    const here = store.place.value.channelId === id
    if (here || store.complete.value[id] !== undefined) store.putMessages(id, [message])
    const seen = here && document.visibilityState === 'visible'
    if (seen || message.author_id === store.person.value?.id) return
    const count = (store.unread.value[id]?.count ?? 0) + 1
    store.unread.value = { ...store.unread.value, [id]: { count, serverId: message.server_id } }
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
  },
  presence({ user_id, presence }) {
    for (const serverId of Object.keys(store.views.value)) {
      patchServer(serverId, (view) => ({
        members: view.members.map((each) => (each.user_id === user_id ? { ...each, presence } : each)),
        bots: view.bots.map((each) => (each.id === user_id ? { ...each, presence } : each)),
      }))
    }
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
  member_join: ({ server_id }) => reload(server_id),
  member_leave({ server_id, user_id }) {
    if (user_id !== store.person.value?.id) return reload(server_id)
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

let source: EventSource | undefined
let retryTimer: ReturnType<typeof setTimeout> | undefined
type Listener = { reopened: () => void; gone: () => void }

/**
 * Follows the live feed until `disconnect`; tells of `reopened` after a gap, of `gone` when the session ended.
 * Resolves when the feed is open, or was refused for the first time.
 */
export function connect(token: string, on: Listener, waitMs = 500): Promise<void> {
  disconnect()
  const opened = new EventSource(`/people/v1/stream?token=${encodeURIComponent(token)}`)
  source = opened
  for (const [type, handle] of Object.entries(handlers)) {
    opened.addEventListener(type, (event: MessageEvent<string>) => handle(JSON.parse(event.data) as never))
  }
  return new Promise((settled) => {
    opened.onopen = () => {
      waitMs = 500
      if (!store.online.value) on.reopened()
      store.online.value = true
      settled()
    }
    opened.onerror = () => {
      store.online.value = false
      opened.close()
      // The browser gives up on some answers, so trying again is done here, ever more slowly.
      retryTimer = setTimeout(() => void again(token, on, Math.min(waitMs * 2, 8_000)), waitMs)
      settled()
    }
  })
}

async function again(token: string, on: Listener, waitMs: number): Promise<void> {
  try {
    await api.me()
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return on.gone()
  }
  if (store.person.value) await connect(token, on, waitMs)
}

export function disconnect(): void {
  clearTimeout(retryTimer)
  source?.close()
  source = undefined
}
