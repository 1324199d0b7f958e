import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BoundedMap, routes } from '@botwright/protocol/facts'
import { type Database, DatabaseError } from '@botwright/sqlite'
import { codeOf } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'
import type { Outcome, Result } from '../../link/ports.ts'
import { HistoryRedactor } from '../../link/redaction.ts'
import type { CallRecorder, MadeCall } from '../threads/dispatcher.ts'
import { openHistoryFile } from './history-file.ts'
import type { HistoryBounds } from '../../author/config/config.ts'

export interface RecorderOptions {
  file: string
  baseUrl: string
  me: BotProfile
  clock: Clock
  log: Log
  bounds: HistoryBounds
  /** Texts that stand in no file: the bot's token, the webhook's secrets. */
  secrets: readonly string[]
}

/** An event whose handler may still add to it. */
interface OpenEvent {
  seq: number
  calls: number
  /** Of a click: kept in memory alone, to take it out of what is written. */
  token: string | undefined
  told: boolean
  /** What became of it is certain: what is reported later is of a handler that went on alone. */
  final: boolean
}

type Write =
  | { kind: 'event'; seq: number; event: BotEvent; atMs: number; token: string | undefined }
  | { kind: 'call'; seq: number; n: number; call: MadeCall; token: string | undefined }
  | { kind: 'outcome'; seq: number; outcome: Outcome | undefined; token: string | undefined }

const WRITE_MS = 200
/** Events that a late call or outcome can still find. */
const OPEN_EVENTS = 10_000
/** Written at once when so much waits; kept at most so much while another program holds the file. */
const GROUP = 2000
const MOST_WAITING = 50_000
const PRUNE_EVERY = 1000
const LONGEST_EVENT = 256 * 1024
const LONGEST_INPUT = 64 * 1024
const LONGEST_ANSWER = 16 * 1024
const LONGEST_ERROR = 2000

/**
 * Writes down what a bot hears and answers, in groups, away from its events. A file that is full or broken ends the recording with one
 * line in the log; the bot goes on.
 */
