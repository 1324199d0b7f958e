import { endpoints } from '@botwright/protocol'
import { namesThisMachine } from '@botwright/protocol/facts'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { TrieRouter } from 'hono/router/trie-router'
import { botHandlers } from './bot-routes/index.ts'
import type { Chat } from './chat.ts'
import { serveDevRoutes } from './dev-routes.ts'
import { serveDocuments } from './http/serve-documents.ts'
import { answerErrors } from './failures.ts'
import { refuseForeignPages, requireKey } from './http/foreign-pages.ts'
import { identifyBot, identifyPerson } from './http/identify.ts'
import { servePage } from './http/serve-page.ts'
import { peopleEndpoints } from './people-api/endpoints/index.ts'
import { peopleBase } from './people-api/paths.ts'
import { peopleHandlers } from './people-routes/index.ts'
import { serveReference } from './reference/reference-page.ts'
import { Refusal } from './refusal.ts'
import { serveTable } from './http/router.ts'
import { serveStream } from './people-routes/stream-route.ts'
import { serveChannelWebhooks, webhookBases } from './channel-webhooks/routes.ts'
import { inWebhookShape } from './channel-webhooks/webhook-refusal.ts'
import { UPLOADS } from './uploads-path.ts'
import { serveUploads } from './http/serve-uploads.ts'

interface AppOptions {
  /** The address that the service listens on. */
  host: string
  /** If set, every call of the people's API and the controls must send it. */
  key: string | undefined
  addControls: ((app: Hono) => void) | undefined
  /** Records each call under `/v1` with its response. */
  inspect: MiddlewareHandler
}

/** Builds the HTTP app; routes match in the order of registration. */
export function buildApp(chat: Chat, { host, key, addControls, inspect }: AppOptions): Hono {
  // Hono would try another router first, which does not support these paths.
  const app = new Hono({ router: new TrieRouter() })
  for (const base of webhookBases) app.use(`${base}/*`, inWebhookShape)
  app.use(async (context, next) => {
    checkHost(context.req.header('host'), host)
    await next()
  })
  for (const path of ['/v1/*', ...webhookBases.map((base) => `${base}/*`)]) app.use(path, openToEveryOrigin)
  for (const path of [`${peopleBase}/*`, '/controls/v1/*', `${UPLOADS}*`]) app.use(path, refuseForeignPages)
  if (key !== undefined) {
    for (const path of [`${peopleBase}/*`, '/controls/v1/*']) app.use(path, requireKey(key))
  }
  // Registered first, so that it also records the responses of fault switches.
  app.use('/v1/*', inspect)
  addControls?.(app)
  serveTable(app, chat, { base: '/v1', endpoints, handlers: botHandlers, identify: identifyBot })
  serveDevRoutes(app, chat)
  serveChannelWebhooks(app, chat)
  serveStream(app, chat)
  serveUploads(app, chat)
  serveTable(app, chat, {
    base: peopleBase,
    endpoints: peopleEndpoints,
    handlers: peopleHandlers,
    identify: identifyPerson,
    jsonOnly: true,
  })
  servePage(app, chat.rules.pictureHosts)
  serveDocuments(app)
  serveReference(app)
  app.onError(answerErrors(chat.clock))
  return app
}

/** CORS for the parts that the specification opens (§1, decisions row 48): no cookies are used, and every call carries a token. */
const openToEveryOrigin: MiddlewareHandler = (context, next) => {
  if (context.req.method === 'OPTIONS') return preflight(context, next)
  // Use Node's response: Hono copies its own for each header.
  const { outgoing } = context.env as HttpBindings
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', 'retry-after,allow')
  return next()
}

/** `*` in the allowed headers would not cover `authorization` (decisions row 48). */
const preflight = cors({ origin: '*', allowHeaders: ['authorization', 'content-type'] })

/** Allows only names of this machine and IP addresses, against DNS rebinding (row 49). */
function checkHost(header: string | undefined, host: string): void {
  if (namesThisMachine(header ?? '', host)) return
  throw new Refusal(403, 'not allowed: the Host header names another host')
}
