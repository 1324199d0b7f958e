import { endpoints } from '@botwright/protocol'
import { namesThisMachine } from '@botwright/protocol/facts'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { TrieRouter } from 'hono/router/trie-router'
import { botHandlers } from './bot-routes/index.ts'
import type { Chat } from './chat.ts'
import { serveDocuments } from './documents.ts'
import { answerErrors } from './failures.ts'
import { refuseForeignPages, requireKey } from './foreign-pages.ts'
import { identifyBot, identifyPerson } from './identify.ts'
import { servePage } from './page.ts'
import { peopleEndpoints } from './people-contract/index.ts'
import { peopleHandlers } from './people-routes/index.ts'
import { serveReference } from './reference/reference-page.ts'
import { Refusal } from './refusal.ts'
import { serveTable } from './router.ts'
import { serveStream } from './stream-route.ts'
import { serveChannelWebhooks, webhookBases } from './webhooks/program-side.ts'
import { UPLOADS } from './uploads-path.ts'
import { serveUploads } from './uploads-route.ts'

interface AppOptions {
  /** The address that the service listens on. */
  host: string
  /** Required of every caller of the people's side and the controls, when there is one. */
  key: string | undefined
  addControls: ((app: Hono) => void) | undefined
  /** Notes each call under `/v1` with its answer. */
  inspect: MiddlewareHandler
}

/** Everything that the service answers, in the order in which it is looked at. */
export function buildApp(chat: Chat, { host, key, addControls, inspect }: AppOptions): Hono {
  // By itself Hono tries another router first, which has to give these paths up.
  const app = new Hono({ router: new TrieRouter() })
  app.use(async (context, next) => {
    checkHost(context.req.header('host'), host)
    await next()
  })
  for (const path of ['/v1/*', ...webhookBases.map((base) => `${base}/*`)]) app.use(path, openToEveryOrigin)
  for (const path of ['/people/v1/*', '/controls/v1/*', `${UPLOADS}*`]) app.use(path, refuseForeignPages)
  if (key !== undefined) {
    for (const path of ['/people/v1/*', '/controls/v1/*']) app.use(path, requireKey(key))
  }
  // Around everything, so that it sees what the fault switches answer as well.
  app.use('/v1/*', inspect)
  addControls?.(app)
  serveTable(app, chat, { base: '/v1', endpoints, handlers: botHandlers, identify: identifyBot })
  serveChannelWebhooks(app, chat)
  serveStream(app, chat)
  serveUploads(app, chat)
  serveTable(app, chat, {
    base: '/people/v1',
    endpoints: peopleEndpoints,
    handlers: peopleHandlers,
    identify: identifyPerson,
    jsonOnly: true,
  })
  servePage(app, chat.rules.pictureHosts)
  serveDocuments(app)
  serveReference(app)
  app.notFound((context) => context.json({ error: `${context.req.method} ${context.req.path}: no such path` }, 404))
  app.onError(answerErrors(chat.clock))
  return app
}

/** What the specification opens (§1, decisions row 48): no cookies, and every call carries a token. */
const openToEveryOrigin: MiddlewareHandler = (context, next) => {
  if (context.req.method === 'OPTIONS') return preflight(context, next)
  // Node's response, because a copy of Hono's would be made for each header.
  const { outgoing } = context.env as HttpBindings
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', 'retry-after,allow')
  return next()
}

/** A star for the allowed headers would not cover `authorization` (decisions row 48). */
const preflight = cors({ origin: '*', allowHeaders: ['authorization', 'content-type'] })

/** Only names of this machine and plain addresses: a page on a foreign name that points here must not speak to it (row 49). */
function checkHost(header: string | undefined, host: string): void {
  if (namesThisMachine(header ?? '', host)) return
  throw new Refusal(403, 'not allowed: the Host header names another machine')
}
