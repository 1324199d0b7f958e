import type { Endpoints } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, ServerRow, UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { notFound, Refusal } from '../refusal.ts'
import { canSee, findChannel, findMember, requireAbove } from '../store/access.ts'
import { visibleChannels } from '../store/channels.ts'
import { findUser } from '../store/users.ts'
import { joinVoice, leaveVoice, voiceChannelOf, voiceStates } from '../store/voice.ts'

/** Requires a person in a voice channel that the actor can see, below the actor's highest role and not staff (§4, Voice). */
function requireInVoice(chat: Chat, server: ServerRow, actor: UserRow, userId: string): UserRow {
  const user = findUser(chat, userId)
  if (!user || !findMember(chat, server.id, user.id)) throw notFound('member')
  if (user.staff === 1) throw new Refusal(403, "not allowed: the target belongs to the service's staff")
  requireAbove(chat, server.id, actor.id, user.id)
  const seat = voiceChannelOf(chat, user.id)
  // A channel that the actor cannot see counts as not found (§7).
  if (seat?.server_id !== server.id || !canSee(chat, seat, actor.id)) {
    throw new Refusal(404, 'user_id: is not in a visible voice channel of this server')
  }
  return user
}

/** Requires a voice channel of the server that the actor can see (§4, Voice). */
function requireVoiceChannel(chat: Chat, server: ServerRow, actor: UserRow, channelId: string): ChannelRow {
  const channel = findChannel(chat, channelId)
  if (channel?.server_id !== server.id || !canSee(chat, channel, actor.id)) {
    throw new Refusal(404, 'channel_id: channel not found in this server')
  }
  if (channel.type !== 'voice') throw new Refusal(400, 'channel_id: must be a voice channel')
  return channel
}

/** Voice (§4, in testing). Bots cannot join voice channels themselves. */
export const voice: Handlers<Endpoints>['voice'] = {
  list: ({ chat, actor, server }) => ({
    voice: voiceStates(chat, visibleChannels(chat, server.id, actor.id, 'voice')),
  }),
  move({ chat, actor, server, body }) {
    const channel = requireVoiceChannel(chat, server, actor, body.channel_id)
    const user = requireInVoice(chat, server, actor, body.user_id)
    if (!canSee(chat, channel, user.id)) {
      throw new Refusal(403, 'not allowed: this person has no access to the channel')
    }
    joinVoice(chat, channel, user.id)
    return ok
  },
  disconnect({ chat, actor, server, body }) {
    leaveVoice(chat, requireInVoice(chat, server, actor, body.user_id).id)
    return ok
  },
}
