import type { Message } from '@botwright/protocol'
import { api } from './api.ts'
import * as store from './store.ts'

/** Shows an error's own text. */
export const tell = (error: unknown): void => store.toast(error instanceof Error ? error.message : String(error))

/** Runs a call; an error becomes a toast. Says whether it went well. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    tell(error)
    return false
  }
}

export async function loadServer(serverId: string): Promise<void> {
  const view = await api.server(serverId)
  store.views.value = { ...store.views.value, [serverId]: view }
}

/** Shows a server, at the given channel if it is there, else at its first text channel. */
export async function openServer(serverId: string, channelId?: string): Promise<void> {
  await loadServer(serverId)
  const texts = store.views.value[serverId]?.channels.filter((each) => each.type === 'text') ?? []
  const wanted = texts.find((each) => each.id === channelId) ?? texts[0]
  await openChannel(serverId, wanted?.id)
}

export function markRead(channelId: string): void {
  const { [channelId]: _seen, ...unread } = store.unread.value
  store.unread.value = unread
}

/** Shows a channel; `serverId` is left out for direct messages. */
export async function openChannel(serverId: string | undefined, channelId: string | undefined): Promise<void> {
  store.place.value = { serverId: serverId ?? store.place.value.serverId, channelId }
  store.drawer.value = undefined
  store.replyTo.value = undefined
  store.editing.value = undefined
  if (channelId === undefined) return
  markRead(channelId)
  if (store.complete.value[channelId] === undefined || (store.messages.value[channelId] ?? []).length === 0) {
    await loadMessages(channelId)
  }
}

/** Loads the newest messages of a channel, or those before the oldest known one. */
export async function loadMessages(channelId: string, before?: string): Promise<void> {
  const page = await api.messages(channelId, before)
  store.putAuthors(page.authors)
  store.putMessages(channelId, page.messages)
  store.complete.value = { ...store.complete.value, [channelId]: page.messages.length < 50 }
}

/** Forgets all messages but those of the open channel, which are read anew. */
export async function rereadMessages(channelId: string | undefined): Promise<void> {
  const page = channelId === undefined ? undefined : await api.messages(channelId)
  store.messages.value = {}
  store.complete.value = {}
  if (channelId === undefined || !page) return
  store.putAuthors(page.authors)
  store.putMessages(channelId, page.messages)
  store.complete.value = { [channelId]: page.messages.length < 50 }
}

export async function openDm(userId: string): Promise<void> {
  await attempt(async () => {
    const { channel_id } = await api.openDm(userId)
    if (!store.dms.value.some((each) => each.channel_id === channel_id)) store.dms.value = (await api.me()).dms
    await openChannel(undefined, channel_id)
  })
}

export const send = (channelId: string, content: string, replyTo: string | undefined): Promise<boolean> =>
  attempt(async () => {
    const message = await api.send(channelId, replyTo === undefined ? { content } : { content, reply_to: replyTo })
    store.putMessages(channelId, [message])
  })

export const edit = (message: Message, content: string): Promise<boolean> =>
  attempt(async () => {
    await api.edit(message, content)
    store.editing.value = undefined
  })

export const remove = (message: Message): Promise<boolean> => attempt(() => api.remove(message))

export const toggleReaction = (message: Message, emoji: string): Promise<boolean> => {
  const mine = message.reactions.some((each) => each.emoji === emoji && each.me)
  return attempt(() => api.react(message, emoji, !mine))
}

/** Sends a click. The stream tells what became of it; when the stream is cut, asking does (§3: 3 seconds). */
export async function click(message: Message, customId: string): Promise<void> {
  const key = store.clickKey(message.id, customId)
  store.setClick(key, 'waiting')
  try {
    const { interaction_id } = await api.click(message, customId)
    setTimeout(() => void settle(key, interaction_id), 4_000)
  } catch (error) {
    store.setClick(key, undefined)
    tell(error)
  }
}

async function settle(key: string, interactionId: string): Promise<void> {
  if (store.clicks.value[key] !== 'waiting') return
  await attempt(async () => {
    const { state } = await api.clickState(interactionId)
    store.setClick(key, state === 'answered' ? undefined : 'failed')
  })
}
