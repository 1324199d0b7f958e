import type { Database, Value } from '@botwright/sqlite'
import type { TimelineFailure } from '@botwright/protocol/timeline'
import type { Result } from '../../link/ports.ts'
import type { RecordedStep } from '../../link/recorded-step.ts'
import { readHistoryFile } from './history-file.ts'

/** The recorded result of an event. */
type RecordedResult = Result | 'none' | 'unfinished'

/** A call that a bot made for an event. */
export interface RecordedCall {
  name: string
  /** Without tokens; undefined if it was too long to record. */
  input: unknown
  ms: number
  /** When it began, in milliseconds since 1970. Undefined in recordings of older releases. */
  atMs?: number
  /** How many requests were sent. */
  attempts?: number
  /** The HTTP status of a failed call. */
  status?: number
  /** The code of the error, if the call failed; `error` is its message. */
  code?: string
  error?: string
  /** The id of the message or direct-message channel that it created. */
  created?: string
  /** The response, if the call only reads. */
  answer?: unknown
}

/** An event with its result and the calls made for it. */
export interface RecordedEvent {
  /** Increases in the order in which events were received. */
  seq: number
  /** The service that the bot was connected to. */
  baseUrl: string
  botId: string
  username: string
  /** The event itself. `data` contains no token; undefined if it was too long to record. */
  id: number
  type: string
  created_at: string
  data: Record<string, unknown> | undefined
  /** When the bot received it, in milliseconds since 1970. */
  atMs: number
  /** `none`: no file handles it. `unfinished`: its handler is still running, or the bot died. Otherwise as in `Outcome`. */
  result: RecordedResult
  file?: string
  ms?: number
  error?: string
  /** The line of the bot's own code that threw, `commands/ping.ts:12`, or the file alone. */
  at?: string
  calls: readonly RecordedCall[]
  /** Everything else that happened for it; undefined in recordings of older releases. */
  steps?: readonly RecordedStep[]
  /** The details of the error; undefined in recordings of older releases. */
  failure?: Omit<TimelineFailure, 'message' | 'link'>
}

/** Selects recorded events. */
export interface HistoryQuery {
  /** Received at this time or later, in milliseconds since 1970. */
  sinceMs?: number
  afterSeq?: number
  seqs?: readonly number[]
  type?: string
  file?: string
  id?: number
  botId?: string
  /** Returns only the newest events, this many at most. */
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
  // Missing in files of older releases.
  at?: string | null
  steps?: string | null
  failure?: string | null
}

interface CallRow {
  name: string
  input: string | null
  ms: number
  code: string | null
  error: string | null
  created: string | null
  answer: string | null
  // Missing in files of older releases.
  at_ms?: number | null
  attempts?: number | null
  status?: number | null
}

/** Reads the history of a bot, even while it runs. Throws `ERR_CONFIG` if the file does not exist or cannot be read. */
export class History implements Disposable {
  readonly #db: Database

  constructor(file: string) {
    this.#db = readHistoryFile(file)
  }

  /** The `seq` of the newest event; 0 if there is none. */
  get lastSeq(): number {
    return this.#db.prepare<{ last: number | null }>('SELECT max(seq) AS last FROM event').get()?.last ?? 0
  }

  /** When the oldest event was received. */
  get firstMs(): number | undefined {
    return this.#db.prepare<{ first: number | null }>('SELECT min(at_ms) AS first FROM event').get()?.first ?? undefined
  }

  /** Events in the order in which they were received. */
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
    const calls = this.#db.prepare<CallRow>('SELECT * FROM call WHERE event = ? ORDER BY n')
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
  ...(['ok', 'error', 'refused', 'timed_out', 'crashed', 'dead_lettered', 'skipped', 'none'] as const),
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
    // Null, or written by a newer release.
    result: results.has(result as RecordedResult) ? (result as RecordedResult) : 'unfinished',
    ...(file !== null && { file }),
    ...(ms !== null && { ms }),
    ...(error !== null && { error }),
    ...(row.at && { at: row.at }),
    calls: calls.map(toCall),
    ...(row.steps && { steps: JSON.parse(row.steps) as RecordedStep[] }),
    ...(row.failure && { failure: JSON.parse(row.failure) as NonNullable<RecordedEvent['failure']> }),
  }
}

const toCall = ({ name, input, ms, code, error, created, answer, ...more }: CallRow): RecordedCall => ({
  name,
  input: input === null ? undefined : (JSON.parse(input) as unknown),
  ms,
  ...(code !== null && { code }),
  ...(error !== null && { error }),
  ...(created !== null && { created }),
  ...(answer !== null && { answer: JSON.parse(answer) as unknown }),
  ...(typeof more.at_ms === 'number' && { atMs: more.at_ms }),
  ...(typeof more.attempts === 'number' && { attempts: more.attempts }),
  ...(typeof more.status === 'number' && { status: more.status }),
})
