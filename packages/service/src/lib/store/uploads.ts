import type { Chat } from '../chat.ts'
import { newId } from '../tokens.ts'
import { UPLOADS } from '../uploads-path.ts'
import { tellUser } from './users.ts'

/** A picture whose kind was told by its content. */
export interface Picture {
  type: string
  bytes: Uint8Array
}

/** What a picture belongs to, and ends with. */
type Place = { user_id: string; place: 'avatar' | 'banner' } | { message_id: string; place: 'attachment' }

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** The address that a picture will have: a link straight to an image, by its extension (§2). */
export const newUploadUrl = (chat: Chat, { type }: Picture): string =>
  `${chat.origin}${UPLOADS}${newId()}.${extensions[type]!}`

const idIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1, url.lastIndexOf('.'))

/** Stores a picture under an address made for it. */
export function insertUpload(chat: Chat, url: string, picture: Picture, belongs: Place): void {
  chat.sql.run(
    'INSERT INTO uploads (id, type, bytes, place, created_at, user_id, message_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
    idIn(url),
    picture.type,
    picture.bytes,
    belongs.place,
    chat.clock.now(),
    'user_id' in belongs ? belongs.user_id : null,
    'message_id' in belongs ? belongs.message_id : null,
  )
}

export const findUpload = (chat: Chat, id: string): Picture | undefined =>
  chat.sql.get<{ type: string; bytes: Uint8Array }>('SELECT type, bytes FROM uploads WHERE id = ?', id)

/** Sets or removes the avatar or banner of a user; the picture before is deleted. Returns the new address. */
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
  if (url !== null) insertUpload(chat, url, picture!, { user_id: userId, place })
  chat.sql.run(`UPDATE users SET ${place}_url = ? WHERE id = ?`, url, userId)
  tellUser(chat, userId)
  return url
}

/**
 * Lets the addresses of pictures follow the service: a file that is gone on from may be served at another address, and
 * addresses are kept whole because they stand in embeds as well.
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
  ]) {
    chat.sql.run(
      `UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`,
      from,
      to,
      from,
    )
  }
}
