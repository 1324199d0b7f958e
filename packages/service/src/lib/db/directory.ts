import type { BotRow, ChannelRow, ChannelWebhookRow, MemberRow, RoleRow, ServerRow, UserRow } from './rows.ts'
import type { Sql } from './sql.ts'

/** A bot that receives the events of a channel. */
export interface Listener {
  botId: string
  /** The names of its commands. */
  commands: ReadonlySet<string>
}

/** The rows that nearly every call reads: callers, places and access. They stay in memory until one of their tables changes. */
export interface Directory {
  user(id: string): UserRow | undefined
  bot(id: string): BotRow | undefined
  /** The bot with a token; below, the person. */
  botByToken(tokenHash: string): UserRow | undefined
  personByToken(tokenHash: string): UserRow | undefined
  server(id: string): ServerRow | undefined
  channel(id: string): ChannelRow | undefined
  channelWebhook(id: string): ChannelWebhookRow | undefined
  member(serverId: string, userId: string): MemberRow | undefined
  /** When the last timeout of a user in a server ends, or has ended. */
  timeoutUntil(serverId: string, userId: string): number | undefined
  /** The roles of a member, lowest first. */
  roles(serverId: string, userId: string): readonly RoleRow[]
  /** Whether a user can see a channel: both users of a DM, members of the server, or, in private channels, those with access. */
  canSee(channelId: string, userId: string): boolean
  /** Whether one of a user's roles has access to a private channel (`see`), or may post in a read-only one (`post`). */
  hasChannelRole(channelId: string, userId: string, may: 'see' | 'post'): boolean
  /** The bots that can see a channel. */
  listeners(channelId: string): readonly Listener[]
  /** The bots of a server. */
  botsOf(serverId: string): readonly { botId: string }[]
}

const roleTables = ['roles', 'member_roles']
const accessTables = ['channels', 'servers', 'members', 'channel_users', 'channel_roles', 'member_roles']

/** Reads the directory of a database. Keys of two ids are joined by a space. */
export function createDirectory(sql: Sql): Directory {
  const byId = <T>(table: string) => sql.cached([table], (id) => sql.get<T>(`SELECT * FROM ${table} WHERE id = ?`, id))
  const user = byId<UserRow>('users')
  const bot = sql.cached(['bots'], (id) => sql.get<BotRow>('SELECT * FROM bots WHERE user_id = ?', id))
  const botByToken = sql.cached(['users', 'bots'], (hash) =>
    sql.get<UserRow>('SELECT u.* FROM bots b JOIN users u ON u.id = b.user_id WHERE b.token_hash = ?', hash),
  )
  const personByToken = sql.cached(['users', 'sessions'], (hash) =>
    sql.get<UserRow>('SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ?', hash),
  )
  const server = byId<ServerRow>('servers')
  const channel = byId<ChannelRow>('channels')
  const channelWebhook = byId<ChannelWebhookRow>('channel_webhooks')
  const members = sql.cached(['members'], (key) =>
    sql.get<MemberRow>('SELECT * FROM members WHERE server_id = ? AND user_id = ?', ...key.split(' ')),
  )
  const timeouts = sql.cached(
    ['timeouts'],
    (key) =>
      sql.get<{ until: number }>('SELECT until FROM timeouts WHERE server_id = ? AND user_id = ?', ...key.split(' '))
        ?.until,
  )
  const roles = sql.cached(roleTables, (key) =>
    sql.all<RoleRow>(
      'SELECT r.* FROM member_roles m JOIN roles r ON r.id = m.role_id WHERE m.server_id = ? AND m.user_id = ? ORDER BY r.position, r.id',
      ...key.split(' '),
    ),
  )
  const channelRoles = sql.cached(
    ['channel_roles', 'member_roles'],
    (key) =>
      sql.get(
        `SELECT 1 FROM channel_roles c JOIN member_roles m ON m.role_id = c.role_id
          WHERE c.channel_id = ? AND m.user_id = ? AND c.may = ? LIMIT 1`,
        ...key.split(' '),
      ) !== undefined,
  )
  const isListed = sql.cached(
    ['channel_users'],
    (key) =>
      sql.get('SELECT 1 FROM channel_users WHERE channel_id = ? AND user_id = ?', ...key.split(' ')) !== undefined,
  )
  const access = sql.cached(accessTables, (key) => {
    const [channelId, userId] = key.split(' ') as [string, string]
    const found = channel(channelId)
    if (found === undefined) return false
    if (found.server_id === null) return isListed(key)
    if (members(`${found.server_id} ${userId}`) === undefined) return false
    if (found.private === 0 || server(found.server_id)?.owner_id === userId) return true
    return channelRoles(`${key} see`) || isListed(key)
  })
  const canSee = (channelId: string, userId: string) => access(`${channelId} ${userId}`)
  const listeners = sql.cached([...accessTables, 'bots'], (channelId): Listener[] => {
    return botsAt(sql, channelId, channel(channelId)?.server_id ?? null)
      .filter(({ user_id }) => canSee(channelId, user_id))
      .map(({ user_id, commands }) => ({ botId: user_id, commands: commandNames(commands) }))
  })
  const botsOf = sql.cached(['members', 'bots'], (serverId) =>
    sql.all<{ botId: string }>(
      'SELECT b.user_id AS botId FROM members m JOIN bots b ON b.user_id = m.user_id WHERE m.server_id = ? ORDER BY 1',
      serverId,
    ),
  )
  return {
    user,
    bot,
    botByToken,
    personByToken,
    server,
    channel,
    channelWebhook,
    member: (serverId, userId) => members(`${serverId} ${userId}`),
    timeoutUntil: (serverId, userId) => timeouts(`${serverId} ${userId}`),
    roles: (serverId, userId) => roles(`${serverId} ${userId}`),
    canSee,
    hasChannelRole: (channelId, userId, may) => channelRoles(`${channelId} ${userId} ${may}`),
    listeners,
    botsOf,
  }
}

/** The bots of a server, or of a direct message. */
function botsAt(sql: Sql, channelId: string, serverId: string | null): { user_id: string; commands: string }[] {
  const place = serverId === null ? 'channel_users p' : 'members p'
  const key = serverId === null ? 'p.channel_id' : 'p.server_id'
  return sql.all(
    `SELECT b.user_id, b.commands FROM ${place} JOIN bots b ON b.user_id = p.user_id WHERE ${key} = ? ORDER BY b.user_id`,
    serverId ?? channelId,
  )
}

const commandNames = (commands: string): ReadonlySet<string> =>
  new Set((JSON.parse(commands) as { name: string }[]).map(({ name }) => name))
