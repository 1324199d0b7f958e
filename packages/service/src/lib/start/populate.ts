import { foldName } from '@botwright/protocol/typed-text'
import type { Chat } from '../chat.ts'
import { insertCategory, insertChannel, setChannelRoles } from '../store/channels.ts'
import { approve, insertBot } from '../store/own-bots.ts'
import { insertMember, insertServer } from '../store/servers.ts'
import { findUserByName, insertUser, openSession } from '../store/users.ts'
import { newId, newToken } from '../tokens.ts'
import type { CheckedWorld } from '../world/world.ts'

/** Adds missing ids and tokens to a world, so that a reset restores exactly the same state. */
export function completeWorld(world: CheckedWorld): CheckedWorld {
  const withId = <T extends { id?: string | undefined }>(each: T) => ({
    ...each,
    id: each.id?.toLowerCase() ?? newId(),
  })
  return {
    ...world,
    people: world.people.map((each) => ({ ...withId(each), token: each.token ?? newToken() })),
    bots: world.bots.map((each) => ({ ...withId(each), token: each.token ?? newToken() })),
    servers: world.servers.map((each) => ({
      ...withId(each),
      roles: each.roles.map(withId),
      categories: each.categories.map(withId),
      channels: each.channels.map(withId),
    })),
  }
}

/** Writes a complete world into an empty database, within a transaction. */
export function populate(chat: Chat, world: CheckedWorld): void {
  const userId = (name: string) => findUserByName(chat, name)!.id
  for (const { id, username, display_name, staff, tier, accepts_dms, token } of world.people) {
    const user = insertUser(chat, {
      id: id!,
      username,
      display_name: display_name ?? null,
      staff: staff ?? false,
      tier: tier ?? 'free',
      accepts_dms: accepts_dms ?? true,
    })
    openSession(chat, user.id, token)
  }
  for (const bot of world.bots) {
    const user = insertUser(chat, { id: bot.id!, username: bot.username, bot: true })
    insertBot(chat, userId(bot.owner), user, bot.token!)
    if (bot.approved) approve(chat, user.id)
    if (bot.event_webhook) {
      const { url, secret } = bot.event_webhook
      chat.sql.run('UPDATE bots SET webhook_url = ?, webhook_secret = ? WHERE user_id = ?', url, secret, user.id)
    }
  }
  for (const server of world.servers) populateServer(chat, server)
  const rules = JSON.stringify(world.content_rules ?? {})
  chat.sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('populated', '1'), ('content_rules', ?)", rules)
}

function populateServer(chat: Chat, server: CheckedWorld['servers'][number]): void {
  const serverId = server.id!
  const user = (name: string) => findUserByName(chat, name)!
  insertServer(chat, user(server.owner), { id: serverId, name: server.name })
  chat.sql.run('UPDATE servers SET flags = ? WHERE id = ?', JSON.stringify(server.flags), serverId)
  for (const name of [...server.members, ...server.bots]) insertMember(chat, serverId, user(name).id)
  server.roles.forEach((role, index) => {
    chat.sql.run(
      'INSERT INTO roles (id, server_id, name, color, position, permissions) VALUES (?, ?, ?, ?, ?, ?)',
      role.id!,
      serverId,
      role.name,
      role.color,
      role.position ?? index + 1,
      JSON.stringify(role.permissions),
    )
    for (const name of role.members) {
      chat.sql.run('INSERT OR IGNORE INTO member_roles VALUES (?, ?, ?)', serverId, user(name).id, role.id!)
    }
  })
  const idOf = (list: readonly { name: string; id?: string | undefined }[], name: string) =>
    list.find((each) => foldName(each.name) === foldName(name))!.id!
  for (const category of server.categories) insertCategory(chat, serverId, category.name, category.id)
  for (const wanted of server.channels) {
    const channel = insertChannel(chat, serverId, {
      id: wanted.id!,
      name: wanted.name,
      type: wanted.type,
      category_id: wanted.category === undefined ? null : idOf(server.categories, wanted.category),
    })
    chat.sql.run(
      'UPDATE channels SET private = ?, read_only = ?, slowmode = ? WHERE id = ?',
      Number(wanted.private),
      Number(wanted.read_only),
      wanted.slowmode,
      channel.id,
    )
    setChannelRoles(
      chat,
      channel,
      'see',
      wanted.roles.map((name) => idOf(server.roles, name)),
    )
    setChannelRoles(
      chat,
      channel,
      'post',
      wanted.post_roles.map((name) => idOf(server.roles, name)),
    )
    for (const name of wanted.members) {
      chat.sql.run('INSERT OR IGNORE INTO channel_users VALUES (?, ?)', channel.id, user(name).id)
    }
  }
}
