import type { Database, Value } from '@botwright/sqlite'
import type { Result } from '../../link/ports.ts'
import { readHistoryFile } from './history-file.ts'

/** What became of an event, as far as it is recorded. */
export type RecordedResult = Result | 'none' | 'unfinished'

/** A call that a bot made for an event. */
export interface RecordedCall {
  name: string
  /** Without tokens; undefined when it was too long to record. */
  input: unknown
  ms: number
  /** Set when it failed: the code and the text of the error. */
  code?: string
  error?: string
  /** The id of the message that it made, or of the channel for direct messages. */
  created?: string
  /** What the service answered, of a call that only reads. */
  answer?: unknown
}

/** An event as it was handled. */
export interface RecordedEvent {
  /** Rises in the order in which events were heard. */
  seq: number
  /** Where the bot ran. */
  baseUrl: string
  botId: string
  username: string
  /** The event itself: `data` is undefined when it was too long to record, and holds no token. */
  id: number
  type: string
  created_at: string
  data: Record<string, unknown> | undefined
  /** When the bot heard it, milliseconds since 1970. */
  atMs: number
  /** `none`: no file handles it; `unfinished`: its handler has not ended, or the bot died; else as in `Outcome`. */
  result: RecordedResult
  file?: string
  ms?: number
  error?: string
  calls: readonly RecordedCall[]
}

/** Which events are asked for. */
export interface HistoryQuery {
  /** Heard at this time or later. */
  sinceMs?: number
  afterSeq?: number
  seqs?: readonly number[]
  type?: string
  file?: string
  id?: number
  botId?: string
  /** The newest so many. */
  limit?: number
}

interface EventRow {
  seq: number
  base_url: string
  bot_id: string
  username: string
  id: number
  type: string
  created_at: string
  at_ms: number
  data: string | null
  file: string | null
  ms: number | null
  result: string | null
  error: string | null
}

interface CallRow {
  name: string
  input: string | null
  ms: number
  code: string | null
  error: string | null
  created: string | null
  answer: string | null
}

/** Reads what a bot has recorded, also while it runs. Throws `ERR_CONFIG` when there is no such file, or it cannot be read. */
export class History implements Disposable {
  readonly #db: Database

  constructor(file: string) {
    this.#db = readHistoryFile(file)
  }

  /** The number of the newest event; 0 when there is none. */
  get lastSeq(): number {
    return this.#db.prepare<{ last: number | null }>('SELECT max(seq) AS last FROM event').get()?.last ?? 0
  }

  /** When the oldest event was heard. */
  get firstMs(): number | undefined {
    return this.#db.prepare<{ first: number | null }>('SELECT min(at_ms) AS first FROM event').get()?.first ?? undefined
  }

  /** Events in the order in which they were heard. */
  events(query: HistoryQuery = {}): RecordedEvent[] {
    const { sinceMs, afterSeq, seqs, type, file, id, botId, limit } = query
    const conditions: string[] = []
    const values: Value[] = []
    const only = (condition: string, value: Value | undefined) => {
      if (value === undefined) return
      conditions.push(condition)
      values.push(value)
    }
    only('event.at_ms >= ?', sinceMs)
    only('event.seq > ?', afterSeq)
    only('event.type = ?', type)
    only('event.file = ?', file)
    only('event.id = ?', id)
    only('session.bot_id = ?', botId)
    if (seqs) conditions.push(`event.seq IN (${seqs.map(Number).join()})`)
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const rows = this.#db
      .prepare<EventRow>(
        `SELECT event.*, base_url, bot_id, username FROM event JOIN session ON session.id = event.session ${where}
         ORDER BY event.seq DESC LIMIT ?`,
      )
      .all(...values, limit ?? -1)
    const calls = this.#db.prepare<CallRow>(
      'SELECT name, input, ms, code, error, created, answer FROM call WHERE event = ? ORDER BY n',
    )
    return rows.reverse().map((row) => toEvent(row, calls.all(row.seq)))
  }

  close(): void {
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

const results: ReadonlySet<RecordedResult> = new Set<RecordedResult>([
  ...(['ok', 'error', 'timed_out', 'crashed', 'dead_lettered', 'skipped', 'none'] as const),
])

function toEvent(row: EventRow, calls: readonly CallRow[]): RecordedEvent {
  const { seq, id, type, created_at, data, file, ms, result, error } = row
  return {
    seq,
    baseUrl: row.base_url,
    botId: row.bot_id,
    username: row.username,
    id,
    type,
    created_at,
    data: data === null ? undefined : (JSON.parse(data) as Record<string, unknown>),
    atMs: row.at_ms,
    // Null, or of a later release.
    result: results.has(result as RecordedResult) ? (result as RecordedResult) : 'unfinished',
    ...(file !== null && { file }),
    ...(ms !== null && { ms }),
    ...(error !== null && { error }),
    calls: calls.map(toCall),
  }
}

const toCall = ({ name, input, ms, code, error, created, answer }: CallRow): RecordedCall => ({
  name,
  input: input === null ? undefined : (JSON.parse(input) as unknown),
  ms,
  ...(code !== null && { code }),
  ...(error !== null && { error }),
  ...(created !== null && { created }),
  ...(answer !== null && { answer: JSON.parse(answer) as unknown }),
})
