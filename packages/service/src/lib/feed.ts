import type { Clock } from '@botwright/clock'
import { type EventData, type EventPage, type EventType, limits } from '@botwright/protocol'
import type { Sql } from './db/sql.ts'
import { iso } from './iso-time.ts'
import type { Refusal } from './refusal.ts'

const RETENTION_MS = limits.event_retention.seconds * 1000
/** Maximum number of events per page; the next poll returns the rest. */
const PAGE = 1000
/** Old events are deleted after so many new ones. */
const PRUNE_EVERY = 256

interface EventRow {
  id: number
  type: string
  data: string
  created_at: number
}

/** The event feed of all bots: one sequence of ids (decisions row 19) in the database, and the waiting polls in memory. */
export class Feed {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<(refusal?: Refusal) => void>>()
  /** Called with the bot's id when one of its polls starts waiting. */
  readonly watchers = new Set<(botId: string) => void>()

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** The newest event id across all bots. Never 0 (decisions row 35). */
  newest(): number {
    return this.#sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 1
  }

  add(botId: string, type: EventType, data: object): number {
    const now = this.#clock.now()
    const { lastInsertRowid: id } = this.#sql.run(
      'INSERT INTO events (bot_id, type, data, created_at) VALUES (?, ?, ?, ?)',
      botId,
      type,
      JSON.stringify(data),
      now,
    )
    if (id % PRUNE_EVERY === 0) this.#prune(now - RETENTION_MS)
    return id
  }

  /** A click can be answered for 15 minutes (§3); it is kept as long as its event. */
  #prune(beforeMs: number): void {
    this.#sql.run('DELETE FROM events WHERE created_at <= ?', beforeMs)
    this.#sql.run('DELETE FROM interactions WHERE created_at <= ?', beforeMs)
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

  #page(botId: string, after: number): EventPage {
    const rows = this.#sql.all<EventRow>(
      'SELECT id, type, data, created_at FROM events WHERE bot_id = ? AND id > ? AND created_at > ? ORDER BY id LIMIT ?',
      botId,
      after,
      this.#clock.now() - RETENTION_MS,
      PAGE,
    )
    const full = rows.length === PAGE
    return {
      events: rows.map(({ id, type, data, created_at }) => ({
        id,
        type,
        data: JSON.parse(data) as EventData,
        created_at: iso(created_at),
      })),
      last: full ? rows[PAGE - 1]!.id : this.newest(),
    }
  }

  /** Handles one poll (§4, Events; decisions rows 16 to 19 and 35). */
  async poll(botId: string, after: number, waitSeconds: number, signal: AbortSignal): Promise<EventPage> {
    if (after === 0 || after > this.newest()) return { events: [], last: this.newest() }
    const page = this.#page(botId, after)
    if (page.events.length > 0 || waitSeconds === 0 || signal.aborted) return page
    await this.#wait(botId, waitSeconds * 1000, signal)
    return this.#page(botId, after)
  }

  #wait(botId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(botId) ?? new Set()
      this.#waiting.set(botId, waiting)
      const end = () => resume()
      const resume = (refusal?: Refusal) => {
        timer.cancel()
        signal.removeEventListener('abort', end)
        waiting.delete(resume)
        if (refusal) reject(refusal)
        else resolve()
      }
      const timer = this.#clock.after(waitMs, end)
      signal.addEventListener('abort', end, { once: true })
      waiting.add(resume)
      for (const watcher of this.watchers) watcher(botId)
    })
  }
}
