import { type Clock, elapsedOf } from '@botwright/clock'
import { type EventPage, type EventType, limits } from '@botwright/protocol'
import { eventsAfter, insertEvent, newestEventId, pruneEvents, type Target } from '../db/events.ts'
import type { Sql } from '../db/sql.ts'
import { iso } from '../iso-time.ts'
import { Json } from '../json.ts'
import { type RecentEvent, RecentEvents } from './recent-events.ts'
import type { Refusal } from '../refusal.ts'

const RETENTION_MS = limits.event_retention.seconds * 1000
/** Maximum number of events per page; the next poll returns the rest. */
const PAGE = 1000
/** Old events are deleted after so many new ones. */
const PRUNE_EVERY = 256

type PolledEvent = Pick<RecentEvent, 'id' | 'rest'>

/** A stored event, until its transaction is committed. */
interface Added {
  id: number
  botId: string
  event: RecentEvent
}

/**
 * The event feed of all bots: one sequence of ids (decisions row 19) in the database; in memory, the newest events of each bot and
 * the waiting polls. A poll reads the database only if it is further behind than memory, such as after a restart.
 */
export class Feed {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #recent = new Map<string, RecentEvents>()
  readonly #waiting = new Map<string, Set<(refusal?: Refusal) => void>>()
  /** Called with the bot's id when one of its polls starts waiting. */
  readonly watchers = new Set<(botId: string) => void>()
  /** The newest id of a committed event; below, of any event. The ids of a rolled-back event are not used again. */
  #newest: number
  #allocated: number
  /** The newest id at startup: events up to here are only in the database. */
  #start: number
  #sincePruned = 0

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
    this.#newest = this.#allocated = this.#start = newestEventId(sql)
  }

  /** Starts again after all events were deleted. */
  reset(): void {
    this.#recent.clear()
    this.#newest = this.#allocated = this.#start = newestEventId(this.#sql)
    this.wakeAll()
  }

  /** Stores an event for some bots. Call `publish` after the commit. */
  add(type: EventType, data: object, targets: readonly Target[]): Added[] {
    if (targets.length === 0) return []
    const now = this.#clock.now()
    const firstId = this.#allocated + 1
    this.#allocated += targets.length
    const json = JSON.stringify(data)
    insertEvent(this.#sql, { type, data: json, created_at: now }, { firstId, targets })
    if (++this.#sincePruned >= PRUNE_EVERY) {
      this.#sincePruned = 0
      pruneEvents(this.#sql, now - RETENTION_MS)
    }
    const shared = restOf(type, json, now)
    return targets.map(({ botId, own }, index) => ({
      id: firstId + index,
      botId,
      event: {
        id: firstId + index,
        createdAtMs: now,
        rest: own === undefined ? shared : restOf(type, JSON.stringify({ ...data, ...own }), now),
      },
    }))
  }

  /** Makes a committed event visible to polls. */
  publish({ id, botId, event }: Added): void {
    this.#newest = Math.max(this.#newest, id)
    let recent = this.#recent.get(botId)
    if (recent === undefined) this.#recent.set(botId, (recent = new RecentEvents(this.#start)))
    recent.push(event)
  }

  /** Whether a poll of a bot is waiting. */
  waits(botId: string): boolean {
    return (this.#waiting.get(botId)?.size ?? 0) > 0
  }

  /** Ends the waiting polls of a bot. */
  wake(botId: string): void {
    const waiting = this.#waiting.get(botId)
    this.#waiting.delete(botId)
    if (waiting) for (const resume of waiting) resume()
  }

  /** Ends the waiting polls of a bot with a refusal, because their token is no longer valid. */
  refuse(botId: string, refusal: Refusal): void {
    const waiting = this.#waiting.get(botId)
    this.#waiting.delete(botId)
    if (waiting) for (const resume of waiting) resume(refusal)
  }

  wakeAll(): void {
    for (const botId of [...this.#waiting.keys()]) this.wake(botId)
  }

  /** Handles one poll (§4, Events; decisions rows 16 to 19 and 35). */
  async poll(
    botId: string,
    { after, wait }: { after: number; wait: number },
    onDisconnect: (end: () => void) => void,
  ): Promise<Json<EventPage>> {
    if (after === 0 || after > this.#newest) return this.#page([])
    const events = this.#after(botId, after)
    if (events.length > 0 || wait === 0) return this.#page(events)
    await this.#wait(botId, wait * 1000, onDisconnect)
    return this.#page(this.#after(botId, after))
  }

  #after(botId: string, after: number): PolledEvent[] {
    const sinceMs = this.#clock.now() - RETENTION_MS
    const recent = this.#recent.get(botId)
    if (after >= (recent?.floor ?? this.#start)) return recent?.after(after, sinceMs) ?? []
    return eventsAfter(this.#sql, botId, { after, sinceMs, limit: PAGE }).map(({ id, type, data, created_at }) => ({
      id,
      rest: restOf(type, data, created_at),
    }))
  }

  #page(events: readonly PolledEvent[]): Json<EventPage> {
    const last = events.length === PAGE ? events[PAGE - 1]!.id : this.#newest
    return new Json(`{"events":[${events.map(({ id, rest }) => `{"id":${id},${rest}`).join(',')}],"last":${last}}`)
  }

  #wait(botId: string, waitMs: number, onDisconnect: (end: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(botId) ?? new Set()
      this.#waiting.set(botId, waiting)
      const resume = (refusal?: Refusal) => {
        timer.cancel()
        waiting.delete(resume)
        if (refusal) reject(refusal)
        else resolve()
      }
      // Otherwise each move of the clock would end all polls, and their bots would take that for a service that does not wait.
      const timer = elapsedOf(this.#clock).after(waitMs, resume)
      onDisconnect(resume)
      waiting.add(resume)
      for (const watcher of this.watchers) watcher(botId)
    })
  }
}

/** The JSON of a polled event after its id. */
const restOf = (type: string, data: string, createdAtMs: number): string =>
  `"type":${JSON.stringify(type)},"data":${data},"created_at":"${iso(createdAtMs)}"}`
