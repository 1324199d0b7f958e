import type { Reaction } from '@botwright/protocol'
import type { PeopleMember, ServerView, StreamEvent, StreamEventType } from '../../people.ts'
import { forgetServer, loadMessages, loadServer, openServer } from '../state/actions.ts'
import { announce } from '../components/announcer.tsx'
import { api } from '../state/api.ts'
import { markGone } from '../state/drafts.ts'
import { dropOwnBot } from '../state/own-bots.ts'
import { addCall, addEvent } from '../state/inspector.ts'
import { noteArrival } from '../state/read-marks.ts'
import * as store from '../state/store.ts'
import { problemsChanged, replayed, timelineChanged } from '../state/timelines.ts'
import { showError } from '../state/toasts.ts'

export type Handler<T extends StreamEventType> = (event: StreamEvent<T>) => void
type Handlers = { [T in StreamEventType]?: Handler<T> }

const reloads = new Map<string, ReturnType<typeof setTimeout>>()
const reloadWaitMs = 150
/** Reloads a server, once for a burst of changes. */
function reload(serverId: string | null): void {
  if (serverId === null || !store.views.value[serverId] || reloads.has(serverId)) return
  const timer = setTimeout(() => {
    reloads.delete(serverId)
    if (store.views.value[serverId]) void loadServer(serverId).then(updateOpenChannel).catch(showError)
  }, reloadWaitMs)
  reloads.set(serverId, timer)
}

/** Leaves the open channel if it was deleted or is no longer visible to this person. Loads it again if it was hidden for a moment. */
async function updateOpenChannel(): Promise<void> {
  const { serverId, channelId } = store.place.value
  const view = store.views.value[serverId ?? '']
  if (channelId === undefined || !view || store.dm.value) return
  if (!view.channels.some((each) => each.id === channelId)) store.place.value = { serverId, channelId: undefined }
  else if (store.complete.value[channelId] === undefined) await loadMessages(channelId)
}

/** The other user of these direct messages is gone. */
function leaveDm(channelId: string | null): void {
  if (channelId === null) return
  store.dms.value = store.dms.value.filter((each) => each.channel_id !== channelId)
  if (store.place.value.channelId !== channelId) return
  store.place.value = { serverId: undefined, channelId: undefined }
  const [first] = store.servers.value
  if (first) void openServer(first.id).catch(showError)
}

function patchServer(serverId: string | null, change: (view: ServerView) => Partial<ServerView>): void {
  const view = store.views.value[serverId ?? '']
  if (serverId === null || !view) return
  store.views.value = { ...store.views.value, [serverId]: { ...view, ...change(view) } }
}

function putMember(serverId: string | null, member: PeopleMember): void {
  store.changeServers(() => {
    store.presences.value = { ...store.presences.value, [member.user_id]: member.presence }
    patchServer(serverId, ({ members }) => ({
      members: [...members.filter((each) => each.user_id !== member.user_id), member],
    }))
  })
}

function setReactions(event: { channel_id: string | null; message_id: string; reactions: Reaction[] }): void {
  const channelId = event.channel_id ?? ''
  store.changeMessages(channelId, () => {
    const known = store.messages.value[channelId]?.find((each) => each.id === event.message_id)
    if (known) store.putMessages(channelId, [{ ...known, reactions: event.reactions }])
  })
}

