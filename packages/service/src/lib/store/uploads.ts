import { requireCapacity } from '../rules/bounds.ts'
import type { Chat } from '../chat.ts'
import { newId } from '../tokens.ts'
import { UPLOADS } from '../uploads-path.ts'
import { notifyUser } from './users.ts'

/** A picture with the type detected from its content. */
export interface Picture {
  type: string
  bytes: Uint8Array
}

/** The user and message of a picture, which is deleted with them. */
interface Place {
  user_id: string
  message_id: string | null
  place: 'avatar' | 'banner' | 'attachment'
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** A new URL for a picture, with its extension: a direct link to an image (§2). */
export const newUploadUrl = (chat: Chat, { type }: Picture): string =>
  `${chat.origin}${UPLOADS}${newId()}.${extensions[type]!}`

const idIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1, url.lastIndexOf('.'))

/** Stores the picture of a message under the given URL; it is deleted with the message. */
export function insertAttachment(
  chat: Chat,
  url: string,
  picture: Picture,
  { messageId, authorId }: { messageId: string; authorId: string },
): void {
  requireCapacity(chat, 'pictures_per_person', authorId)
  insertUpload(chat, url, picture, { user_id: authorId, message_id: messageId, place: 'attachment' })
}

function insertUpload(chat: Chat, url: string, picture: Picture, belongs: Place): void {
  requireCapacity(chat, 'uploads')
  chat.sql.run(
    'INSERT INTO uploads (id, type, bytes, place, created_at, user_id, message_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
    idIn(url),
    picture.type,
    picture.bytes,
    belongs.place,
    chat.clock.now(),
    belongs.user_id,
    belongs.message_id,
  )
}

export const findUpload = (chat: Chat, id: string): Picture | undefined =>
  chat.sql.get<{ type: string; bytes: Uint8Array }>('SELECT type, bytes FROM uploads WHERE id = ?', id)

/** Sets or removes the avatar or banner of a user and deletes the old picture. Returns the new URL. */
export function setPicture(chat: Chat, userId: string, place: 'avatar' | 'banner', picture: Picture): string
export function setPicture(chat: Chat, userId: string, place: 'avatar' | 'banner', picture: null): null
export function setPicture(
  chat: Chat,
  userId: string,
  place: 'avatar' | 'banner',
  picture: Picture | null,
): string | null {
  chat.sql.run('DELETE FROM uploads WHERE user_id = ? AND place = ?', userId, place)
  const url = picture && newUploadUrl(chat, picture)
  if (url !== null) insertUpload(chat, url, picture!, { user_id: userId, message_id: null, place })
  chat.sql.run(`UPDATE users SET ${place}_url = ? WHERE id = ?`, url, userId)
  notifyUser(chat, userId)
  return url
}

/**
 * Updates the URLs of pictures after the service's origin has changed: a data file may be served at another origin, and
 * URLs are stored in full because embeds contain them as well.
 */
export function moveUploads(chat: Chat): void {
  const was = chat.sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'origin'")?.value
  if (was === chat.origin) return
  chat.sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('origin', ?)", chat.origin)
  if (was === undefined) return
  const [from, to] = [was + UPLOADS, chat.origin + UPLOADS]
  for (const [table, column] of [
    ['users', 'avatar_url'],
    ['users', 'banner_url'],
    ['channel_webhooks', 'avatar_url'],
    ['messages', 'attachment'],
    ['messages', 'content'],
    ['messages', 'embeds'],
    ['users', 'bio'],
    ['events', 'data'],
    ['targets', 'own'],
    ['answers', 'ephemeral'],
    ['reports', 'content'],
  ]) {
    chat.sql.run(
      `UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`,
      from,
      to,
      from,
    )
  }
}
