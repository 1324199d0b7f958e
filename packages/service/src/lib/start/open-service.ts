import { EventEmitter } from 'node:events'
import type { Hono } from 'hono'
import { buildApp } from '../app.ts'
import { emptyEvents } from '../db/empty.ts'
import { memoryDatabase } from '../db/memory-database.ts'
import type { PostEvent } from '../event-webhooks/deliveries.ts'
import { openChat } from './open-chat.ts'
import type { Service, ServiceOptions } from './start-service.ts'
import { createObserver } from './observer.ts'
import { checkWorld } from '../world/world.ts'

/** A running chat service without a port. */
export interface OpenService extends Pick<Service, 'url' | 'base_url' | 'world' | 'clock' | 'observer'> {
  /** Answers one request. `closed` is aborted when its caller has gone. */
  answer(request: Request, closed: AbortSignal): Promise<Response>
  /** The ids of events start again, as with a database of an earlier time. */
  renumber(): void
  close(): void
}

/** Where a service without a port finds itself. */
const ORIGIN = 'http://127.0.0.1:7420'

/**
 * Opens the local chat service without a port, in memory: its calls are functions, and nothing of it waits but for `clock`. For simulations.
 * `postEvent` carries event webhooks.
 * Throws `ERR_WORLD` if the world is invalid.
 */
export function openService({
  world = {},
  clock,
  postEvent,
}: Pick<ServiceOptions, 'world' | 'clock'> & { postEvent?: PostEvent }): OpenService {
  const db = memoryDatabase()
  try {
    const options = { world, allowLoopbackWebhooks: false, ...(clock && { clock }), ...(postEvent && { postEvent }) }
    const { chat, inspector, runAt, ...rest } = openChat(db, options, checkWorld(world))
    const app = buildApp(chat, {
      host: '127.0.0.1',
      key: undefined,
      addControls: undefined,
      inspect: inspector.middleware,
    })
    return {
      base_url: `${ORIGIN}/v1`,
      url: ORIGIN,
      world: runAt(ORIGIN),
      clock: rest.clock,
      observer: createObserver(chat),
      answer: (request, closed) => answerWith(app, request, closed),
      renumber() {
        emptyEvents(chat.sql)
        chat.feed.reset()
        chat.deliveries.clear()
      },
      close() {
        chat.deliveries.close()
        chat.feed.wakeAll()
        chat.closed = true
        chat.presences.clear()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The connection of a call without one. */
class Outgoing extends EventEmitter {
  setHeader(): void {}
}

function answerWith(app: Hono, request: Request, closed: AbortSignal): Promise<Response> {
  const outgoing = new Outgoing()
  closed.addEventListener('abort', () => outgoing.emit('close'), { once: true })
  return Promise.resolve(app.fetch(request, { outgoing }))
}
