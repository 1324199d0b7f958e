import { timingSafeEqual } from 'node:crypto'
import type { Context, Next } from 'hono'
import { Refusal } from '../refusal.ts'
import { hashToken } from '../tokens.ts'

/**
 * Refuses requests from web pages of other origins. Browsers send `Origin` with every request that may change something, and
 * `Sec-Fetch-Site` with every request to this machine, including images and navigation. Programs send neither.
 * The bot interface and the channel webhooks skip this check: they are open to every origin (§1), and each call carries a secret.
 */
export async function refuseForeignPages(context: Context, next: Next): Promise<void> {
  const site = context.req.header('sec-fetch-site')
  const origin = context.req.header('origin')
  // `same-site` is another port of this machine, so another program's page. `none` means that the user typed the URL.
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (foreignSite || (origin !== undefined && !isOwn(origin, context.req.header('host')))) {
    throw new Refusal(
      403,
      'not allowed: the request came from a web page of another origin; only the page of this service has access',
    )
  }
  await next()
}

/** Compares hosts, not schemes: a proxy in front of the service may use https. */
const isOwn = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && host !== undefined && new URL(origin).host === new URL(`http://${host}`).host

interface Headed {
  header(name: string): string | undefined
}

/** Refuses a body that is not declared as JSON: a page of another origin can send some other types without a CORS preflight. */
export function requireJsonType(request: Headed): void {
  const type = (request.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'application/json' || !hasBody(request)) return
  throw new Refusal(400, 'Content-Type: must be application/json')
}

const hasBody = (request: Headed): boolean =>
  request.header('transfer-encoding') !== undefined || Number(request.header('content-length') ?? 0) > 0

/** The header for the key of a service that was started with one. */
const KEY_HEADER = 'x-service-key'

/** Refuses calls without the key of this run. An EventSource cannot set headers, so it sends `?key=`. */
export function requireKey(key: string) {
  const wanted = Buffer.from(hashToken(key))
  return async (context: Context, next: Next): Promise<void> => {
    const sent = context.req.header(KEY_HEADER) ?? context.req.query('key') ?? ''
    if (!timingSafeEqual(Buffer.from(hashToken(sent)), wanted)) {
      throw new Refusal(
        401,
        'missing or wrong key: send "X-Service-Key: <key>", or open the page at the URL that the service printed',
      )
    }
    await next()
  }
}
