import type { Message } from '@botwright/protocol'
import { PeopleError, type ServerView } from '../../people.ts'
import { api } from './api.ts'
import { draftOf, markGone, type Target, targetsOf } from './drafts.ts'
import { beginNew, markRead } from './read-marks.ts'
import { closeScreen, linkedMessage } from './route.ts'
import * as store from './store.ts'
import { attempt, showError } from './toasts.ts'

const pageSize = 50
const jumpPageSize = 100

const at = ({ channel_id, id }: { channel_id: string; id: string }) => ({ channel_id, message_id: id })

/** Reloads a server: channels, members, roles, and the commands of its bots. */
export const loadServer = (serverId: string): Promise<void> =>
  store.loadServers(api.servers.get({ server_id: serverId }), (view) => putServer(serverId, view))

function putServer(serverId: string, view: ServerView): void {
  const left = new Set(view.channels.map(({ id }) => id))
  const gone = new Set((store.views.value[serverId]?.channels ?? []).map(({ id }) => id).filter((id) => !left.has(id)))
  store.dropUnread((id) => gone.has(id))
  store.forgetChannels(gone)
  store.views.value = { ...store.views.value, [serverId]: view }
  const seen = view.members.map((each) => [each.user_id, each.presence] as const)
  store.presences.value = { ...store.presences.value, ...Object.fromEntries(seen) }
  if (view.voice) {
    const rooms = view.voice.map((each) => [each.channel_id, each.user_ids] as const)
    const none = view.channels.filter((each) => each.type === 'voice').map((each): [string, string[]] => [each.id, []])
    store.voice.value = { ...store.voice.value, ...Object.fromEntries(none), ...Object.fromEntries(rooms) }
  }
}

/** Loads the servers that were not opened yet. */
export const loadOthers = (): Promise<boolean> =>
  attempt(() => Promise.all(store.servers.value.flatMap(({ id }) => (store.views.value[id] ? [] : loadServer(id)))))

/**
 * Closes a server that the person is no longer in, if it is open. Direct messages stay open: their place has the server that was
 * open before. Returns whether nothing is open now.
 */
export function closeServer(serverId: string): boolean {
  if (store.place.value.serverId !== serverId) return false
  store.place.value = { serverId: undefined, channelId: store.dm.value?.channel_id }
  return store.place.value.channelId === undefined
}

/** Forgets a server that the person is no longer in. */
export function forgetServer(serverId: string): void {
  const { [serverId]: left, ...views } = store.views.value
  store.views.value = views
  store.servers.value = store.servers.value.filter((each) => each.id !== serverId)
  store.dropUnread((_id, marks) => marks.serverId === serverId)
  store.forgetChannels(left?.channels.map(({ id }) => id) ?? [])
  closeServer(serverId)
}

/**
 * Shows a server: the given channel if it exists, else the one open last, else the first text channel. Returns false if the person has
 * opened something else meanwhile.
 */
export async function openServer(serverId: string, channelId = lastIn.get(serverId)): Promise<boolean> {
  const isCurrent = beginNavigation()
  await loadServer(serverId)
  if (!isCurrent()) return false
  const texts = store.views.value[serverId]?.channels.filter((each) => each.type === 'text') ?? []
  const wanted = texts.find((each) => each.id === channelId) ?? texts[0]
  return openChannel(serverId, wanted?.id)
}
const lastIn = new Map<string, string>()
let navigations = 0

/** The person opens something: what loads for an earlier step is not shown. The result returns whether nothing else was opened since. */
export function beginNavigation(): () => boolean {
  const navigation = ++navigations
  return () => navigation === navigations
}

/** Shows a channel; direct messages have no `serverId`. Returns false if the person has opened something else meanwhile. */
export async function openChannel(serverId: string | undefined, channelId: string | undefined): Promise<boolean> {
  const isCurrent = beginNavigation()
  if (serverId !== undefined && channelId !== undefined) lastIn.set(serverId, channelId)
  closeScreen()
  store.drawer.value = undefined
  if (store.place.value.channelId !== channelId) {
    store.atEnd.value = true
    if (channelId !== undefined) beginNew(channelId)
  }
  store.place.value = { serverId: serverId ?? store.place.value.serverId, channelId }
  if (channelId === undefined) return true
  // The presence of the other person, and the commands of a bot, come from a server.
  if (serverId === undefined) void loadOthers()
  if (serverId !== undefined && store.views.value[serverId] === undefined) await loadServer(serverId)
  if (store.complete.value[channelId] === undefined) await loadMessages(channelId)
  if (store.place.value.channelId === channelId) markRead(channelId)
  await attempt(() => checkDraft(channelId))
  return isCurrent()
}

/** Loads the newest messages of a channel, or those before the given time. */
export function loadMessages(channelId: string, before?: string, limit = pageSize): Promise<void> {
  return store.loadInto(channelId, api.messages.list({ channel_id: channelId, limit, before }), (page) => {
    // If the list was read again meanwhile, these messages do not join it.
    if (before !== undefined && before !== store.messages.value[channelId]?.[0]?.created_at) return
    store.putAuthors(page.authors)
    store.putMessages(channelId, page.messages)
    store.complete.value = { ...store.complete.value, [channelId]: page.messages.length < limit }
  })
}

