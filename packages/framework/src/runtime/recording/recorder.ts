import { type Clock, preciseTime, systemClock, type Timer } from '@botwright/clock'
import { type BotEvent, laneKey } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BoundedMap, routes } from '@botwright/protocol/facts'
import type { TimelineValue } from '@botwright/protocol/timeline'
import { type Database, DatabaseError, type Value } from '@botwright/sqlite'
import { codeOf } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'
import type { Outcome, Result } from '../../link/ports.ts'
import type { LinkedStep, LinkedValue, RecordedStep, StepEntry } from '../../link/recorded-step.ts'
import { HistoryRedactor } from '../../link/redaction.ts'
import type { CallRecorder, MadeCall } from '../threads/dispatcher.ts'
import { openHistoryFile, recordingStatements } from './history-file.ts'
import type { HistoryBounds } from '../../author/config/config.ts'

export interface RecorderOptions {
  file: string
  baseUrl: string
  me: BotProfile
  clock: Clock
  log: Log
  bounds: HistoryBounds
  /** Times the writes. Default: the system's clock, because other programs read the file whatever time the bot has. */
  timers?: Clock
  /** Strings that must not be written to the file: the bot's token, the webhook's secrets. */
  secrets: readonly string[]
}

/** An event to which steps, calls and an outcome may still be added. */
interface OpenEvent {
  seq: number
  calls: number
  /** The number of its steps so far. */
  steps: number
  /** The places of the steps of its current run, by their number in the run. */
  places: number[]
  /** Its queue. */
  lane: string
  /** The step while it waits for an earlier event. */
  queued: { place: number; step: RecordedStep & { kind: 'queued' } } | undefined
  /** Its row, until it is written: what happens meanwhile is written with it. */
  row: EventWrite | undefined
  /** The token of a click, kept only in memory to redact it. */
  token: string | undefined
  outcome: 'none' | 'pending' | 'known' | undefined
  /** Its outcome is final: a later one comes from a handler that ran on after its timeout. */
  final: boolean
}

interface EventWrite {
  kind: 'event'
  seq: number
  event: BotEvent
  atMs: number
  token: string | undefined
  steps: LinkedStep[]
  /** Undefined while it has none. `none`: no file handles the event. */
  outcome: Outcome | 'none' | undefined
  open: OpenEvent
}

type Write =
  | EventWrite
  | { kind: 'call'; seq: number; n: number; call: MadeCall; token: string | undefined }
  | { kind: 'outcome'; seq: number; outcome: Outcome | 'none' | undefined; token: string | undefined }
  | { kind: 'step'; seq: number; place: number; step: LinkedStep; token: string | undefined }

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
const LONGEST_FAILURE = 32 * 1024
const LONGEST_STACK = 8000
const LONGEST_VALUE = 2000
/** A wait for less is the time that the machine takes. */
const SHORTEST_WAIT_MS = 5

/**
 * Records events, calls and outcomes, writing them in batches. If the file cannot be written or is damaged, recording stops with one
 * log line and the bot continues.
 */