export class Recorder implements CallRecorder {
  readonly #options: RecorderOptions
  readonly #redactor: HistoryRedactor
  readonly #open = new BoundedMap<number, OpenEvent>(OPEN_EVENTS)
  #db: Database | undefined
  #statements: ReturnType<typeof prepare> | undefined
  #session = 0
  #lastSeq = 0
  #writes: Write[] = []
  #timer: Timer | undefined
  #sincePruned = PRUNE_EVERY

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#redactor = new HistoryRedactor(options.secrets)
    const { file, baseUrl, me, clock } = options
    try {
      const db = (this.#db = openHistoryFile(file))
      this.#statements = prepare(db)
      const { lastInsertRowid } = db
        .prepare('INSERT INTO session (base_url, bot_id, username, started_ms) VALUES (?, ?, ?, ?)')
        .run(baseUrl, me.id, me.username, clock.now())
      this.#session = lastInsertRowid
      this.#lastSeq = db.prepare<{ last: number | null }>('SELECT max(seq) AS last FROM event').get()?.last ?? 0
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** False once the file could not be written. */
  get records(): boolean {
    return this.#db !== undefined
  }

  /** An event arrived. */
  received(event: BotEvent): void {
    if (!this.#db) return
    const seq = ++this.#lastSeq
    const given = event.type === 'interaction' ? event.data['token'] : undefined
    const token = typeof given === 'string' && given !== '' ? given : undefined
    this.#open.set(event.id, { seq, calls: 0, token, told: false, final: false })
    this.#add({ kind: 'event', seq, event, atMs: this.#options.clock.now(), token })
  }

  called(call: MadeCall): void {
    const open = call.eventId === undefined ? undefined : this.#open.get(call.eventId)
    if (!open) return
    this.#add({ kind: 'call', seq: open.seq, n: ++open.calls, call, token: open.token })
  }

  observe(outcome: Outcome): void {
    const open = this.#open.get(outcome.eventId)
    if (!open || open.final) return
    open.told = true
    open.final = finalResults.has(outcome.result)
    this.#add({ kind: 'outcome', seq: open.seq, outcome, token: open.token })
  }

  /**
   * The next event of its channel may run. Without an outcome no file handled this one: unless it has made calls, as a handler does
   * that waits for an answer. It ends later, or never when the bot stops.
   */
  settled(eventId: number): void {
    const open = this.#open.get(eventId)
    if (!open || open.told || open.calls > 0) return
    open.told = true
    this.#add({ kind: 'outcome', seq: open.seq, outcome: undefined, token: open.token })
  }

  /** Writes what waits, and closes the file. */
  close(): void {
    this.#timer?.cancel()
    this.#write()
    this.#db?.close()
    this.#db = undefined
    this.#writes = []
  }

  #add(write: Write): void {
    if (!this.#db) return
    const waiting = this.#writes.push(write)
    if (waiting >= GROUP && waiting % GROUP === 0) {
      this.#timer?.cancel()
      this.#timer = this.#options.clock.after(0, this.#write)
    } else this.#timer ??= this.#options.clock.after(WRITE_MS, this.#write)
  }

  readonly #write = (): void => {
    this.#timer = undefined
    const writes = this.#writes
    if (!this.#db || writes.length === 0) return
    try {
      this.#db.transaction(() => {
        for (const write of writes) this.#writeOne(write)
        if (this.#sincePruned >= PRUNE_EVERY) this.#prune()
      })
      this.#writes = []
    } catch (error) {
      // Somebody reads or copies the file: what waits is written with the next group.
      const passes = error instanceof DatabaseError && error.code === 'busy' && writes.length < MOST_WAITING
      if (passes) this.#timer = this.#options.clock.after(WRITE_MS, this.#write)
      else this.#giveUp(error)
    }
  }

  #writeOne(write: Write): void {
    const { event: addEvent, call: addCall, outcome: tell } = this.#statements!
    const clean = this.#redactor
    const { seq, token } = write
    if (write.kind === 'event') {
      const { id, type, created_at, data } = write.event
      const text = clean.json(data, LONGEST_EVENT, token) ?? null
      addEvent.run(seq, this.#session, id, clean.text(type.slice(0, 200)), created_at.slice(0, 64), write.atMs, text)
      this.#sincePruned++
    } else if (write.kind === 'call') {
      const { name, input, ms, value, error } = write.call
      const isRead = (routes as Record<string, { method: string } | undefined>)[name]?.method === 'GET'
      addCall.run(
        write.n,
        name,
        clean.json(input, LONGEST_INPUT, token) ?? null,
        ms,
        error === undefined ? null : (codeOf(error) ?? 'ERR_HANDLER'),
        error === undefined ? null : clean.text(messageOf(error), token),
        createdBy(value) ?? null,
        isRead && error === undefined ? (clean.json(value, LONGEST_ANSWER, token) ?? null) : null,
        seq,
      )
    } else {
      const { outcome } = write
      const error = outcome?.error && clean.text(outcome.error.message.slice(0, LONGEST_ERROR), token)
      tell.run(outcome?.file ?? null, outcome?.ms ?? null, outcome?.result ?? 'none', error ?? null, seq)
    }
  }

  #prune(): void {
    const { bounds, clock } = this.#options
    this.#sincePruned = 0
    this.#statements!.old.run(clock.now() - bounds.days * 86_400_000, this.#lastSeq - bounds.events)
    this.#statements!.empty.run(this.#session)
  }

  #giveUp(error: unknown): void {
    const { file, log } = this.#options
    const reason = error instanceof DatabaseError ? (reasons[error.code] ?? error.message) : messageOf(error)
    try {
      this.#db?.close()
    } catch {
      // It is of no use any more.
    }
    this.#db = undefined
    this.#writes = []
    this.#open.clear()
    log.error({ file, reason }, `${file}: recording stopped: ${reason}. The bot continues`)
  }
}

const finalResults: ReadonlySet<Result> = new Set<Result>(['timed_out', 'dead_lettered', 'skipped'])

/** What a call has made: the id of a message, or of a channel for direct messages. */
function createdBy(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, message, channel_id } = value as { id?: unknown; message?: { id?: unknown }; channel_id?: unknown }
  return [message?.id, id, channel_id].find((one) => typeof one === 'string')
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR)

const prepare = (db: Database) => ({
  event: db.prepare('INSERT INTO event (seq, session, id, type, created_at, at_ms, data) VALUES (?, ?, ?, ?, ?, ?, ?)'),
  call: db.prepare(
    // Its event may have been pruned while it was under way.
    `INSERT OR IGNORE INTO call (event, n, name, input, ms, code, error, created, answer)
     SELECT seq, ?, ?, ?, ?, ?, ?, ?, ? FROM event WHERE seq = ?`,
  ),
  outcome: db.prepare('UPDATE event SET file = ?, ms = ?, result = ?, error = ? WHERE seq = ?'),
  old: db.prepare('DELETE FROM event WHERE at_ms < ? OR seq <= ?'),
  empty: db.prepare('DELETE FROM session WHERE id <> ? AND id NOT IN (SELECT session FROM event)'),
})

const reasons: Readonly<Partial<Record<string, string>>> = {
  full: 'the disk is full; free some space and restart the bot',
  readonly: 'the file cannot be written; check who owns it and its folder, and restart the bot',
  corrupt: 'the file is damaged, or belongs to another program; remove it and restart the bot',
  busy: 'another program has locked it; close that program and restart the bot',
}
