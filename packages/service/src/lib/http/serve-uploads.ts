import type { Hono } from 'hono'
import type { Chat } from '../chat.ts'
import { Refusal } from '../refusal.ts'
import { findUpload } from '../store/uploads.ts'
import { UPLOADS } from '../uploads-path.ts'

/**
 * Pictures have URLs that cannot be guessed, because an `<img>` sends no token. Their type was detected from the content on
 * upload. These headers keep browsers from running anything in them.
 */
const headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'content-disposition': 'inline',
  // The picture at a URL never changes.
  'cache-control': 'public, max-age=31536000, immutable',
}

/** Serves the uploads, for GET and HEAD. */
export function serveUploads(app: Hono, chat: Chat): void {
  app.get(`${UPLOADS}:name`, (context) => {
    const id = context.req
      .param('name')
      .replace(/\.\w+$/, '')
      .toLowerCase()
    const picture = findUpload(chat, id)
    if (!picture) return context.json({ error: 'image not found' }, 404)
    const etag = `"${id}"`
    if (context.req.header('if-none-match') === etag) return context.body(null, 304, { ...headers, etag })
    return context.body(new Uint8Array(picture.bytes), 200, { ...headers, etag, 'content-type': picture.type })
  })
  app.all(`${UPLOADS}:name`, (context) => {
    throw new Refusal(405, `${context.req.method} is not allowed here; use GET`, { headers: { allow: 'GET, HEAD' } })
  })
}