export class Recorder implements CallRecorder {
  readonly #options: RecorderOptions
  readonly #redactor: HistoryRedactor
  readonly #timers: Clock
  readonly #open = new BoundedMap<number, OpenEvent>(OPEN_EVENTS)
  #db: Database | undefined
  #statements: ReturnType<typeof recordingStatements> | undefined
  #session = 0
  #lastSeq = 0
  /** The newest event in each queue. */
  readonly #lanes = new Map<string, number>()
  #writes: Write[] = []
  #timer: Timer | undefined
  #sincePruned = PRUNE_EVERY

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#redactor = new HistoryRedactor(options.secrets)
    this.#timers = options.timers ?? systemClock
    const { file, baseUrl, me, clock } = options
    try {
      const db = (this.#db = openHistoryFile(file))
      this.#statements = recordingStatements(db)
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

  /** An event arrived. `attempt`: 2 or more if it was delivered before. */
  received(event: BotEvent, attempt = 1): void {
    if (!this.#db) return
    const seq = ++this.#lastSeq
    const value = event.type === 'interaction' ? event.data['token'] : undefined
    const token = typeof value === 'string' && value !== '' ? value : undefined
    const lane = laneKey(event)
    const open: OpenEvent = {
      ...{ seq, calls: 0, steps: 0, places: [], lane, token, outcome: undefined, final: false },
      ...{ queued: undefined, row: undefined },
    }
    const atMs = this.#options.clock.now()
    open.row = { kind: 'event', seq, event, atMs, token, steps: [], outcome: undefined, open }
    this.#open.set(event.id, open)
    this.#add(open.row)
    const t = preciseTime()
    this.#step(open, { kind: 'received', t, ...(attempt > 1 && { attempt }) })
    const behind = this.#lanes.get(lane)
    this.#lanes.set(lane, event.id)
    const step = { kind: 'queued' as const, t, ...(behind !== undefined && { behind }) }
    open.queued = { step, place: behind === undefined ? -1 : this.#step(open, step) }
  }

  /** The handler of an event is about to run. */
  started(eventId: number): void {
    const open = this.#open.get(eventId)
    if (!open?.queued) return
    const { place, step } = open.queued
    open.queued = undefined
    step.ms = preciseTime() - step.t
    if (place >= 0) this.#replace(open, place, step)
    else if (step.ms >= SHORTEST_WAIT_MS) this.#step(open, step)
  }

  /** An event is not run. */
  unrun(eventId: number, reason: 'skipped' | 'set_aside'): void {
    const open = this.#open.get(eventId)
    if (open) this.#step(open, { kind: 'unmatched', reason, t: preciseTime() })
  }

  steps(entries: readonly StepEntry[]): void {
    for (const [eventId, n, step] of entries) {
      const open = this.#open.get(eventId)
      if (!open) continue
      // Steps may arrive after the next event of the channel was allowed to run.
      if (step.kind === 'matched' && open.outcome === 'none') this.#setOutcome(open, undefined)
      if (step.kind === 'matched' && open.outcome !== 'known') open.outcome = 'pending'
      // The handler runs again, after its thread has died.
      if (n === 0 && open.places[n] !== undefined) open.places = []
      const place = open.places[n]
      if (place === undefined) open.places[n] = this.#step(open, step)
      else this.#replace(open, place, step)
    }
  }

  called(call: MadeCall): void {
    const open = call.eventId === undefined ? undefined : this.#open.get(call.eventId)
    if (!open) return
    if (call.budgetMs > 0) this.#step(open, { kind: 'wait', for: 'budget', t: call.atMs, ms: call.budgetMs })
    this.#add({ kind: 'call', seq: open.seq, n: ++open.calls, call, token: open.token })
  }

  observe(outcome: Outcome): void {
    const open = this.#open.get(outcome.eventId)
    if (!open || open.final) return
    open.outcome = 'known'
    open.final = finalResults.has(outcome.result)
    this.#setOutcome(open, outcome)
  }

  /**
   * Called when the next event of the channel may run. An event that no file has matched by then was handled by none. A handler
   * may wait for an answer, or stream a text: its outcome follows, unless the bot stops.
   */
  settled(eventId: number): void {
    const open = this.#open.get(eventId)
    if (!open) return
    if (this.#lanes.get(open.lane) === eventId) this.#lanes.delete(open.lane)
    if (open.outcome !== undefined || open.calls > 0) return
    open.outcome = 'none'
    this.#setOutcome(open, 'none')
  }

  /** Writes all pending records and closes the file. */
  close(): void {
    this.#timer?.cancel()
    this.#write()
    this.#db?.close()
    this.#db = undefined
    this.#writes = []
  }

  /** Adds a step, and returns its place among those of its event. */
  #step(open: OpenEvent, step: LinkedStep): number {
    const place = open.steps++
    if (open.row) open.row.steps[place] = step
    else this.#replace(open, place, step)
    return place
  }

  #replace({ row, seq, token }: OpenEvent, place: number, step: LinkedStep): void {
    if (row) row.steps[place] = step
    else this.#add({ kind: 'step', seq, place, step, token })
  }

  #setOutcome({ row, seq, token }: OpenEvent, outcome: Outcome | 'none' | undefined): void {
    if (row) row.outcome = outcome
    else this.#add({ kind: 'outcome', seq, outcome, token })
  }

  #add(write: Write): void {
    if (!this.#db) return
    const waiting = this.#writes.push(write)
    if (waiting >= GROUP && waiting % GROUP === 0) {
      this.#timer?.cancel()
      this.#timer = this.#timers.after(0, this.#write)
    } else this.#timer ??= this.#timers.after(WRITE_MS, this.#write)
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
      for (const write of writes) if (write.kind === 'event') write.open.row = undefined
    } catch (error) {
      // Another program has locked the file: the next batch contains these records too.
      const isTemporary = error instanceof DatabaseError && error.code === 'busy' && writes.length < MOST_WAITING
      if (isTemporary) this.#timer = this.#timers.after(WRITE_MS, this.#write)
      else this.#giveUp(error)
    }
  }

  #writeOne(write: Write): void {
    const { event: addEvent, call: addCall, outcome: setOutcome, step: setStep } = this.#statements!
    const clean = this.#redactor
    const { seq, token } = write
    if (write.kind === 'event') {
      const { id, type, created_at, data } = write.event
      const text = clean.json(data, LONGEST_EVENT, token) ?? null
      const steps = clean.text(JSON.stringify(write.steps.map((step) => this.#recorded(step, token))), token)
      addEvent.run(
        ...[seq, this.#session, id, clean.text(type.slice(0, 200)), created_at.slice(0, 64), write.atMs, text, steps],
        ...this.#outcomeValues(write.outcome, token),
      )
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
        ...[write.call.atMs, write.call.attempts, statusOf(error) ?? null, seq],
      )
    } else if (write.kind === 'step') {
      const { place, step } = write
      setStep.run(`$[${place}]`, clean.text(JSON.stringify(this.#recorded(step, token)), token), seq)
    } else setOutcome.run(...this.#outcomeValues(write.outcome, token), seq)
  }

  /** The values of the columns of an outcome, in the order of the columns. */
  #outcomeValues(outcome: Outcome | 'none' | undefined, token: string | undefined): Value[] {
    if (outcome === undefined || outcome === 'none') return [null, null, outcome ?? null, null, null, null]
    const { file, ms, result, error, reason } = outcome
    const message = error?.message ?? reason
    return [
      ...[file ?? null, ms ?? null, result],
      message === undefined ? null : this.#redactor.text(message.slice(0, LONGEST_ERROR), token),
      error?.at ?? null,
      error ? this.#failureText(error, token) : null,
    ]
  }

  #failureText({ at, reference, stack, details }: NonNullable<Outcome['error']>, token: string | undefined) {
    const failure = {
      ...(at !== '' && { at }),
      ...(reference !== '' && { reference }),
      causes: [],
      ...details,
    }
    const whole = { ...failure, ...(stack !== undefined && { stack: stack.slice(0, LONGEST_STACK) }) }
    return (
      this.#redactor.json(whole, LONGEST_FAILURE, token) ??
      this.#redactor.json({ ...failure, causes: [], frame: undefined }, LONGEST_FAILURE, token) ??
      null
    )
  }

  /** A step as it is written. Secrets in values are hidden before they are cut, which would leave a part of one. */
  #recorded(step: LinkedStep, token: string | undefined): RecordedStep {
    if (step.kind !== 'state') return step
    const { before, after, ...others } = step
    const valueOf = ({ json, length }: LinkedValue): TimelineValue =>
      length <= LONGEST_VALUE
        ? { value: JSON.parse(json) as unknown }
        : { cut: true, json: this.#redactor.text(json, token).slice(0, LONGEST_VALUE), length }
    return { ...others, ...(before && { before: valueOf(before) }), ...(after && { after: valueOf(after) }) }
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
    this.#lanes.clear()
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

const statusOf = (error: unknown): number | undefined => {
  const { status } = (error ?? {}) as { status?: unknown }
  return typeof status === 'number' && status > 0 ? status : undefined
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  full: 'the disk is full; free some space and restart the bot',
  readonly: 'the file cannot be written; check who owns it and its folder, and restart the bot',
  corrupt: 'the file is damaged, or belongs to another program; remove it and restart the bot',
  busy: 'another program has locked it; close that program and restart the bot',
}
