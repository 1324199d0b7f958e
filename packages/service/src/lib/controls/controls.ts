import { explain, Id } from '@botwright/protocol'
import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { atomically, type Chat } from '../chat.ts'
import { requireJsonType } from '../http/foreign-pages.ts'
import { Fault, Faults } from './faults.ts'
import { Journal } from './journal.ts'
import { notFound, Refusal } from '../refusal.ts'
import { readJson } from '../http/request-body.ts'
import { findChannel } from '../store/access.ts'
import { addMember } from '../store/servers.ts'
import { insertMessage } from '../store/messages.ts'
import { findBot, findUser, findUserByName, insertUser } from '../store/users.ts'
import { logFailure } from '../log-failure.ts'

/** Repeated larger moves would soon exceed the range of dates. */
const TEN_YEARS_SECONDS = 10 * 365 * 24 * 60 * 60
const ClockMove = z.strictObject({ advance_seconds: z.number().min(0).max(TEN_YEARS_SECONDS) })
const Load = z.strictObject({
  channel_id: Id,
  count: z.int().min(1).max(100_000),
  per_second: z.number().min(0.1).max(10_000).default(100),
  content: z.string().min(1).max(1900).default('load'),
})
type Load = z.output<typeof Load>
const LOAD_PEOPLE = 20
const LOAD_STEP_MS = 20

async function read<T extends z.ZodType>(context: Context, schema: T): Promise<z.output<T>> {
  const result = schema.safeParse(await readJson(context, 1024 * 1024))
  if (!result.success) throw new Refusal(400, explain(result.error))
  return result.data
}

/** Serves `/controls/v1`, if the option `controls` is set: for tests and demonstrations, from this machine only. */
export function serveControls(app: Hono, chat: Chat, parts: { reset: () => void }): void {
  const journal = new Journal(chat)
  const faults = new Faults(chat)
  app.use('/controls/v1/*', async (context, next) => {
    const { incoming } = context.env as { incoming: { socket: { remoteAddress?: string } } }
    const from = (incoming.socket.remoteAddress ?? '').replace('::ffff:', '')
    if (from !== '::1' && !from.startsWith('127.'))
      throw new Refusal(403, 'not allowed: only this machine can use the controls')
    requireJsonType(context.req)
    await next()
  })
  app.use('/v1/*', journal.middleware, faults.middleware)
  const loads = new Set<Load>()
  const calls: Record<string, Record<string, (context: Context) => Promise<object> | object>> = {
    clock: {
      POST: async (context) => {
        const { advance_seconds } = await read(context, ClockMove)
        const now = () => new Date(chat.clock.now()).toISOString()
        const from = now()
        const followed = await chat.clockFollowers.move(advance_seconds * 1000)
        const bots = followed.flatMap(({ id, ran = null, follows }) => {
          const user = findUser(chat, id)
          const owner = findUser(chat, findBot(chat, id)?.owner_id ?? '')
          return user && owner ? [{ id, username: user.username, owner: owner.username, ran, follows }] : []
        })
        return { ok: true, from, now: now(), bots }
      },
    },
    faults: {
      POST: async (context) => {
        faults.add(await read(context, Fault))
        return { ok: true }
      },
      DELETE: () => {
        faults.clear()
        return { ok: true }
      },
    },
    load: {
      POST: async (context) => {
        startLoad(chat, loads, await read(context, Load))
        return { ok: true }
      },
    },
    journal: { GET: () => ({ calls: journal.entries }) },
    reset: {
      POST: () => {
        parts.reset()
        // A running load would post as people who no longer exist.
        loads.clear()
        faults.clear()
        journal.entries.length = 0
        return { ok: true }
      },
    },
  }
  const index = Object.entries(calls).flatMap(([name, methods]) =>
    Object.keys(methods).map((method) => `${method} /controls/v1/${name}`),
  )
  app.get('/controls/v1', (context) => context.json({ calls: index }))
  for (const [name, methods] of Object.entries(calls)) {
    app.all(`/controls/v1/${name}`, async (context) => {
      const call = methods[context.req.method]
      if (call) return context.json(await call(context))
      const allow = Object.keys(methods).sort().join(', ')
      throw new Refusal(405, `${context.req.method} is not allowed here; use ${allow}`, { headers: { allow } })
    })
  }
}

/** Posts many messages as up to 20 people, `load-1` to `load-20`, who become members first. */
function startLoad(chat: Chat, loads: Set<Load>, load: Load): void {
  const channel = findChannel(chat, load.channel_id)
  if (!channel?.server_id) throw notFound('channel')
  if (channel.type === 'voice') throw new Refusal(400, 'channel_id: cannot post to a voice channel')
  const serverId = channel.server_id
  const people = atomically(chat, () =>
    Array.from({ length: Math.min(LOAD_PEOPLE, load.count) }, (_, index) => {
      const username = `load-${index + 1}`
      const user = findUserByName(chat, username) ?? insertUser(chat, { username })
      addMember(chat, serverId, user)
      return user
    }),
  )
  const startMs = chat.clock.monotonic()
  let sent = 0
  const step = () => {
    if (chat.closed || !loads.has(load) || !findChannel(chat, channel.id)) return void loads.delete(load)
    const due = Math.min(load.count, Math.floor(((chat.clock.monotonic() - startMs) * load.per_second) / 1000) + 1)
    atomically(chat, () => {
      for (; sent < due; sent++) {
        insertMessage(chat, channel, people[sent % people.length]!, { content: `${load.content} ${sent + 1}` })
      }
    })
    if (sent < load.count) chat.clock.after(LOAD_STEP_MS, later)
    else loads.delete(load)
  }
  // No caller handles errors of later steps: a full disk must end the load, not the service.
  const later = () => {
    try {
      step()
    } catch (error) {
      loads.delete(load)
      logFailure(`service: the load ended after ${sent} of ${load.count} messages:`, error)
    }
  }
  loads.add(load)
  step()
}
