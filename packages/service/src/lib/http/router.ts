// Serves the endpoint tables: checks authorization, input and rates, then runs the handler in the transaction of this turn of the event loop.

import { type Endpoint, explain, limits } from '@botwright/protocol'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import { type Chat, inGroupCommit } from '../chat.ts'
import type { InteractionRow, UserRow } from '../db/rows.ts'
import { requireJsonType } from './foreign-pages.ts'
import { identifyByClick } from './identify.ts'
import { Json } from '../json.ts'
import { readJson } from './request-body.ts'
import { notFound, Refusal, slowDown } from '../refusal.ts'
import { isForm, readForm, readPicture } from './upload-body.ts'
import type { Picture } from '../store/uploads.ts'
import { canSee, findChannel, findMember, findServer, hasFlag, requirePermission } from '../store/access.ts'
import { findChannelWebhook } from '../store/channel-webhooks.ts'
import { findBot } from '../store/users.ts'

type AnyTable = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>
type AnyHandler = (call: never) => unknown

export interface Routes {
  /** `/v1`, `/people/v1`. */
  base: string
  endpoints: AnyTable
  handlers: Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>
  /** Refuses bodies of types other than JSON, which pages of other origins could send. The bot interface is open to all origins and accepts any. */
  jsonOnly?: boolean
  /** Identifies the caller by the Authorization header, or throws a refusal. */
  identify: (chat: Chat, context: Context) => UserRow
}

/** Serves every entry of a table. Runs all checks of the entry before its handler. */
export function serveTable(app: Hono, chat: Chat, routes: Routes): void {
  for (const [group, entries] of Object.entries(routes.endpoints)) {
    for (const [name, entry] of Object.entries(entries)) {
      const handler = routes.handlers[group]?.[name] as ((call: object) => unknown) | undefined
      if (handler === undefined) throw new Error(`${group}.${name} has no handler`)
      const path = routes.base + entry.path.replace(/\{(\w+)\}/g, ':$1')
      app.on(entry.method, path, async (context) => {
        const answer = await run(chat, entry, handler, { context, routes })
        note(context, 'answer', answer)
        if (!(answer instanceof Json)) return context.json(answer as object, entry.status as 200)
        return context.body(answer.text, entry.status as 200, { 'content-type': 'application/json' })
      })
    }
  }
  refuseOtherMethods(app, routes)
}

/** Stores a part of the call for the inspector, even if the call fails later. */
const note = (context: Context, name: 'actor' | 'sent' | 'answer', value: unknown): void => context.set(name, value)

async function run(
  chat: Chat,
  entry: Endpoint,
  handler: (call: object) => unknown,
  { context, routes }: { context: Context; routes: Routes },
): Promise<unknown> {
  const identify = () => (entry.auth === 'bot' ? { actor: routes.identify(chat, context) } : undefined)
  // Check the token first, so that callers without one learn nothing else (§5). The token of a callback is one of its parameters.
  const first = identify()
  const params = check(entry.params, context.req.param()) as Record<string, string>
  const query = entry.query && check(entry.query, context.req.query())
  const admit = (identified: Caller | undefined): Partial<Caller> => {
    if (entry.auth === 'none') return {}
    const caller = identified ?? identifyByClick(chat, params['interaction_id']!, params['token']!)
    note(context, 'actor', caller.actor)
    return { ...caller, ...placeOf(chat, entry, params, caller) }
  }
  const { version } = chat.sql
  let admitted = admit(first)
  let sent: Sent = { body: undefined, file: undefined }
  if (entry.body ?? entry.upload) {
    sent = await readSent(context, entry, routes)
    note(context, 'sent', sent.file ? { ...(sent.body as object), file: describe(sent.file) } : sent.body)
  }
  const perform = () => {
    // Check again if tokens, roles or channels may have changed since the call arrived.
    if (chat.sql.version !== version) admitted = admit(identify())
    const body = entry.body && check(entry.body, sent.body)
    const keys = admitted.actor ? rateKeys(entry, admitted.actor, params) : []
    for (const { key, limit } of keys) {
      const waitMs = chat.rates.waitMs(key, limit)
      if (waitMs > 0) throw slowDown(waitMs, `at most ${limit.requests} in ${limit.seconds} s`)
    }
    const onDisconnect = (end: () => void) => (context.env as HttpBindings).outgoing.once('close', end)
    const answer = handler({ chat, params, query, body, file: sent.file, ...admitted, onDisconnect })
    for (const { key, limit } of keys) chat.rates.count(key, limit)
    return answer
  }
  // Reads need no transaction, and a poll must not hold one while it waits.
  return entry.method === 'GET' ? perform() : inGroupCommit(chat, perform)
}

interface Sent {
  body: unknown
  file: Picture | undefined
}

