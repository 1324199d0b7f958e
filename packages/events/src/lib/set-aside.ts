import type { Database } from '@botwright/sqlite'
import { type BotEvent, readEvent } from './bot-event.ts'
import type { ReportEntry } from './report.ts'

/** An event that used up its attempts. It can be replayed manually. */
export interface SetAside {
  event: BotEvent
  reason: string
  atMs: number
}

/** Reports that an event is set aside. */
export const setAsideEntry = ({ id, type }: BotEvent, attempts: number, reason: string): ReportEntry => ({
  code: 'event_set_aside',
  level: 'error',
  message: `event ${id} (${type}) set aside: ${reason}; run "framework replay ${id}" once the cause is fixed`,
  ...{ id, type, attempts },
})

/** Texts are read as bytes: libsql crashes the process on text that is not UTF-8, which a damaged file may contain. */
export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

const columns = 'CAST(event AS BLOB) AS event, CAST(reason AS BLOB) AS reason, at_ms'

/** The events of one feed that are set aside, and the requests of other processes to replay them. */
export class SetAsideTable {
  readonly #db: Database
  readonly #feed: number

  constructor(db: Database, feed: number) {
    this.#db = db
    this.#feed = feed
  }

  readonly add = ({ event, reason, atMs }: SetAside): void => {
    const sql = 'INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?, ?, ?)'
    this.#db.prepare(sql).run(this.#feed, event.id, JSON.stringify(event), reason, atMs, event.era ?? 0)
  }

  list(): SetAside[] {
    const sql = `SELECT ${columns} FROM set_aside WHERE feed = ? ORDER BY era, event_id`
    const rows = this.#db.prepare<{ event: Uint8Array; reason: Uint8Array; at_ms: number }>(sql).all(this.#feed)
    return rows.flatMap(({ event: text, reason, at_ms }) => {
      const event = eventOf(text)
      return event ? [{ event, reason: textOf(reason), atMs: Number(at_ms) }] : []
    })
  }

  readonly remove = ({ id, era }: { id: number; era: number }): void => {
    this.#db.prepare('DELETE FROM set_aside WHERE feed = ? AND era = ? AND event_id = ?').run(this.#feed, era, id)
  }

  count(): number {
    return Number(
      this.#db.prepare('SELECT count(*) AS count FROM set_aside WHERE feed = ?').get(this.#feed)?.['count'] ?? 0,
    )
  }

  request(id: number, atMs: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO replay_request VALUES (?, ?, ?)').run(this.#feed, id, atMs)
  }

  requests(): number[] {
    const sql = 'SELECT event_id FROM replay_request WHERE feed = ? ORDER BY event_id'
    return this.#db
      .prepare<{ event_id: number }>(sql)
      .all(this.#feed)
      .map(({ event_id }) => Number(event_id))
  }

  dropRequest(id: number): void {
    this.#db.prepare('DELETE FROM replay_request WHERE feed = ? AND event_id = ?').run(this.#feed, id)
  }
}

function eventOf(bytes: Uint8Array): BotEvent | undefined {
  let value: unknown
  try {
    value = JSON.parse(textOf(bytes))
  } catch {
    return undefined // one damaged event: still read the others
  }
  const event = readEvent(value, 0)
  return typeof event === 'string' ? undefined : event
}
