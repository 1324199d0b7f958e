import type { Chat } from '../chat.ts'
import type { ChannelRow, ServerRow } from '../db/rows.ts'
import { emit } from './emit.ts'
import { botsIn, canSee, findChannel, findServer, hasFlag } from './access.ts'
import { notifyChannel } from './notify.ts'

/** The ids of the people in a voice channel. */
export const voiceMembersOf = (chat: Chat, channelId: string): string[] =>
  chat.sql
    .all<{ user_id: string }>('SELECT user_id FROM voice WHERE channel_id = ? ORDER BY user_id', channelId)
    .map((row) => row.user_id)

/** The voice channel that a user is in; at most one. */
export const voiceChannelOf = (chat: Chat, userId: string): ChannelRow | undefined =>
  chat.sql.get<ChannelRow>('SELECT c.* FROM voice v JOIN channels c ON c.id = v.channel_id WHERE v.user_id = ?', userId)

/** The voice channels among the given channels, with the people in them. */
export const voiceStates = (chat: Chat, channels: readonly { id: string; type: string }[]) =>
  channels
    .filter((channel) => channel.type === 'voice')
    .map((channel) => ({ channel_id: channel.id, user_ids: voiceMembersOf(chat, channel.id) }))

function notifyVoice(chat: Chat, type: 'voice_join' | 'voice_leave', channel: ChannelRow, userId: string): void {
  const server = findServer(chat, channel.server_id!) as ServerRow
  const data = { user_id: userId, channel_id: channel.id, server_id: server.id }
  if (hasFlag(server, 'bot_voice')) emit(chat, type, data, botsIn(chat, channel))
  const seats = { channel_id: channel.id, server_id: server.id, user_ids: voiceMembersOf(chat, channel.id) }
  notifyChannel(chat, channel, 'voice', () => seats)
}

/** Removes a user from their voice channel, if any. */
export function leaveVoice(chat: Chat, userId: string): void {
  const channel = voiceChannelOf(chat, userId)
  if (!channel) return
  chat.sql.run('DELETE FROM voice WHERE user_id = ?', userId)
  notifyVoice(chat, 'voice_leave', channel, userId)
}

/** Adds a user to a voice channel; a move is a leave plus a join (§6). */
export function joinVoice(chat: Chat, channel: ChannelRow, userId: string): void {
  if (voiceChannelOf(chat, userId)?.id === channel.id) return
  leaveVoice(chat, userId)
  chat.sql.run('INSERT INTO voice (user_id, channel_id) VALUES (?, ?)', userId, channel.id)
  notifyVoice(chat, 'voice_join', channel, userId)
}

/** Removes people from a voice channel that they can no longer see. */
export function leaveUnseenVoice(chat: Chat, channelId: string): void {
  const channel = findChannel(chat, channelId)!
  for (const userId of voiceMembersOf(chat, channelId)) {
    if (!canSee(chat, channel, userId)) leaveVoice(chat, userId)
  }
}

/** Removes people from the voice channels of a server that they can no longer see. */
export function leaveUnseenVoiceOf(chat: Chat, serverId: string): void {
  const taken = chat.sql.all<{ id: string }>(
    'SELECT DISTINCT c.id FROM voice v JOIN channels c ON c.id = v.channel_id WHERE c.server_id = ?',
    serverId,
  )
  for (const { id } of taken) leaveUnseenVoice(chat, id)
}

/** Removes everyone from voice at startup, when all connections are gone (§6: a dropped connection that returns sends both events). */
export function leaveAllVoice(chat: Chat): void {
  for (const { user_id } of chat.sql.all<{ user_id: string }>('SELECT user_id FROM voice')) leaveVoice(chat, user_id)
}
