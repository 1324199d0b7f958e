import type { Endpoints } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, ServerRow, UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../handlers.ts'
import { notFound, Refusal } from '../refusal.ts'
import { canSee, findChannel, findMember, requireAbove } from '../store/access.ts'
import { visibleChannels } from '../store/channels.ts'
import { findUser } from '../store/users.ts'
import { joinVoice, leaveVoice, seatOf, voiceStates } from '../store/voice.ts'

/** A person who sits where the actor sees it; whom the actor stands above, and none of the service's staff (§4, Voice). */
function requireSeated(chat: Chat, server: ServerRow, actor: UserRow, userId: string): UserRow {
  const user = findUser(chat, userId)
  if (!user || !findMember(chat, server.id, user.id)) throw notFound('member')
  if (user.staff === 1) throw new Refusal(403, "not allowed: nobody acts on the service's staff")
  requireAbove(chat, server.id, actor.id, user.id)
  const seat = seatOf(chat, user.id)
  // One who sits where the actor does not look sits nowhere (§7: 404 for what is not visible).
  if (seat?.server_id !== server.id || !canSee(chat, seat, actor.id)) {
    throw new Refusal(404, 'user_id: is in no voice channel of this server that is visible here')
  }
  return user
}

/** The voice channel into which somebody is moved: seen by the actor, and open to the person (§4, Voice). */
function requireRoom(chat: Chat, server: ServerRow, actor: UserRow, channelId: string): ChannelRow {
  const channel = findChannel(chat, channelId)
  if (channel?.server_id !== server.id || !canSee(chat, channel, actor.id)) {
    throw new Refusal(404, 'channel_id: channel not found in this server')
  }
  if (channel.type !== 'voice') throw new Refusal(400, 'channel_id: must be a voice channel')
  return channel
}

/** Voice (§4, in testing). Bots do not join calls themselves. */
export const voice: Handlers<Endpoints>['voice'] = {
  list: ({ chat, actor, server }) => ({
    voice: voiceStates(chat, visibleChannels(chat, server.id, actor.id, 'voice')),
  }),
  move({ chat, actor, server, body }) {
    const channel = requireRoom(chat, server, actor, body.channel_id)
    const user = requireSeated(chat, server, actor, body.user_id)
    if (!canSee(chat, channel, user.id)) {
      throw new Refusal(403, 'not allowed: this person may not enter the channel')
    }
    joinVoice(chat, channel, user.id)
    return ok
  },
  disconnect({ chat, actor, server, body }) {
    leaveVoice(chat, requireSeated(chat, server, actor, body.user_id).id)
    return ok
  },
}