/** Clears all messages and reloads those of the open channel. */
async function rereadMessages(channelId: string | undefined): Promise<void> {
  const clear = () => {
    store.messages.value = {}
    store.complete.value = {}
  }
  if (channelId === undefined) return clear()
  await store.loadInto(channelId, api.messages.list({ channel_id: channelId, limit: pageSize }), (page) => {
    clear()
    store.putAuthors(page.authors)
    store.putMessages(channelId, page.messages)
    store.complete.value = { [channelId]: page.messages.length < pageSize }
  })
}

/** Reloads the loaded servers and the messages of the open channel, after a gap in which no events came. */
export async function reloadAll(): Promise<void> {
  const { serverId: openId } = store.place.value
  const joined = new Set(store.servers.value.map(({ id }) => id))
  const loaded = new Set([...Object.keys(store.views.value), ...(openId === undefined ? [] : [openId])])
  for (const id of loaded) if (!joined.has(id)) forgetServer(id)
  await Promise.all([...loaded].filter((id) => joined.has(id)).map(loadServer))
  const { serverId, channelId } = store.place.value
  const isGone = channelId !== undefined && !store.channel.value && !store.dm.value
  if (isGone) store.place.value = { serverId, channelId: undefined }
  await rereadMessages(store.place.value.channelId)
  if (store.place.value.channelId !== undefined) await checkDraft(store.place.value.channelId)
}

/** Marks what is being written about messages that were deleted meanwhile. They may only be older than the loaded ones. */
async function checkDraft(channelId: string): Promise<void> {
  for (const target of targetsOf(draftOf(channelId))) {
    if (store.messages.value[channelId]?.some(({ id }) => id === target.id)) continue
    try {
      await api.messages.get(at(target))
    } catch (error) {
      if (!(error instanceof PeopleError) || error.status !== 404) throw error
      markGone(({ id }) => id === target.id)
    }
  }
}

/** Scrolls to a message, however old it is, and highlights it. @throws PeopleError if there is none. */
export async function jumpTo({ channel_id, id }: { channel_id: string; id: string }): Promise<void> {
  const known = () => (store.messages.value[channel_id] ?? []).some((each) => each.id === id)
  if (!known()) {
    const target = await api.messages.get(at({ channel_id, id }))
    while (!known() && store.complete.value[channel_id] !== true) {
      const oldest = store.messages.value[channel_id]?.[0]?.created_at
      if (oldest !== undefined && oldest < target.created_at) break
      await loadMessages(channel_id, oldest, jumpPageSize)
    }
  }
  // The person may have opened another channel meanwhile.
  if (store.place.value.channelId !== channel_id) return
  linkedMessage.value = { channel_id, id }
  store.atEnd.value = false
  store.highlighted.value = undefined
  store.highlighted.value = id
}

export async function openDm(userId: string): Promise<void> {
  await attempt(async () => {
    const { channel_id } = await api.users.dm({ user_id: userId })
    if (!store.dms.value.some((each) => each.channel_id === channel_id)) store.dms.value = (await api.me.get()).dms
    await openChannel(undefined, channel_id)
  })
}

export function send(channelId: string, content: string, extra: { replyTo?: string; picture?: File }): Promise<void> {
  const request = api.messages.create({
    channel_id: channelId,
    content,
    ...(extra.replyTo !== undefined && { reply_to: extra.replyTo }),
    ...(extra.picture && { file: extra.picture }),
  })
  return store.loadInto(channelId, request, (message) => {
    // The person may have opened another channel meanwhile.
    const isOpen = store.place.value.channelId === channelId
    if (isOpen) {
      store.newSince.value = undefined
      linkedMessage.value = undefined
      store.atEnd.value = true
    }
    store.putMessages(channelId, [message])
    if (isOpen) markRead(channelId)
  })
}

export const edit = (message: Target, content: string): Promise<void> =>
  store.loadInto(message.channel_id, api.messages.update({ ...at(message), content }), (edited) =>
    store.putMessages(message.channel_id, [edited]),
  )

export const remove = (message: Message): Promise<boolean> => attempt(() => api.messages.delete(at(message)))
export const setPinned = (message: Message, pinned: boolean): Promise<boolean> =>
  attempt(() => (pinned ? api.messages.pin(at(message)) : api.messages.unpin(at(message))))

export const toggleReaction = (message: Message, emoji: string): Promise<boolean> => {
  const mine = message.reactions.some((each) => each.emoji === emoji && each.me)
  const one = { ...at(message), emoji }
  return attempt(() => (mine ? api.reactions.remove(one) : api.reactions.add(one)))
}

/** How long after a click to fetch its state if the stream has not reported it (§3: 3 seconds). */
const settleMs = 4_000

/** Sends a click. The stream reports the outcome; if the stream is down, the page fetches it. */
export async function click(message: Message, customId: string): Promise<void> {
  const key = store.clickKey(message.id, customId)
  store.setClick(key, 'waiting')
  try {
    const { interaction_id } = await api.clicks.create({ ...at(message), custom_id: customId })
    setTimeout(() => void settle(key, interaction_id), settleMs)
  } catch (error) {
    store.setClick(key, undefined)
    showError(error)
  }
}

async function settle(key: string, interactionId: string): Promise<void> {
  if (store.clicks.value[key] !== 'waiting') return
  const isKnown = await attempt(async () => {
    const { state } = await api.clicks.get({ interaction_id: interactionId })
    store.setClick(key, state === 'answered' ? undefined : 'failed')
  })
  // Otherwise the button would wait forever.
  if (!isKnown && store.clicks.value[key] === 'waiting') store.setClick(key, 'failed')
}
