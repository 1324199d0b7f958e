import type { Chat } from '../chat.ts'
import type { ChannelRow } from '../db/rows.ts'
import { canSee, findChannel } from './access.ts'
import { channelView, visibleChannels } from './channels.ts'
import { notifyMember } from './servers.ts'
import { notify } from './notify.ts'
import { leaveUnseenVoice, voiceChannelOf } from './voice.ts'

/** Changes a channel and notifies every page of what it sees: a change, a new channel, or a removed one. */
export function changeChannelVisibility(chat: Chat, channel: ChannelRow, change: () => void): ChannelRow {
  const listeners = chat.stream.listeners()
  const sawIt = new Set(listeners.filter((userId) => canSee(chat, channel, userId)))
  change()
  const changed = findChannel(chat, channel.id)!
  const place = { channel_id: channel.id, server_id: channel.server_id }
  const view = channelView(chat, changed)
  for (const userId of listeners) {
    const seesIt = canSee(chat, changed, userId)
    if (seesIt)
      notify(chat, userId, sawIt.has(userId) ? 'channel_update' : 'channel_create', { ...place, channel: view })
    else if (sawIt.has(userId)) notify(chat, userId, 'channel_delete', place)
  }
  leaveUnseenVoice(chat, channel.id)
  return changed
}

/** Changes the roles of a member, and notifies their pages of private channels that appear or disappear. */
export function changeMemberVisibility(chat: Chat, serverId: string, userId: string, change: () => void): void {
  const before = visibleChannels(chat, serverId, userId)
  change()
  const after = visibleChannels(chat, serverId, userId)
  for (const { id } of before.filter((channel) => !after.some((each) => each.id === channel.id))) {
    notify(chat, userId, 'channel_delete', { channel_id: id, server_id: serverId })
    if (voiceChannelOf(chat, userId)?.id === id) leaveUnseenVoice(chat, id)
  }
  for (const channel of after.filter(({ id }) => !before.some((each) => each.id === id))) {
    notify(chat, userId, 'channel_create', { channel_id: channel.id, server_id: serverId, channel })
  }
  notifyMember(chat, serverId, userId)
}
