import type { Endpoints } from '@botwright/protocol'
import { requireCapacity } from '../rules/bounds.ts'
import { checkContent } from '../rules/content-rules.ts'
import type { Chat } from '../chat.ts'
import type { ChannelRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { notFound, Refusal } from '../refusal.ts'
import {
  categoriesOf,
  categoryView,
  channelView,
  insertCategory,
  insertChannel,
  requireCategory,
  setChannelRoles,
  visibleChannels,
} from '../store/channels.ts'
import { serversOf } from '../store/servers.ts'
import { changeChannelVisibility } from '../store/visibility.ts'
import { notifyChannel, notifyServer } from '../store/notify.ts'
import { leaveVoice, voiceMembersOf } from '../store/voice.ts'

type Changes = Parameters<Handlers<Endpoints>['channels']['update']>[0]['body']

function changeChannel(chat: Chat, channel: ChannelRow, changes: Changes): void {
  if (changes.category_id && channel.server_id) requireCategory(chat, channel.server_id, changes.category_id)
  chat.sql.run(
    'UPDATE channels SET name = ?, category_id = ?, private = ?, read_only = ?, slowmode = ? WHERE id = ?',
    changes.name ?? channel.name,
    changes.category_id === undefined ? channel.category_id : changes.category_id,
    Number(changes.private ?? channel.private),
    Number(changes.read_only ?? channel.read_only),
    changes.slowmode ?? channel.slowmode,
    channel.id,
  )
  if (changes.role_ids) setChannelRoles(chat, channel, 'see', changes.role_ids)
  if (changes.post_role_ids) setChannelRoles(chat, channel, 'post', changes.post_role_ids)
}

/** Channel handlers, shared by bots and people. */
export const channels: Handlers<Endpoints>['channels'] = {
  listOfServer: ({ chat, actor, server, query }) => ({
    channels: visibleChannels(chat, server.id, actor.id, query.type),
    categories: categoriesOf(chat, server.id).map(categoryView),
  }),
  create({ chat, actor, server, body }) {
    checkContent(chat, actor, { name: body.name })
    requireCapacity(chat, 'channels_per_server', server.id)
    const channel = insertChannel(chat, server.id, {
      name: body.name,
      type: body.kind ?? 'text',
      category_id: body.category_id ?? null,
    })
    const data = { channel_id: channel.id, server_id: server.id, channel: channelView(chat, channel) }
    notifyChannel(chat, channel, 'channel_create', () => data)
    return { channel: data.channel }
  },
  list: ({ chat, actor, query }) => ({
    channels: serversOf(chat, actor.id).flatMap((server) => visibleChannels(chat, server.id, actor.id, query.type)),
  }),
  get: ({ chat, channel }) => ({ channel: channelView(chat, channel) }),
  update({ chat, actor, channel, body }) {
    checkContent(chat, actor, { name: body.name })
    const changed = changeChannelVisibility(chat, channel, () => changeChannel(chat, channel, body))
    return { channel: channelView(chat, changed) }
  },
  delete({ chat, channel }) {
    for (const userId of voiceMembersOf(chat, channel.id)) leaveVoice(chat, userId)
    notifyChannel(chat, channel, 'channel_delete', () => ({ channel_id: channel.id, server_id: channel.server_id }))
    chat.sql.run('DELETE FROM channels WHERE id = ?', channel.id)
    return ok
  },
}

function requireOwnCategory(chat: Chat, serverId: string, id: string): void {
  if (!chat.sql.get('SELECT 1 FROM categories WHERE id = ? AND server_id = ?', id, serverId)) throw notFound('category')
}

export const categories: Handlers<Endpoints>['categories'] = {
  create({ chat, actor, server, body }) {
    checkContent(chat, actor, { name: body.name })
    requireCapacity(chat, 'categories_per_server', server.id)
    const category = categoryView(insertCategory(chat, server.id, body.name))
    notifyServer(chat, server.id, 'category_create', { server_id: server.id, channel_id: null, category })
    return { category }
  },
  update({ chat, actor, server, params, body }) {
    requireOwnCategory(chat, server.id, params.category_id)
    checkContent(chat, actor, { name: body.name })
    if (body.name === undefined) throw new Refusal(400, 'name: is required (string)')
    chat.sql.run('UPDATE categories SET name = ? WHERE id = ?', body.name, params.category_id)
    const category = categoryView(requireCategory(chat, server.id, params.category_id))
    notifyServer(chat, server.id, 'category_update', { server_id: server.id, channel_id: null, category })
    return ok
  },
  delete({ chat, server, params }) {
    requireOwnCategory(chat, server.id, params.category_id)
    chat.sql.run('DELETE FROM categories WHERE id = ?', params.category_id)
    const { category_id } = params
    notifyServer(chat, server.id, 'category_delete', { server_id: server.id, channel_id: null, category_id })
    return ok
  },
}
