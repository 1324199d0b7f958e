import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'

/** The folder `page/` of the package; the same from `src/lib/http`, `dist/lib/http` and the bundle in `dist/lib/start`. */
const folder = new URL('../../../page/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json',
  json: 'application/json',
}

/** Pictures may come from the service's uploads and the allowed hosts (§2, Embed); `blob:` is for the preview before sending. */
const policy = (pictureHosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${pictureHosts.map((host) => `https://${host}`).join(' ')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    // Only the page itself, for the split screen.
    "frame-src 'self'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    // The policy of src/page/stream/connection.ts, which allows one script; a second policy of this name is refused.
    'trusted-types stream',
  ].join('; ')

/** Sends a text compressed, and not at all if the browser has it. The response must vary by `accept-encoding`. */
export const compressed = [etag(), compress()] as const

const plainHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Asked for each time, and answered with 304 while it is the same.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

/**
 * Serves the web page: `/` and the URLs of its views, its `app.*` files, and `/assets/<file>`. A browser that opens any other path gets the
 * page too, which reports that nothing is there; programs get JSON.
 */
export function servePage(app: Hono, pictureHosts: readonly string[]): void {
  const headers = { ...plainHeaders, 'content-security-policy': policy(pictureHosts) }
  const serve = async (name: string, status = 200) => {
    const type = types[name.slice(name.lastIndexOf('.') + 1)]
    const bytes =
      type !== undefined && /^[\w-]+(\.[\w-]+)+$/.test(name)
        ? await readFile(fileURLToPath(new URL(name, folder))).catch(() => undefined)
        : undefined
    if (bytes !== undefined) return new Response(bytes, { status, headers: { ...headers, 'content-type': type! } })
    const text =
      name === 'index.html' ? 'The page has not been built; run "npm run build" in the checkout.\n' : 'not found\n'
    return new Response(text, { status: 404, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
  }
  // The page reads its own URLs: see src/page/navigation/address.ts.
  for (const path of ['/', '/s/*', '/dm/*', '/developer', '/developer/*', '/profile', '/split']) {
    app.get(path, ...compressed, () => serve('index.html'))
  }
  app.get('/:name{app\\..+}', ...compressed, (context) => serve(context.req.param('name')))
  app.get('/assets/:name', ...compressed, (context) => serve(context.req.param('name')))
  app.notFound((context) => {
    const { method, path } = context.req
    const opens = method === 'GET' && context.req.header('accept')?.includes('text/html') === true
    return opens ? serve('index.html', 404) : context.json({ error: `${method} ${path}: no such path` }, 404)
  })
}
