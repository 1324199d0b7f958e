import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { Refusal } from '../refusal.ts'

/** The OpenAPI documents (§9), as written by the build. */
const files = {
  '/developers/openapi.json': () => createRequire(import.meta.url).resolve('@botwright/protocol/openapi.json'),
  // Resolves to the same file from `src/lib/http`, `dist/lib/http` and the bundle in `dist/lib/start`.
  '/people/openapi.json': () => fileURLToPath(new URL('../../../dist/people-openapi.json', import.meta.url)),
} as const

/** Reads a document; 404 if the checkout has not been built. */
export async function readDocument(path: keyof typeof files): Promise<string> {
  try {
    return await readFile(files[path](), 'utf8')
  } catch {
    throw new Refusal(404, `${path} has not been built; run "npm run build" in the checkout`)
  }
}

interface Served {
  servers?: { url: string }[]
  paths: Record<string, { servers?: { url: string }[] }>
}

/** Replaces the default origin in the URLs of a document by that of this service. */
function atOrigin(text: string, origin: string): string {
  const document = JSON.parse(text) as Served
  for (const { servers = [] } of [document, ...Object.values(document.paths)]) {
    for (const server of servers) server.url = origin + new URL(server.url).pathname
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Serves the OpenAPI documents of both APIs. */
export function serveDocuments(app: Hono): void {
  for (const path of Object.keys(files) as (keyof typeof files)[]) {
    app.get(path, async (context) =>
      context.body(atOrigin(await readDocument(path), new URL(context.req.url).origin), 200, {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      }),
    )
  }
}
