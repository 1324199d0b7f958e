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
  /** Strings that must not be written to the file: the bot's token, the webhook's secrets. */
  secrets: readonly string[]
}

/** An event to which calls and an outcome may still be added. */
interface OpenEvent {
  seq: number
  calls: number
  /** The token of a click, kept only in memory to redact it. */
  token: string | undefined
  hasOutcome: boolean
  /** Its outcome is final: a later one comes from a handler that ran on after its timeout. */
  final: boolean
}

type Write =
  | { kind: 'event'; seq: number; event: BotEvent; atMs: number; token: string | undefined }
  | { kind: 'call'; seq: number; n: number; call: MadeCall; token: string | undefined }
  | { kind: 'outcome'; seq: number; outcome: Outcome | undefined; token: string | undefined }

const WRITE_MS = 200
/** The number of recent events to which a late call or outcome can be added. */
const OPEN_EVENTS = 10_000
/** Writes at once when this many are pending; `MOST_WAITING` limits them while another program locks the file. */
const GROUP = 2000
const MOST_WAITING = 50_000
const PRUNE_EVERY = 1000
const LONGEST_EVENT = 256 * 1024
const LONGEST_INPUT = 64 * 1024
const LONGEST_ANSWER = 16 * 1024
const LONGEST_ERROR = 2000

/**
 * Records events, calls and outcomes, writing them in batches. If the file cannot be written or is damaged, recording stops with one
 * log line and the bot continues.
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

  /** False once writing the file has failed. */
  get records(): boolean {
    return this.#db !== undefined
  }

  /** An event arrived. */
  received(event: BotEvent): void {
    if (!this.#db) return
    const seq = ++this.#lastSeq
    const value = event.type === 'interaction' ? event.data['token'] : undefined
    const token = typeof value === 'string' && value !== '' ? value : undefined
    this.#open.set(event.id, { seq, calls: 0, token, hasOutcome: false, final: false })
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
    open.hasOutcome = true
    open.final = finalResults.has(outcome.result)
    this.#add({ kind: 'outcome', seq: open.seq, outcome, token: open.token })
  }

  /**
   * Called when the next event of the channel may run. An event without an outcome or calls by then was handled by no file.
   * One with calls belongs to a handler that waits for an answer: its outcome follows, unless the bot stops.
   */
  settled(eventId: number): void {
    const open = this.#open.get(eventId)
    if (!open || open.hasOutcome || open.calls > 0) return
    open.hasOutcome = true
    this.#add({ kind: 'outcome', seq: open.seq, outcome: undefined, token: open.token })
  }

  /** Writes all pending records and closes the file. */
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
      // Another program has locked the file: the next batch contains these records too.
      const isTemporary = error instanceof DatabaseError && error.code === 'busy' && writes.length < MOST_WAITING
      if (isTemporary) this.#timer = this.#options.clock.after(WRITE_MS, this.#write)
      else this.#giveUp(error)
    }
  }

  #writeOne(write: Write): void {
    const { event: addEvent, call: addCall, outcome: setOutcome } = this.#statements!
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
      const reason = outcome?.error?.message ?? outcome?.reason
      const error = reason && clean.text(reason.slice(0, LONGEST_ERROR), token)
      setOutcome.run(
        ...[outcome?.file ?? null, outcome?.ms ?? null, outcome?.result ?? 'none', error ?? null],
        ...[outcome?.error?.at ?? null, seq],
      )
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
      // Already broken.
    }
    this.#db = undefined
    this.#writes = []
    this.#open.clear()
    log.error({ file, reason }, `${file}: recording stopped: ${reason}. The bot continues`)
  }
}

const finalResults: ReadonlySet<Result> = new Set<Result>(['timed_out', 'dead_lettered', 'skipped'])

/** The id of the message or direct-message channel that a call created. */
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
    // The event may have been pruned during the call.
    `INSERT OR IGNORE INTO call (event, n, name, input, ms, code, error, created, answer)
     SELECT seq, ?, ?, ?, ?, ?, ?, ?, ? FROM event WHERE seq = ?`,
  ),
  outcome: db.prepare('UPDATE event SET file = ?, ms = ?, result = ?, error = ?, at = ? WHERE seq = ?'),
  old: db.prepare('DELETE FROM event WHERE at_ms < ? OR seq <= ?'),
  empty: db.prepare('DELETE FROM session WHERE id <> ? AND id NOT IN (SELECT session FROM event)'),
})

const reasons: Readonly<Partial<Record<string, string>>> = {
  full: 'the disk is full; free some space and restart the bot',
  readonly: 'the file cannot be written; check who owns it and its folder, and restart the bot',
  corrupt: 'the file is damaged, or belongs to another program; remove it and restart the bot',
  busy: 'another program has locked it; close that program and restart the bot',
}
