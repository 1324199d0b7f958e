import type { Category, Channel } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { CategoryRow, ChannelRow, UserRow } from '../db/rows.ts'
import { Refusal } from '../refusal.ts'
import { newId } from '../tokens.ts'
import { canSee } from './access.ts'
import { notify } from './notify.ts'

export const categoriesOf = (chat: Chat, serverId: string): CategoryRow[] =>
  chat.sql.all<CategoryRow>('SELECT * FROM categories WHERE server_id = ? ORDER BY position, rowid', serverId)

export const categoryView = ({ id, name, position }: CategoryRow): Category & { position: number } => ({
  id,
  name,
  position,
})

export function channelView(chat: Chat, channel: ChannelRow): Channel {
  const category =
    channel.category_id === null
      ? undefined
      : chat.sql.get<CategoryRow>('SELECT * FROM categories WHERE id = ?', channel.category_id)
  return {
    id: channel.id,
    name: channel.name ?? '',
    type: channel.type === 'voice' ? 'voice' : 'text',
    // DMs have no server, and the interface has no channel shape for them.
    server_id: channel.server_id as string,
    position: channel.position,
    category: category ? categoryView(category) : null,
    category_id: channel.category_id,
    private: channel.private === 1,
    read_only: channel.read_only === 1,
    slowmode: channel.slowmode,
  }
}

/** The channels of a server that a user can see, in sidebar order: those without a category first, then by category. */
export function visibleChannels(chat: Chat, serverId: string, userId: string, type?: string): Channel[] {
  return chat.sql
    .all<ChannelRow>(
      `SELECT c.* FROM channels c LEFT JOIN categories g ON g.id = c.category_id WHERE c.server_id = ?
       ORDER BY g.id IS NOT NULL, g.position, g.rowid, c.position, c.rowid`,
      serverId,
    )
    .filter((channel) => (type === undefined || channel.type === type) && canSee(chat, channel, userId))
    .map((channel) => channelView(chat, channel))
}

export interface NewChannel {
  id?: string
  name: string
  type?: 'text' | 'voice'
  category_id?: string | null
}

export function insertChannel(chat: Chat, serverId: string, channel: NewChannel): ChannelRow {
  const id = channel.id ?? newId()
  if (channel.category_id) requireCategory(chat, serverId, channel.category_id)
  chat.sql.run(
    `INSERT INTO channels (id, server_id, type, name, category_id, position)
     VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(position) + 1, 0) FROM channels WHERE server_id = ?))`,
    id,
    serverId,
    channel.type ?? 'text',
    channel.name,
    channel.category_id ?? null,
    serverId,
  )
  return chat.sql.get<ChannelRow>('SELECT * FROM channels WHERE id = ?', id)!
}

export function requireCategory(chat: Chat, serverId: string, id: string): CategoryRow {
  const found = chat.sql.get<CategoryRow>('SELECT * FROM categories WHERE id = ? AND server_id = ?', id, serverId)
  if (!found) throw new Refusal(400, 'category_id: no such category in this server')
  return found
}

/** Replaces the roles with access to a private channel (`see`), or those that may post in a read-only one (`post`). */
export function setChannelRoles(
  chat: Chat,
  channel: ChannelRow,
  may: 'see' | 'post',
  roleIds: readonly string[],
): void {
  const field = may === 'see' ? 'role_ids' : 'post_role_ids'
  chat.sql.run('DELETE FROM channel_roles WHERE channel_id = ? AND may = ?', channel.id, may)
  roleIds.forEach((roleId, index) => {
    if (!chat.sql.get('SELECT 1 FROM roles WHERE id = ? AND server_id = ?', roleId, channel.server_id)) {
      throw new Refusal(400, `${field}[${index}]: no such role in this server`)
    }
    chat.sql.run(
      'INSERT OR IGNORE INTO channel_roles (channel_id, role_id, may) VALUES (?, ?, ?)',
      channel.id,
      roleId,
      may,
    )
  })
}

export function insertCategory(chat: Chat, serverId: string, name: string, id = newId()): CategoryRow {
  chat.sql.run(
    `INSERT INTO categories (id, server_id, name, position)
     VALUES (?, ?, ?, (SELECT coalesce(max(position) + 1, 0) FROM categories WHERE server_id = ?))`,
    id,
    serverId,
    name,
    serverId,
  )
  return chat.sql.get<CategoryRow>('SELECT * FROM categories WHERE id = ?', id)!
}

/** Finds or creates the direct message channel of two users. */
export function openDm(chat: Chat, from: UserRow, to: UserRow): { id: string; opened: boolean } {
  const key = [from.id, to.id].sort().join(' ')
  const found = chat.sql.get<{ id: string }>('SELECT id FROM channels WHERE dm_key = ?', key)
  if (found) return { id: found.id, opened: false }
  const id = newId()
  chat.sql.run("INSERT INTO channels (id, type, dm_key) VALUES (?, 'dm', ?)", id, key)
  for (const user of [from, to]) {
    chat.sql.run('INSERT INTO channel_users (channel_id, user_id) VALUES (?, ?)', id, user.id)
  }
  return { id, opened: true }
}

/** Deletes all direct messages of a user, also for the others. */
export function deleteDms(chat: Chat, userId: string): void {
  const dms = chat.sql.all<{ channel_id: string; user_id: string }>(
    `SELECT other.channel_id, other.user_id FROM channel_users mine JOIN channels c ON c.id = mine.channel_id AND c.type = 'dm'
       JOIN channel_users other ON other.channel_id = c.id AND other.user_id <> mine.user_id WHERE mine.user_id = ?`,
    userId,
  )
  for (const { channel_id, user_id } of dms) {
    notify(chat, user_id, 'channel_delete', { channel_id, server_id: null })
    chat.sql.run('DELETE FROM channels WHERE id = ?', channel_id)
  }
}
