import type { Sql } from './sql.ts'

/** A bot that receives an event. */
export interface Target {
  botId: string
  /** The fields of the data that are different for this bot, such as `mentioned` and `command`. */
  own?: object | undefined
}

/** An event as one bot receives it. */
export interface StoredEvent {
  id: number
  type: string
  /** JSON */
  data: string
  created_at: number
}

interface EventRow extends StoredEvent {
  own: string | null
}

/** The data of an event for one bot. */
export const withOwn = (data: string, own: string | null): string =>
  own === null ? data : JSON.stringify({ ...(JSON.parse(data) as object), ...(JSON.parse(own) as object) })

const complete = ({ id, type, data, created_at, own }: EventRow): StoredEvent => ({
  id,
  type,
  data: withOwn(data, own),
  created_at,
})

/** The newest event id across all bots, also after the events are deleted. Never 0 (decisions row 35). */
export const newestEventId = (sql: Sql): number =>
  sql.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 1

/** Stores an event once, under the last of the ids that its targets receive it with. The ids start with `firstId`. */
export function insertEvent(
  sql: Sql,
  { type, data, created_at }: Omit<StoredEvent, 'id'>,
  { firstId, targets }: { firstId: number; targets: readonly Target[] },
): void {
  const eventId = firstId + targets.length - 1
  sql.run('INSERT INTO events (id, type, data, created_at) VALUES (?, ?, ?, ?)', eventId, type, data, created_at)
  targets.forEach(({ botId, own }, index) => {
    sql.run(
      'INSERT INTO targets (bot_id, id, event_id, own) VALUES (?, ?, ?, ?)',
      botId,
      firstId + index,
      eventId,
      own === undefined ? null : JSON.stringify(own),
    )
  })
}

/** The events of a bot after an id, oldest first. */
export const eventsAfter = (
  sql: Sql,
  botId: string,
  { after, sinceMs, limit }: { after: number; sinceMs: number; limit: number },
): StoredEvent[] =>
  sql
    .all<EventRow>(
      `SELECT t.id, e.type, e.data, e.created_at, t.own FROM targets t JOIN events e ON e.id = t.event_id
        WHERE t.bot_id = ? AND t.id > ? AND e.created_at > ? ORDER BY t.id LIMIT ?`,
      botId,
      after,
      sinceMs,
      limit,
    )
    .map(complete)

/** The newest events of a bot, oldest first. */
export const newestEvents = (sql: Sql, botId: string, limit: number): StoredEvent[] =>
  sql
    .all<EventRow>(
      `SELECT t.id, e.type, e.data, e.created_at, t.own FROM targets t JOIN events e ON e.id = t.event_id
        WHERE t.bot_id = ? ORDER BY t.id DESC LIMIT ?`,
      botId,
      limit,
    )
    .reverse()
    .map(complete)

/** Deletes events up to a time. A click can be answered for 15 minutes (§3); it is kept as long as its event. */
export function pruneEvents(sql: Sql, beforeMs: number): void {
  sql.run('DELETE FROM interactions WHERE created_at <= ?', beforeMs)
  const { id } = sql.get<{ id: number | null }>('SELECT max(id) AS id FROM events WHERE created_at <= ?', beforeMs)!
  if (id === null) return
  sql.run('DELETE FROM targets WHERE bot_id IN (SELECT user_id FROM bots) AND id <= ?', id)
  sql.run('DELETE FROM events WHERE id <= ?', id)
}
