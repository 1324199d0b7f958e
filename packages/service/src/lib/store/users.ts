import type { PublicProfile } from '@botwright/protocol'
import { foldName } from '@botwright/protocol/typed-text'
import { bounds } from '../rules/bounds.ts'
import type { Chat } from '../chat.ts'
import { iso } from '../iso-time.ts'
import type { UserRow } from '../db/rows.ts'
import type { Person } from '../people-api/resources.ts'
import { checkContent } from '../rules/content-rules.ts'
import { notFound } from '../refusal.ts'
import { hashToken, newId, newToken } from '../tokens.ts'
import { notifyAcquainted } from './notify.ts'

export const findUser = (chat: Chat, id: string) => chat.directory.user(id)
/** Finds a person or a bot; 404 for others. The authors of channel webhook posts are not accounts. */
export function requireAccount(chat: Chat, id: string): UserRow {
  const user = findUser(chat, id)
  if (!user || user.webhook_id !== null) throw notFound('user')
  return user
}
/** Finds a user by a name in any case. */
export function findUserByName(chat: Chat, username: string): UserRow | undefined {
  const named = (name: string) => chat.sql.get<UserRow>('SELECT * FROM users WHERE username = ?', name)
  const folded = foldName(username)
  // SQLite knows the case of ASCII letters only.
  const others = () =>
    chat.sql.all<UserRow>("SELECT * FROM users WHERE username GLOB '*[^ -~]*' AND webhook_id IS NULL")
  return named(username) ?? named(folded) ?? others().find((one) => foldName(one.username) === folded)
}
export const findBot = (chat: Chat, id: string) => chat.directory.bot(id)

interface NewUser {
  id?: string
  username: string
  display_name?: string | null
  bio?: string
  bot?: boolean
  staff?: boolean
  tier?: 'free' | 'paid'
  accepts_dms?: boolean
}

export function insertUser(chat: Chat, user: NewUser): UserRow {
  const id = user.id ?? newId()
  chat.sql.run(
    'INSERT INTO users (id, username, display_name, bio, created_at, bot, staff, tier, accepts_dms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    user.username,
    user.display_name === '' ? null : (user.display_name ?? null),
    user.bio ?? '',
    chat.clock.now(),
    user.bot ? 1 : 0,
    user.staff ? 1 : 0,
    user.tier ?? 'free',
    user.accepts_dms === false ? 0 : 1,
  )
  return findUser(chat, id)!
}

/** Opens a session for a person and ends the oldest ones beyond the limit. Returns the token, which is not stored. */
export function openSession(chat: Chat, userId: string, token = newToken()): string {
  chat.sql.run('INSERT OR REPLACE INTO sessions (token_hash, user_id) VALUES (?, ?)', hashToken(token), userId)
  chat.sql.run(
    'DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE user_id = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)',
    userId,
    bounds.sessions_per_person,
  )
  return token
}

export function setProfile(
  chat: Chat,
  id: string,
  changes: { display_name?: string | null | undefined; bio?: string | undefined },
): void {
  const { display_name, bio } = changes
  checkContent(chat, { id }, { display_name, bio })
  if (display_name !== undefined) {
    // An empty name removes the display name: the username is shown again.
    chat.sql.run('UPDATE users SET display_name = ? WHERE id = ?', display_name === '' ? null : display_name, id)
  }
  if (bio !== undefined) chat.sql.run('UPDATE users SET bio = ? WHERE id = ?', bio, id)
  notifyUser(chat, id)
}

/** Notifies the pages of everyone who shares something with a user of the user's name and picture. */
export function notifyUser(chat: Chat, id: string): void {
  const user = authorView(findUser(chat, id)!)
  notifyAcquainted(chat, id, 'user_update', { channel_id: null, server_id: null, user })
}

export const profileView = (user: UserRow): PublicProfile => ({
  id: user.id,
  username: user.username,
  display_name: user.display_name,
  bio: user.bio,
  avatar_url: user.avatar_url,
  banner_url: user.banner_url,
  bot: user.bot === 1,
  created_at: iso(user.created_at),
})

/** The username; for authors of channel webhook posts, the name of the post. */
export const usernameOf = ({ webhook_id, username, display_name }: UserRow): string =>
  webhook_id === null ? username : display_name!

export const authorView = (user: UserRow) => ({
  id: user.id,
  username: usernameOf(user),
  display_name: user.webhook_id === null ? user.display_name : null,
  avatar_url: user.avatar_url,
  bot: user.bot === 1,
})

export const personView = (user: UserRow): Person => ({
  id: user.id,
  username: user.username,
  display_name: user.display_name,
  bio: user.bio,
  avatar_url: user.avatar_url,
  banner_url: user.banner_url,
  created_at: iso(user.created_at),
  staff: user.staff === 1,
  tier: user.tier,
  accepts_dms: user.accepts_dms === 1,
})
