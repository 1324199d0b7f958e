import { readEventKey } from '@botwright/events'
import { cut, printableLine } from '@botwright/protocol/facts'
import { failedResults, type MissedQuestion } from '@botwright/protocol/timeline'
import type { Database, Value } from '@botwright/sqlite'
import { readHistoryFile } from './history-file.ts'
import { heldUntil, MISSED_MS, missedChoice, missedQuestion } from './missed-question.ts'
import { isOwnWork, isTask, type RecordedEvent } from './recorded-event.ts'
import { passedTo } from './passed-to.ts'
import { eventOf, passedStep, type StoredAddition, type StoredEvent } from './stored-event.ts'
import { type EventRow, EventRows, isUnhandledEvent } from './unhandled.ts'

/** Selects recorded events. */
export interface HistoryQuery {
  /** Received at this time or later, in milliseconds since 1970. */
  sinceMs?: number
  afterSeq?: number
  beforeSeq?: number
  seqs?: readonly number[]
  type?: string
  file?: string
  /** Runs of this task. */
  task?: string
  /** Leaves out runs of tasks, or all work of the bot's own. */
  leaveOut?: 'tasks' | 'own work'
  /** Runs of requests to this route, such as `POST /github`. */
  route?: string
  /** Only events that failed, or only those that the bot did something for, or that a person expected an answer to. */
  only?: 'failed' | 'handled'
  id?: number
  /** Together with the id. */
  era?: number
  botId?: string
  /** Returns only the newest events, this many at most. */
  limit?: number
}

/** A missed question is looked for in so many earlier events. */
const LOOKED_AT = 500

interface PartRow {
  id: number
  base_url: string
  bot_id: string
  username: string
}

/** Reads the history of a bot, even while it runs. Throws `ERR_CONFIG` if the file does not exist or cannot be read. */
export class History implements Disposable {
  readonly #db: Database
  readonly #file: string
  readonly #note: (text: string) => void
  readonly #unreadable = new Set<string>()

  /** `note` receives a line for each event that cannot be read, once; the other events are read. */
  constructor(file: string, note: (text: string) => void = () => {}) {
    this.#db = readHistoryFile(file)
    this.#file = file
    this.#note = note
  }

  /** The `seq` of the newest event; 0 if there is none. */
  get lastSeq(): number {
    return this.#db.prepare<{ last: number | null }>('SELECT max(last_seq) AS last FROM part').get()?.last ?? 0
  }

  /** When the oldest event was received. */
  get firstMs(): number | undefined {
    return (
      this.#db.prepare<{ first: number | null }>('SELECT min(first_ms) AS first FROM part').get()?.first ?? undefined
    )
  }

  /** Events in the order in which they were received. */
  events(query: HistoryQuery = {}): RecordedEvent[] {
    return this.#read(query).map((event) => this.#withHandler(event))
  }

