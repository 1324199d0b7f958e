import { AdvanceableClock, type Clock, elapsedOf, systemClock } from '@botwright/clock'
import { type Database, migrate } from '@botwright/sqlite'
import { atomically, type Chat } from '../chat.ts'
import { ClockFollowers } from '../framework-dev/clock-followers.ts'
import { type ContentRules, rulesOf } from '../rule-set.ts'
import type { Replay } from '../people-api/resources.ts'
import { createDirectory } from '../db/directory.ts'
import { emptyTables } from '../db/empty.ts'
import { newestEventId } from '../db/events.ts'
import { migrations } from '../db/schema.ts'
import { preparedSql, type Sql } from '../db/sql.ts'
import { Deliveries, type PostEvent } from '../event-webhooks/deliveries.ts'
import { runLogged } from '../failures.ts'
import { logFailure } from '../log-failure.ts'
import { Feed } from '../event-feed/feed.ts'
import { Inspector } from '../inspect/inspector.ts'
import { completeWorld, populate } from './populate.ts'
import { Refusal } from '../refusal.ts'
import { Presences } from '../stream/presence.ts'
import { RateWindows } from '../rate-windows.ts'
import { sendReplay, shared } from '../store/notify.ts'
import { moveUploads } from '../store/uploads.ts'
import { leaveAllVoice, leaveVoice, voiceChannelOf } from '../store/voice.ts'
import { Replays } from '../framework-dev/replays.ts'
import { Stream } from '../stream/stream.ts'
import { CodeProblems } from '../framework-dev/code-problems.ts'
import { Timelines } from '../framework-dev/timelines.ts'
import { describeWorld, type RunningWorld } from '../world/running-world.ts'
import { keepWorld } from '../world/starting-world.ts'
import type { CheckedWorld, World } from '../world/world.ts'

/** The world and the clock of a service. */
interface ChatOptions {
  world?: World
  clock?: Clock
  allowLoopbackWebhooks: boolean
  postEvent?: PostEvent
}

/** The state of a service. */
export interface OpenChat {
  chat: Chat
  clock: AdvanceableClock
  inspector: Inspector
  resumed: boolean
  /** Restores the initial world. Throws a refusal if the service resumed from a file. */
  reset: () => void
  /** Calls it by its address from now on, and returns its people, bots and servers. */
  runAt: (url: string) => RunningWorld
}

/** Opens the state of a service on a database, which it fills unless it has data. */
export function openChat(db: Database, options: ChatOptions, checked: CheckedWorld): OpenChat {
  const world = completeWorld(checked)
  const clock = new AdvanceableClock(options.clock ?? systemClock)
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
    codeProblems: new CodeProblems(),
    replays: new Replays((botId, eventId) => sendReplay(chat, botId, eventId, noAnswer)),
    clockFollowers: new ClockFollowers(clock),
    presences: new Presences(clock, (userId) => runLogged('a change of presence', () => notifyPresence(chat, userId))),
    rates: new RateWindows(clock),
    deliveries: new Deliveries(sql, clock, {
      allowLoopback: options.allowLoopbackWebhooks,
      ...(options.postEvent && { post: options.postEvent }),
    }),
    inspector,
    afterCommit: [],
    waitingCalls: [],
    delayedAnswers: { watchers: new Set() },
    closed: false,
  }
  const fill = () => {
    populate(chat, world)
    keepWorld(sql, options.world ?? {})
  }
  const resumed = sql.get("SELECT 1 FROM meta WHERE key = 'populated'") !== undefined
  if (resumed) chat.rules = keptRules(sql) ?? chat.rules
  else atomically(chat, fill)
  const reset = () => {
    if (resumed) {
      throw new Refusal(
        400,
        'cannot reset: the service resumed from a data file, so there is no initial world to restore',
      )
    }
    atomically(chat, () => {
      const registered = sql.all<{ user_id: string; commands: string }>('SELECT user_id, commands FROM bots')
      const newest = newestEventId(sql)
      emptyTables(sql)
      // Ids of events continue, so that a bot that polls does not skip the next ones.
      sql.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'", newest)
      fill()
      // A bot that runs registers its commands only when it starts.
      for (const { user_id, commands } of registered)
        sql.run('UPDATE bots SET commands = ? WHERE user_id = ?', commands, user_id)
      moveUploads(chat)
    })
    chat.feed.reset()
    chat.rates.clear()
    chat.presences.clear()
    chat.deliveries.clear()
    chat.inspector.clear()
    chat.timelines.clear()
    chat.codeProblems.clear()
    chat.replays.clear()
    chat.clockFollowers.clear()
    chat.stream.endAll()
  }
  const runAt = (url: string) => {
    chat.origin = url
    atomically(chat, () => {
      moveUploads(chat)
      leaveAllVoice(chat)
    })
    return describeWorld(chat, resumed ? undefined : world)
  }
  return { chat, clock, inspector, resumed, reset, runAt }
}

/** The content rules stored in the data file; files of older releases have none. */
function keptRules(sql: Sql): ContentRules | undefined {
  const kept = sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'content_rules'")
  return kept && rulesOf(JSON.parse(kept.value) as object)
}

const noAnswer: Replay = { verdict: 'failed', was: [], now: ['framework dev ended before it had run the event'] }

/** Presence changes come from timers and ended polls, outside of requests. */
function notifyPresence(chat: Chat, userId: string): void {
  if (chat.closed) return
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
  leaveVoiceOffline(chat, userId)
}

const LEAVE_AGAIN_MS = 10_000

/** A person whose last page has closed also leaves voice; later if that cannot be stored now, such as while the data file is locked. */
function leaveVoiceOffline(chat: Chat, userId: string): void {
  const isOffline = !chat.closed && chat.presences.of(userId).status === 'offline'
  if (!isOffline || voiceChannelOf(chat, userId) === undefined) return
  try {
    atomically(chat, () => leaveVoice(chat, userId))
  } catch (error) {
    logFailure('service: a person without a page is still in voice:', error)
    elapsedOf(chat.clock).after(LEAVE_AGAIN_MS, () => leaveVoiceOffline(chat, userId))
  }
}
