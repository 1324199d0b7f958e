import { categories, channels as botChannels } from '../bot-routes/channels.ts'
import { pictures } from '../bot-routes/me.ts'
import { reactions } from '../bot-routes/messages.ts'
import { moderation } from '../bot-routes/moderation.ts'
import { users } from '../bot-routes/users.ts'
import { click, clickView } from '../store/clicks.ts'
import type { Chat } from '../chat.ts'
import type { UserRow } from '../db/rows.ts'
import type { Handlers } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { requireNoTimeout } from '../store/posting.ts'
import { findMessage } from '../store/messages.ts'
import { channelWebhooks } from './channel-webhooks.ts'
import { serversOf, serverView } from '../store/servers.ts'
import { authorView, findUser, personView, setProfile } from '../store/users.ts'
import { bots } from './bots.ts'
import { inspector } from './inspector.ts'
import { settings } from './settings.ts'
import { reports } from './reports.ts'
import { countUnread, newestTimes } from './newest.ts'
import { messages } from './messages.ts'
import { roles, servers } from './servers.ts'
import { submissions } from './submissions.ts'
import { sessions } from './sessions.ts'
import { voiceChannelOf } from '../store/voice.ts'
import { voice } from './voice.ts'

const dmsOf = (chat: Chat, userId: string) =>
  chat.sql
    .all<UserRow & { channel_id: string }>(
      `SELECT u.*, mine.channel_id FROM channel_users mine JOIN channels c ON c.id = mine.channel_id AND c.type = 'dm'
         JOIN channel_users other ON other.channel_id = c.id AND other.user_id <> mine.user_id
         JOIN users u ON u.id = other.user_id WHERE mine.user_id = ? ORDER BY u.username`,
      userId,
    )
    .map((row) => ({ channel_id: row.channel_id, user: authorView(row) }))

/** The handlers of the people's API. Calls that bots have, too, share their handlers. */
export const peopleHandlers: Handlers<PeopleEndpoints> = {
  sessions,
  me: {
    get: ({ chat, actor }) => ({
      person: personView(actor),
      servers: serversOf(chat, actor.id).map((server) => serverView(chat, server)),
      dms: dmsOf(chat, actor.id),
      newest: newestTimes(chat, actor.id),
      voice_server_id: voiceChannelOf(chat, actor.id)?.server_id ?? null,
      picture_hosts: [...chat.rules.pictureHosts],
    }),
    unread: ({ chat, actor, body }) => ({ channels: countUnread(chat, actor.id, body.read_until) }),
    update({ chat, actor, body }) {
      setProfile(chat, actor.id, body)
      if (body.accepts_dms !== undefined) {
        chat.sql.run('UPDATE users SET accepts_dms = ? WHERE id = ?', body.accepts_dms ? 1 : 0, actor.id)
      }
      return { person: personView(findUser(chat, actor.id)!) }
    },
    ...pictures,
  },
  servers,
  roles,
  channels: {
    create: botChannels.create,
    update: botChannels.update,
    delete: botChannels.delete,
    createCategory: categories.create,
  },
  messages,
  reactions,
  clicks: {
    create({ chat, actor, channel, params, body }) {
      requireNoTimeout(chat, channel, actor.id)
      const message = findMessage(chat, channel.id, params.message_id)
      return { interaction_id: click(chat, actor, channel, message, body.custom_id) }
    },
    get: ({ chat, actor, params }) => clickView(chat, actor, params.interaction_id),
  },
  users,
  voice,
  moderation,
  bots,
  submissions,
  reports,
  settings,
  inspector,
  channelWebhooks,
}
