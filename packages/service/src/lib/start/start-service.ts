import type { Server as HttpServer } from 'node:http'
import { type AdvanceableClock, type Clock, systemClock } from '@botwright/clock'
import { type Database, openDatabase } from '@botwright/sqlite'
import type { Hono } from 'hono'
import { buildApp } from '../app.ts'
import type { Chat } from '../chat.ts'
import { serveControls } from '../controls/controls.ts'
import { memoryDatabase } from '../db/memory-database.ts'
import { createHttpServer, listen } from '../http/http-server.ts'
import { openChat } from './open-chat.ts'
import { createObserver, type ServiceObserver } from './observer.ts'
import { newToken } from '../tokens.ts'
import type { RunningWorld } from '../world/running-world.ts'
import { type CheckedWorld, checkWorld, type World } from '../world/world.ts'

/** Options of a chat service. */
export interface ServiceOptions {
  /** 0 picks a free port. Default: 7420. */
  port?: number
  host?: string
  /** A file, or `:memory:` (the default). The service resumes from a file with data and then ignores `world`. */
  data?: string
  world?: World
  clock?: Clock
  /** Serves `/controls/v1`, for tests and demonstrations. */
  controls?: boolean
  /** Allows event webhooks on this machine (§4 requires public https URLs). Default: as `controls`. */
  allowLoopbackWebhooks?: boolean
  /**
   * Generates a key for this run, which every call of the people's API and the controls must send as `X-Service-Key`.
   * Use it on a machine shared with other users: without a key, each of them can sign in as anyone.
   */
  key?: boolean
}

/** A running chat service. */
export interface Service extends AsyncDisposable {
  /** `http://127.0.0.1:7420` */
  url: string
  /** The base URL of the bot interface, which ends in `/v1`. */
  base_url: string
  /** The URL of the web page, including the key of this run if there is one. */
  page: string
  /** The key of this run; only with the option `key`. */
  key?: string
  port: number
  /** Ids and tokens by name at startup. A token is null if only its hash is stored. */
  world: RunningWorld
  /** Whether the service resumed from a data file and ignored `world`. */
  resumed: boolean
  /** Names of bots whose event webhook receives nothing, because its URL is not allowed (see `allowLoopbackWebhooks`). */
  unusedEventWebhooks: string[]
  clock: AdvanceableClock
  /** In-process access to its state without HTTP, for tests. */
  observer: ServiceObserver
  close(): Promise<void>
}

/** Starts the local chat service. Throws `ERR_WORLD` if the world is invalid; the message names the field. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const world = checkWorld(options.world ?? {})
  const { data = ':memory:' } = options
  return startOn(data === ':memory:' ? memoryDatabase() : openDatabase(data), options, world)
}

/** Starts the service on an open database; closes the database on shutdown, also if startup fails. */
export async function startOn(db: Database, options: ServiceOptions, checked: CheckedWorld): Promise<Service> {
  const { port = 7420, host = '127.0.0.1' } = options
  let server: HttpServer | undefined
  try {
    const key = options.key ? newToken() : undefined
    const { controls = false, allowLoopbackWebhooks = controls } = options
    const { chat, clock, inspector, resumed, reset, runAt } = openChat(
      db,
      { ...options, allowLoopbackWebhooks },
      checked,
    )
    const addControls = controls ? (made: Hono) => serveControls(made, chat, { reset }) : undefined
    const app = buildApp(chat, { host, key, addControls, inspect: inspector.middleware })
    const started = (server = createHttpServer(app))
    const used = await listen(started, port, host)
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${used}`
    const running = runAt(url)
    let closing: Promise<void> | undefined
    const close = () => (closing ??= closeAll(chat, started))
    return {
      url,
      base_url: `${url}/v1`,
      // Browsers do not send the fragment, so the key reaches the page but no log.
      page: key === undefined ? `${url}/` : `${url}/#key=${key}`,
      ...(key !== undefined && { key }),
      port: used,
      world: running,
      resumed,
      unusedEventWebhooks: unusedEventWebhooks(chat),
      clock,
      observer: createObserver(chat),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    // Otherwise the program would not end.
    server?.close()
    db.close()
    throw error
  }
}

function unusedEventWebhooks(chat: Chat): string[] {
  const bots = chat.sql.all<{ username: string; url: string }>(
    'SELECT u.username, b.webhook_url AS url FROM bots b JOIN users u ON u.id = b.user_id WHERE b.webhook_url IS NOT NULL',
  )
  return bots.filter(({ url }) => !chat.deliveries.accepts(url)).map(({ username }) => username)
}

/** Ends waiting polls and streams, then closes the server and the database. */
async function closeAll(chat: Chat, server: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  chat.deliveries.close()
  chat.feed.wakeAll()
  chat.replays.clear()
  chat.clockFollowers.clear()
  chat.stream.endAll()
  server.closeIdleConnections()
  await new Promise((resolve) => setImmediate(resolve))
  // Use the system clock: a virtual one may not advance.
  const force = systemClock.after(200, () => server.closeAllConnections(), { keepAlive: true })
  await closed
  force.cancel()
  chat.closed = true
  chat.presences.clear()
  chat.db.close()
}