const describe = ({ type, bytes }: Picture) => `${type}, ${bytes.byteLength} bytes`

/** Reads the body: JSON, a picture, or, for endpoints with both, JSON or a form with the fields and a picture. */
async function readSent(context: Context, { body, upload }: Endpoint, { jsonOnly }: Routes): Promise<Sent> {
  if (upload && !body) return { body: undefined, file: await readPicture(context, upload) }
  if (!upload || !isForm(context)) {
    if (jsonOnly) requireJsonType(context.req)
    return { body: await readJson(context, MAX_BODY), file: undefined }
  }
  const { fields, file } = await readForm(context, upload)
  return { body: fields, file }
}

/** 1 MiB (decisions row 30). */
export const MAX_BODY = 1024 * 1024

function check(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (!result.success) throw new Refusal(400, explain(result.error))
  return result.data
}

interface Caller {
  actor: UserRow
  /** The click that a callback answers. */
  interaction?: InteractionRow
}

/** The channel in a path, or that of the channel webhook in it, or of the click that is answered. */
function channelOf(chat: Chat, params: Record<string, string>, interaction: InteractionRow | undefined) {
  const { webhook_id, channel_id = interaction?.channel_id } = params
  if (webhook_id === undefined) return channel_id === undefined ? undefined : findChannel(chat, channel_id)
  const webhook = findChannelWebhook(chat, webhook_id)
  if (webhook === undefined) throw notFound('webhook')
  return findChannel(chat, webhook.channel_id)
}

/** The server, channel and own bot of the path, after checking access, membership, visibility, flag and permission (§5, §7). */
function placeOf(chat: Chat, entry: Endpoint, params: Record<string, string>, { actor, interaction }: Caller) {
  const { access, flag, permission, permissionFor } = entry
  if (access === 'staff' && actor.staff === 0) {
    throw new Refusal(403, "not allowed: only the service's staff can do this")
  }
  const bot = access === 'own_bot' ? findBot(chat, params['bot_id']!) : undefined
  // To others, the bot must look as if it did not exist.
  if (access === 'own_bot' && bot?.owner_id !== actor.id) throw notFound('bot')
  const { server_id, channel_id } = params
  const server = server_id === undefined ? undefined : findServer(chat, server_id)
  if (server_id !== undefined && server === undefined) throw notFound('server')
  const channel = channelOf(chat, params, interaction)
  if (channel_id !== undefined && channel === undefined) throw notFound('channel')
  const home = server?.id ?? channel?.server_id ?? null
  if (home !== null && access !== 'anyone' && findMember(chat, home, actor.id) === undefined) {
    throw new Refusal(403, `not allowed: the ${actor.bot === 1 ? 'bot' : 'person'} is not in that server`)
  }
  if (channel !== undefined && !canSee(chat, channel, actor.id)) throw notFound('channel')
  if (flag && home !== null && !hasFlag(findServer(chat, home)!, flag)) {
    throw new Refusal(403, `not allowed: ${flag} is not available on this server`)
  }
  if (permission && permissionFor !== 'others') requirePermission(chat, home, actor.id, permission)
  return { server, channel, bot }
}

function rateKeys(entry: Endpoint, actor: UserRow, params: Record<string, string>) {
  return (entry.limits ?? []).map((name) => {
    const limit = limits[name]
    const counted = { server: params['server_id'], channel: params['channel_id'], message: params['message_id'] }
    const of = counted[limit.per as keyof typeof counted] ?? actor.id
    return { key: `${name} ${of}`, limit }
  })
}

/** 405 with `Allow` where the path exists but the method does not (decisions row 29). */
export function refuseOtherMethods(app: Hono, { base, endpoints }: Pick<Routes, 'base' | 'endpoints'>): void {
  const routes = Object.values(endpoints)
    .flatMap((entries) => Object.values(entries))
    .map(({ method, path }) => ({ method, path: base + path }))
  // One route for all paths: one per path would slow down every request and the start of every test.
  app.all(`${base}/*`, (context, next) => {
    // A URL may match two paths (`/messages/{id}` and `/messages/bulk-delete`); list the methods of both.
    const allowed = routes.filter(({ path }) => fits(path, context.req.path)).map(({ method }) => method)
    if (allowed.length === 0) return next()
    const allow = [...new Set(allowed)].sort().join(', ')
    throw new Refusal(405, `${context.req.method} is not allowed here; use ${allow}`, { headers: { allow } })
  })
}

/** Whether a path matches a pattern with names in braces. */
export function fits(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const given = path.split('/')
  const suits = (part: string, index: number) => (part.startsWith('{') ? given[index] !== '' : part === given[index])
  return parts.length === given.length && parts.every(suits)
}
