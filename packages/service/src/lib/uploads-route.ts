import type { Hono } from 'hono'
import type { Chat } from './chat.ts'
import { Refusal } from './refusal.ts'
import { findUpload } from './store/uploads.ts'
import { UPLOADS } from './uploads-path.ts'

/**
 * Pictures, each under an address that cannot be guessed: an `<img>` sends no token. They are what their content said
 * when they came, and nothing in them runs, whatever a browser takes them for.
 */
const headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'content-disposition': 'inline',
  // A picture never changes under its address.
  'cache-control': 'public, max-age=31536000, immutable',
}

/** Serves the uploads (GET, and with it HEAD). */
export function serveUploads(app: Hono, chat: Chat): void {
  app.get(`${UPLOADS}:name`, (context) => {
    const id = context.req.param('name').replace(/\.\w+$/, '')
    const picture = findUpload(chat, id)
    if (!picture) return context.json({ error: 'picture not found' }, 404)
    const etag = `"${id}"`
    if (context.req.header('if-none-match') === etag) return context.body(null, 304, { ...headers, etag })
    return context.body(new Uint8Array(picture.bytes), 200, { ...headers, etag, 'content-type': picture.type })
  })
  app.all(`${UPLOADS}:name`, (context) => {
    throw new Refusal(405, `${context.req.method} is not allowed here; use GET`, { headers: { allow: 'GET, HEAD' } })
  })
}