/** How each event changes the store. */
export const handlers: Handlers = {
  message_create({ message, author }) {
    const id = message.channel_id
    const open = store.place.value.channelId === id
    store.putAuthors([author])
    store.changeMessages(id, () => {
      if (store.complete.value[id] !== undefined) store.putMessages(id, [message])
    })
    if (!open || store.atEnd.value) store.trimMessages(id)
    if (open && message.author_id !== store.person.value?.id) announce(message)
    noteArrival(message)
  },
  message_update({ message, author }) {
    store.putAuthors([author])
    const id = message.channel_id
    store.changeMessages(id, () => {
      if (store.messages.value[id]?.some((each) => each.id === message.id)) store.putMessages(id, [message])
    })
  },
  message_delete({ channel_id, message_id }) {
    const id = channel_id ?? ''
    store.changeMessages(id, () => store.dropMessage(id, message_id))
    markGone((each) => each.id === message_id)
  },
  reaction_add: setReactions,
  reaction_remove: setReactions,
  ephemeral({ message }) {
    const list = store.ephemerals.value[message.channel_id] ?? []
    const rest = list.filter((each) => each.id !== message.id)
    store.ephemerals.value = { ...store.ephemerals.value, [message.channel_id]: [...rest, message] }
    if (store.place.value.channelId === message.channel_id) announce(message)
  },
  presence({ user_id, presence }) {
    store.changeServers(() => (store.presences.value = { ...store.presences.value, [user_id]: presence }))
  },
  click({ message_id, custom_id, state }) {
    store.setClick(store.clickKey(message_id, custom_id), state === 'answered' ? undefined : state)
  },
  channel_create: ({ server_id }) => reload(server_id),
  channel_update: ({ server_id }) => reload(server_id),
  channel_delete({ channel_id, server_id }) {
    store.dropUnread((id) => id === channel_id)
    if (channel_id !== null) store.forgetChannels([channel_id])
    if (server_id === null) leaveDm(channel_id)
    else reload(server_id)
  },
  category_create: ({ server_id }) => reload(server_id),
  category_update: ({ server_id }) => reload(server_id),
  category_delete: ({ server_id }) => reload(server_id),
  role_create: ({ server_id }) => reload(server_id),
  server_update({ server }) {
    store.changeServers(() => {
      store.servers.value = store.servers.value.map((each) => (each.id === server.id ? server : each))
    })
    reload(server.id)
  },
  member_join: ({ server_id, member }) => {
    if (member.user_id !== store.person.value?.id) return putMember(server_id, member)
    void store.loadServers(api.me.get(), ({ servers }) => (store.servers.value = servers)).catch(showError)
  },
  member_update({ server_id, member }) {
    putMember(server_id, member)
    // The person's own roles decide which channels and actions are available.
    if (member.user_id === store.person.value?.id) reload(server_id)
  },
  user_update({ user }) {
    store.putAuthors([user])
    store.dms.value = store.dms.value.map((each) => (each.user.id === user.id ? { ...each, user } : each))
    const { display_name, avatar_url } = user
    store.changeServers(() => {
      for (const id of Object.keys(store.views.value)) {
        patchServer(id, ({ members, bots }) => ({
          members: members.map((each) => (each.user_id === user.id ? { ...each, display_name, avatar_url } : each)),
          bots: bots.map((each) => (each.id === user.id ? { ...each, display_name, avatar_url } : each)),
        }))
      }
    })
    const self = store.person.value
    if (self?.id === user.id) store.person.value = { ...self, display_name, avatar_url }
  },
  user_delete({ user_id }) {
    store.changeAllMessages((channelId) => store.dropUser(channelId, user_id))
    markGone((each) => each.author_id === user_id)
    dropOwnBot(user_id)
    problemsChanged({ bot_id: user_id, serving: 'none', problems: [] })
    if (store.overlay.value?.kind === 'profile' && store.overlay.value.userId === user_id)
      store.overlay.value = undefined
  },
  bot_update({ server_id, bot }) {
    store.changeServers(() =>
      patchServer(server_id, ({ bots }) => ({ bots: [...bots.filter((each) => each.id !== bot.id), bot] })),
    )
  },
  member_leave({ server_id, user_id }) {
    if (user_id !== store.person.value?.id) return reload(server_id)
    if (server_id !== null) store.changeServers(() => forgetServer(server_id))
  },
  voice({ channel_id, user_ids }) {
    if (channel_id === null) return
    store.changeServers(() => (store.voice.value = { ...store.voice.value, [channel_id]: user_ids }))
  },
  dm_create({ channel_id, user }) {
    if (channel_id === null || store.dms.value.some((each) => each.channel_id === channel_id)) return
    store.dms.value = [...store.dms.value, { channel_id, user }]
  },
  bot_event: addEvent,
  bot_call: addCall,
  bot_timeline: timelineChanged,
  bot_problems: problemsChanged,
  bot_replay: replayed,
}