  /** The same, but with the events that no file handled between them in one. `limit` does not count those. */
  folded({ limit = Infinity, ...query }: HistoryQuery): EventRow[] {
    const folding = new EventRows()
    let shown = 0
    for (const event of this.#newestFirst(query)) {
      const isShown = !isUnhandledEvent(event)
      if (isShown && shown++ === limit) break
      folding.add(isShown ? this.#withHandler(event) : event)
    }
    return folding.rows.reverse()
  }

  /** An event that was passed to a handler that waited for it has what that handler did. */
  #withHandler(event: RecordedEvent): RecordedEvent {
    const passed = event.steps && passedStep(event.steps)
    const key = passed && readEventKey(passed.to.event)
    return key ? { ...event, ...passedTo(event, passed, this.#read({ ...key, botId: event.botId })) } : event
  }

  /** The same event. If no file handled it, with the question to its person that had ended without an answer before. */
  withMissedQuestion(event: RecordedEvent): RecordedEvent {
    const { seq, botId, atMs, steps = [] } = event
    const at = steps.findIndex((step) => step.kind === 'unmatched' && step.reason === 'no_file')
    const step = steps[at]
    if (event.result !== 'none' || step?.kind !== 'unmatched') return event
    const earlier = { botId, beforeSeq: seq, sinceMs: atMs - MISSED_MS, limit: LOOKED_AT }
    const missed = missedQuestion(event, this.#read(earlier))
    return missed ? { ...event, steps: steps.with(at, { ...step, missed }) } : event
  }

  /** The newest question with a button of this label or emoji that ended without a click; undefined if there is none. */
  missedChoice(button: { channelId: string; label: string }): MissedQuestion | undefined {
    return missedChoice(button, this.#read({ limit: LOOKED_AT }))
  }

  /** Until when the newest message with a button of this label or emoji is held; undefined if none is. */
  heldUntil(button: { channelId: string; label: string }): string | undefined {
    return heldUntil(button, this.#read({ limit: LOOKED_AT }))
  }

  #read(query: HistoryQuery): RecordedEvent[] {
    const { limit = Infinity } = query
    const events: RecordedEvent[] = []
    if (limit > 0) for (const event of this.#newestFirst(query)) if (events.push(event) >= limit) break
    return events.reverse()
  }

  *#newestFirst(query: HistoryQuery): Generator<RecordedEvent> {
    const readLines = this.#db.prepare<{ lines: string }>('SELECT lines FROM part WHERE id = ?')
    const readAdditions = this.#db.prepare<{ json: string }>('SELECT json FROM addition WHERE event = ? ORDER BY n')
    const selects = selectorOf(query)
    for (const { id, base_url, bot_id, username } of this.#parts(query)) {
      // Pruned meanwhile.
      const lines = readLines.get(id)?.lines.split('\n') ?? []
      for (const [i, line] of [...lines.entries()].reverse()) {
        let event: RecordedEvent
        try {
          const stored = JSON.parse(line) as StoredEvent
          if (!selects.stored(stored)) continue
          const additions = readAdditions.all(stored.seq).map(({ json }) => JSON.parse(json) as StoredAddition)
          event = { baseUrl: base_url, botId: bot_id, username, ...eventOf(stored, additions) }
        } catch (error) {
          this.#noteUnreadable(`line ${i + 1} of part ${id}`, error as Error)
          continue
        }
        if (selects.event(event)) yield event
      }
    }
  }

  #noteUnreadable(place: string, { message }: Error): void {
    if (this.#unreadable.has(place)) return
    this.#unreadable.add(place)
    this.#note(`${this.#file}: ${place} cannot be read, and is left out: ${printableLine(cut(message, 200))}`)
  }

  /** The parts that may contain events of a query, newest first. */
  #parts({ sinceMs, afterSeq, beforeSeq, seqs, id, botId }: HistoryQuery): PartRow[] {
    const conditions: string[] = ['TRUE']
    const values: Value[] = []
    const add = (condition: string, value: Value | undefined) => {
      if (value === undefined) return
      conditions.push(condition)
      values.push(value)
    }
    add('last_ms >= ?', sinceMs)
    add('last_seq > ?', afterSeq)
    add('first_seq < ?', beforeSeq)
    add('? BETWEEN first_id AND last_id', id)
    add('bot_id = ?', botId)
    if (seqs)
      add(
        `EXISTS (SELECT 1 FROM json_each(?) WHERE value BETWEEN first_seq AND last_seq)`,
        JSON.stringify(seqs.map(Number)),
      )
    return this.#db
      .prepare<PartRow>(
        `SELECT part.id, base_url, bot_id, username FROM part JOIN session ON session.id = session
         WHERE ${conditions.join(' AND ')} ORDER BY part.id DESC`,
      )
      .all(...values)
  }

  close(): void {
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Whether a query selects an event: before and after its additions are read. */
function selectorOf(query: HistoryQuery) {
  const {
    sinceMs = -Infinity,
    afterSeq = 0,
    beforeSeq = Infinity,
    seqs,
    type,
    file,
    task,
    route,
    leaveOut,
    only,
    id,
    era,
  } = query
  const wanted = seqs && new Set(seqs.map(Number))
  return {
    stored: ({ seq, at, event }: StoredEvent): boolean =>
      at >= sinceMs &&
      seq > afterSeq &&
      seq < beforeSeq &&
      (wanted?.has(seq) ?? true) &&
      (type === undefined || event.type === type) &&
      (task === undefined || (isTask(event) && event.data?.['task'] === task)) &&
      (route === undefined || (isOwnWork(event) && event.data?.['route'] === route)) &&
      (leaveOut === undefined || !(leaveOut === 'tasks' ? isTask : isOwnWork)(event)) &&
      (id === undefined || event.id === id) &&
      (era === undefined || (event.era ?? 0) === era),
    event: (event: RecordedEvent): boolean =>
      (file === undefined || event.file === file) &&
      (only !== 'failed' || failedResults.has(event.result)) &&
      (only !== 'handled' || !isUnhandledEvent(event)),
  }
}
