import type { Server as HttpServer } from 'node:http'
import { AdvanceableClock, type Clock, systemClock } from '@botwright/clock'
import { type Database, migrate, openDatabase } from '@botwright/sqlite'
import type { Hono } from 'hono'
import { buildApp } from './app.ts'
import { atomically, type Chat } from './chat.ts'
import { ClockFollowers } from './clock-followers.ts'
import { type ContentRules, rulesOf } from './rule-set.ts'
import { serveControls } from './controls.ts'
import { createDirectory } from './db/directory.ts'
import { emptyTables } from './db/empty.ts'
import { newestEventId } from './db/events.ts'
import { memoryDatabase } from './db/memory-database.ts'
import { migrations } from './db/schema.ts'
import { preparedSql, type Sql } from './db/sql.ts'
import { Deliveries } from './event-webhooks/deliveries.ts'
import { runLogged } from './failures.ts'
import { Feed } from './feed.ts'
import { Inspector } from './inspector.ts'
import { completeWorld, populate } from './populate.ts'
import { Refusal } from './refusal.ts'
import { createHttpServer, listen } from './http-server.ts'
import { Presences } from './presence.ts'
import { RateWindows } from './rate-windows.ts'
import { shared } from './store/notify.ts'
import { moveUploads } from './store/uploads.ts'
import { leaveAllVoice, leaveVoice } from './store/voice.ts'
import { Replays } from './replays.ts'
import { Stream } from './stream.ts'
import { Timelines } from './timelines.ts'
import { createTap, type Tap } from './tap.ts'
import { newToken } from './tokens.ts'
import { describeWorld, type RunningWorld } from './running-world.ts'
import { keepWorld } from './starting-world.ts'
import { type CheckedWorld, checkWorld, type World } from './world.ts'

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
  tap: Tap
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
  const { port = 7420, host = '127.0.0.1', controls = false } = options
  const world = completeWorld(checked)
  const clock = new AdvanceableClock(options.clock ?? systemClock)
  try {
    migrate(db, migrations)
    const sql = preparedSql(db)
    const inspector = new Inspector(() => chat)
    const chat: Chat = {
      db,
      sql,
      directory: createDirectory(sql),
      clock,
      origin: '',
      rules: rulesOf(world.content_rules),
      feed: new Feed(sql, clock),
      stream: new Stream(),
      commandHelp: new Map(),
      timelines: new Timelines(),
      replays: new Replays(),
      clockFollowers: new ClockFollowers(clock),
      presences: new Presences(clock, (userId) =>
        runLogged('a change of presence', () => notifyPresence(chat, userId)),
      ),
      rates: new RateWindows(clock),
      deliveries: new Deliveries(sql, clock, {
        allowLoopback: options.allowLoopbackWebhooks ?? controls,
      }),
      inspector,
      afterCommit: [],
      waitingCalls: [],
      closed: false,
    }
    const fill = () => {
      populate(chat, world)
      keepWorld(sql, options.world ?? {})
    }
    const resumed = sql.get("SELECT 1 FROM meta WHERE key = 'populated'") !== undefined
    if (resumed) chat.rules = keptRules(sql) ?? chat.rules
    else fill()
    const reset = () => {
      if (resumed) {
        throw new Refusal(
          400,
          'cannot reset: the service resumed from a data file, so there is no initial world to restore',
        )
      }
      const registered = sql.all<{ user_id: string; commands: string }>('SELECT user_id, commands FROM bots')
      const newest = newestEventId(sql)
      emptyTables(sql)
      // Ids of events continue, so that a bot that polls does not skip the next ones.
      sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'", newest)
      chat.feed.reset()
      chat.rates.clear()
      chat.presences.clear()
      chat.deliveries.clear()
      chat.inspector.clear()
      chat.timelines.clear()
      chat.replays.clear()
      chat.clockFollowers.clear()
      fill()
      // A bot that runs registers its commands only when it starts.
      for (const { user_id, commands } of registered)
        sql.run('UPDATE bots SET commands = ? WHERE user_id = ?', commands, user_id)
      moveUploads(chat)
      chat.stream.endAll()
    }
    const key = options.key ? newToken() : undefined
    const addControls = controls ? (made: Hono) => serveControls(made, chat, { reset }) : undefined
    const app = buildApp(chat, { host, key, addControls, inspect: inspector.middleware })
    const server = createHttpServer(app)
    const used = await listen(server, port, host)
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${used}`
    chat.origin = url
    atomically(chat, () => {
      moveUploads(chat)
      leaveAllVoice(chat)
    })
    const running = describeWorld(chat, resumed ? undefined : world)
    let closing: Promise<void> | undefined
    const close = () => (closing ??= closeAll(chat, server))
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
      tap: createTap(chat),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
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

/** The content rules stored in the data file; files of older releases have none. */
function keptRules(sql: Sql): ContentRules | undefined {
  const kept = sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'content_rules'")
  return kept && rulesOf(JSON.parse(kept.value) as object)
}

/** Presence changes come from timers and ended polls, outside of requests. */
function notifyPresence(chat: Chat, userId: string): void {
  if (chat.closed) return
  // A person whose last page has closed also leaves voice.
  if (chat.presences.of(userId).status === 'offline') atomically(chat, () => leaveVoice(chat, userId))
  for (const viewer of chat.stream.listeners()) {
    if (shared(chat, viewer, userId)) {
      chat.stream.send(viewer, 'presence', {
        channel_id: null,
        server_id: null,
        user_id: userId,
        presence: chat.presences.of(userId),
      })
    }
  }
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
