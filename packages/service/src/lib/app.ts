import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { DatabaseError } from '@botwright/sqlite'
import { endpoints } from '@botwright/protocol'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { botHandlers } from './bot-routes/index.ts'
import type { Chat } from './chat.ts'
import { identifyBot, identifyPerson } from './identify.ts'
import { servePage } from './page.ts'
import { peopleEndpoints } from './people-contract/index.ts'
import { peopleHandlers } from './people-routes/index.ts'
import { Refusal } from './refusal.ts'
import { serveTable } from './router.ts'
import { serveStream } from './stream-route.ts'

/** Everything that the service answers, in the order in which it is looked at. */
export function buildApp(chat: Chat, host: string, addControls?: (app: Hono) => void): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    checkHost(context.req.header('host'), host)
    await next()
  })
  // A star for the allowed headers would not cover `authorization` (decisions row 48).
  app.use(
    cors({ origin: '*', allowHeaders: ['authorization', 'content-type'], exposeHeaders: ['retry-after', 'allow'] }),
  )
  // Around everything, so that it sees what the fault switches answer as well.
  app.use('/v1/*', chat.inspector.middleware)
  addControls?.(app)
  serveTable(app, chat, { base: '/v1', endpoints, handlers: botHandlers, identify: identifyBot })
  serveStream(app, chat)
  serveTable(app, chat, {
    base: '/people/v1',
    endpoints: peopleEndpoints,
    handlers: peopleHandlers,
    identify: identifyPerson,
  })
  servePage(app, chat.rules.pictureHosts)
  app.get('/developers/openapi.json', async (context) => {
    const file = createRequire(import.meta.url).resolve('@botwright/protocol/openapi.json')
    return context.body(await readFile(file, 'utf8'), 200, { 'content-type': 'application/json' })
  })
  app.notFound((context) => context.json({ error: `${context.req.method} ${context.req.path}: no such path` }, 404))
  app.onError((error, context) => {
    if (error instanceof Refusal) return context.json({ error: error.message }, error.status as 400, error.headers)
    if (error instanceof DatabaseError && error.code === 'closed') {
      return context.json({ error: 'the service is closing' }, 503)
    }
    console.error(`${context.req.method} ${context.req.routePath}:`, error)
    return context.json({ error: 'the service failed; its log says why' }, 500)
  })
  return app
}

/** Only names of this machine and plain addresses: a page on a foreign name that points here must not speak to it (row 49). */
function checkHost(header: string | undefined, host: string): void {
  const name = (header ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name === host || isIP(name) !== 0) return
  throw new Refusal(403, 'not allowed: the Host header names another machine')
}
