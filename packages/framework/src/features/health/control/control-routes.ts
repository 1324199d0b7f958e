import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import type { HttpAnswer, HttpResponse } from '@botwright/events'
import type { Log } from '../../../author/ports.ts'
import { pageFile } from '../../../runtime/own-package.ts'
import { SwitchError } from '../../switches/change.ts'
import type { ControlRoom } from './control-room.ts'

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/control': ['control.html', 'text/html; charset=utf-8'],
  '/control/control.js': ['control.js', 'text/javascript; charset=utf-8'],
  '/control/channels.js': ['channels.js', 'text/javascript; charset=utf-8'],
  '/control/elements.js': ['elements.js', 'text/javascript; charset=utf-8'],
  '/control/sections.js': ['sections.js', 'text/javascript; charset=utf-8'],
  '/control/palette.css': ['palette.css', 'text/css; charset=utf-8'],
  '/control/control.css': ['control.css', 'text/css; charset=utf-8'],
}

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** Refused requests are logged once in this time. */
const REPORT_MS = 60_000

/**
 * The page has no secrets and needs no token; the state and the actions do, in the `Authorization` header. A browser never adds that
 * header by itself, so that a page of another site can neither read nor act, not even with DNS rebinding.
 */
export function controlRoutes(
  room: ControlRoom,
  { token, clock, log }: { token: string; clock: Clock; log: Log },
): HttpAnswer {
  const expected = digest(token)
  let refused = 0
  let reportedMs = -Infinity
  // Equal lengths for the comparison in constant time.
  const isKnown = (given: string | undefined) =>
    given !== undefined && given.startsWith('Bearer ') && timingSafeEqual(digest(given.slice(7)), expected)

  const send = (status: number, body: object, more?: HttpResponse['headers']): HttpResponse => ({
    status,
    headers: { ...headers, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })

  return async ({ method, path, query, headers: given, address }) => {
    /** The name and the reason are in the query. */
    const switched = async (to: 'off' | 'on') => {
      const fields = new URLSearchParams(query)
      const field = (name: string) => fields.get(name) ?? undefined
      const name = field('name')
      if (name === undefined) return send(400, { error: 'name is missing: add ?name=' })
      if (to === 'off' && field('server_id') !== undefined)
        return send(400, { error: 'server_id is only for switches/on: use "framework off --server" for one server' })
      try {
        const changed = await room.switch(to, { name, reason: field('reason'), server_id: field('server_id') })
        return send(200, { state: to, changed })
      } catch (error) {
        if (error instanceof SwitchError) return send(409, { error: error.message })
        throw error
      }
    }
    const reads = method === 'GET' || method === 'HEAD'
    const file = files[path]
    if (file) {
      if (!reads) return send(405, { error: 'use GET or HEAD' })
      const [name, type] = file
      return { status: 200, headers: { ...headers, ...pageHeaders, 'content-type': type }, body: pageFile(name) }
    }
    const { origin, host, authorization } = given
    if (origin !== undefined && hostOf(origin) !== host)
      return send(403, { error: 'the request comes from a page of another origin' })
    if (!isKnown(authorization)) {
      refused++
      if (authorization !== undefined && clock.monotonic() - reportedMs > REPORT_MS) {
        reportedMs = clock.monotonic()
        log.warn({ refused, address }, 'control room: refused a request with a wrong token')
      }
      const error = 'send the token of the control room: "Authorization: Bearer …" (BOT_CONTROL_TOKEN)'
      return send(401, { error }, { 'www-authenticate': 'Bearer' })
    }
    if (path === '/control/state')
      return reads ? send(200, await room.state()) : send(405, { error: 'use GET or HEAD' })
    const action = actionOf(path)
    if (!action)
      return send(404, {
        error:
          'use /control, /control/state, /control/events/<id>/replay, /control/runs/<id>/cancel, /control/switches/off or /control/switches/on',
      })
    if (method !== 'POST') return send(405, { error: 'use POST' })
    if (!room.actions)
      return send(403, {
        error: 'actions are off: set health.control.actions, or start the bot with --control-actions',
      })
    const { kind, id } = action
    if (kind === 'off' || kind === 'on') return switched(kind)
    if (kind === 'replay')
      return (await room.replay(Number(id)))
        ? send(200, { replayed: Number(id) })
        : send(404, { error: `event ${id} is not set aside` })
    return (await room.cancel(id)) ? send(200, { cancelled: id }) : send(404, { error: `run ${id} is not waiting` })
  }
}

/** `/control/events/1042/replay`, `/control/runs/1042/cancel`, `/control/switches/off` and `/control/switches/on`. */
function actionOf(path: string): { kind: 'replay' | 'cancel' | 'off' | 'on'; id: string } | undefined {
  if (path === '/control/switches/off') return { kind: 'off', id: '' }
  if (path === '/control/switches/on') return { kind: 'on', id: '' }
  const [, event, run] = /^\/control\/(?:events\/(\d{1,15})\/replay|runs\/([^/]{1,600})\/cancel)$/.exec(path) ?? []
  if (event !== undefined) return { kind: 'replay', id: event }
  if (run === undefined) return undefined
  try {
    return { kind: 'cancel', id: decodeURIComponent(run) }
  } catch {
    return undefined
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** `null` is the origin of sandboxed pages. */
const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)
