import { type Clock, preciseTime, systemClock, type Timer } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey, laneKey } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BoundedMap } from '@botwright/protocol/facts'
import type { PassedTo } from '@botwright/protocol/timeline'
import { type Database, DatabaseError } from '@botwright/sqlite'
import type { Log } from '../../author/ports.ts'
import type { Outcome, Result } from '../../link/ports.ts'
import type { StepMessage } from '../../link/recorded-step.ts'
import { HistoryRedactor } from '../../link/redaction.ts'
import type { MadeCall, Observer, Unrun } from '../../runtime/ports/observer.ts'
import { EventJson, microseconds } from './event-json.ts'
import { openHistoryFile, pruneHistory, recordingStatements, whyNotWritten } from './history-file.ts'
import { OpenEvent } from './open-event.ts'
import { Pruning } from './pruning.ts'
import { type StoredAddition, type StoredEvent, withCutValues } from './stored-event.ts'
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

const WRITE_MS = 200
/** A bot with more pending events is busy: it writes those that have not ended after this time. */
const BUSY = 100
const BUSY_WRITE_MS = 1000
/** The number of recent events to which a late call or outcome can be added. */
const OPEN_EVENTS = 10_000
/** Writes at once when this many are pending; `MOST_WAITING` limits them while another program locks the file. */
const GROUP = 1000
const MOST_WAITING = 50_000
/** The most events in one row, and the length at which a row is full. */
const PART = 200
const LONG_PART = 256 * 1024
/** A wait for less is the time that the machine takes. */
const SHORTEST_WAIT_MS = 5
/** A run that continues more often continues in another row. */
const MOST_CONTINUED = 500
/** After a failure, how often it tries to record again. */
const AGAIN_MS = 60_000

/**
 * Records events, calls and outcomes, writing them in batches. If the file cannot be written or is damaged, the bot continues without
 * recording, which begins again once the file can be written. The log has a line for each.
 */
export class Recorder implements Observer {
  readonly #options: RecorderOptions
  readonly #redactor: HistoryRedactor
  readonly #json: EventJson
  readonly #timers: Clock
  readonly #open = new BoundedMap<EventKey, OpenEvent>(OPEN_EVENTS)
  #db: Database | undefined
  #statements: ReturnType<typeof recordingStatements> | undefined
  #session = 0
  #lastSeq = 0
  /** The newest event in each queue. */
  readonly #lanes = new BoundedMap<string, OpenEvent>(OPEN_EVENTS)
  /** Events that are not written, in the order of their arrival. */
  #pending: OpenEvent[] = []
  /** Written events with something new. */
  readonly #changed = new Set<OpenEvent>()
  #timer: Timer | undefined
  /** Why nothing is recorded. */
  #problem: string | undefined
  readonly #pruning: Pruning

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#redactor = new HistoryRedactor(options.secrets)
    this.#json = new EventJson(this.#redactor)
    this.#timers = options.timers ?? systemClock
    this.#pruning = new Pruning({ ...options, timers: this.#timers })
    this.#begin()
  }

  #begin(): void {
    const { file, baseUrl, me, clock } = this.#options
    try {
      const db = (this.#db = openHistoryFile(file))
      this.#statements = recordingStatements(db)
      const { lastInsertRowid } = db
        .prepare('INSERT INTO session (base_url, bot_id, username, started_ms) VALUES (?, ?, ?, ?)')
        .run(baseUrl, me.id, me.username, clock.now())
      this.#session = lastInsertRowid
      this.#lastSeq = db.prepare<{ last: number | null }>('SELECT max(last_seq) AS last FROM part').get()?.last ?? 0
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** False while the file cannot be written. */
  get records(): boolean {
    return this.#db !== undefined
  }

  /** Work of the bot's own waits for no other event. */
  workBegan(delivery: Delivery): () => void {
    this.received(delivery, `own ${delivery.event.id}`)
    this.started(delivery)
    return () => this.settled(delivery)
  }

  received({ event, attempt }: Delivery, lane = laneKey(event)): void {
    if (!this.#db) return
    const facts = { attempt, lane, behind: this.#lanes.get(lane)?.id, atMs: this.#options.clock.now() }
    const open = new OpenEvent(event, ++this.#lastSeq, facts)
    this.#lanes.set(lane, open)
    this.#open.set(eventKey(event), open)
    const waiting = this.#pending.push(open)
    if (waiting % GROUP !== 0) this.#writeSoon()
    else {
      this.#timer?.cancel()
      this.#timer = this.#timers.after(0, this.#writeDue)
    }
  }

  started({ event }: Delivery): void {
    const open = this.#open.get(eventKey(event))
    if (!open || open.started) return
    open.started = true
    const { behind, t } = open
    const ms = preciseTime() - t
    if (behind !== undefined) this.#step(open, `{"kind":"queued","behind":${behind},"q":0,"us":${microseconds(ms)}}`)
    else if (ms >= SHORTEST_WAIT_MS) this.#step(open, `{"kind":"queued","q":0,"us":${microseconds(ms)}}`)
  }

  /**
   * A durable run of this event continues from its record. The event may have been received by a former process, or by another instance:
   * then a row for what happens now begins.
   */
  continued(event: BotEvent, startedMs: number): void {
    if (!this.#db) return
    const key = eventKey(event)
    let open = this.#open.get(key) ?? this.#reopened(event)
    if (!open || open.continued >= MOST_CONTINUED) {
      const atMs = this.#options.clock.now()
      const facts = { attempt: 1, lane: laneKey(event), behind: undefined, atMs, t: startedMs }
      open = new OpenEvent(event, ++this.#lastSeq, facts)
      this.#pending.push(open)
      this.#writeSoon()
    }
    this.#open.set(key, open)
    open.continued++
    open.started = true
    open.final = false
    // A failed run was requested to run again.
    if (open.state === 'known') this.#setOutcome(open, undefined)
    open.state = 'pending'
  }

  /** The newest row of an event that was written before; undefined if there is none, or if an older release wrote it. */
  #reopened(event: BotEvent): OpenEvent | undefined {
    for (const { lines } of this.#statements!.known.all(event.id, this.#options.me.id))
      for (const line of lines.split('\n').reverse()) {
        const { seq, at: atMs, t, event: written, result } = JSON.parse(line) as StoredEvent
        if (eventKey(written) !== eventKey(event)) continue
        if (t === undefined) return undefined
        const facts = { attempt: 1, lane: laneKey(event), behind: undefined, atMs, t: atMs + t / 1000 }
        const open = new OpenEvent(event, seq, facts)
        open.written()
        const additions = this.#statements!.additions.all(seq).map(({ json }) => JSON.parse(json) as StoredAddition)
        const last = [{ result }, ...additions].findLast((one) => one.result !== undefined)
        if (typeof last?.result === 'string') open.state = 'known'
        open.continued = additions.length
        return open
      }
    return undefined
  }

  /** An event is passed to a durable run that waits for it. Returns the function to call when the run waits again or has ended. */
  passed(eventId: EventKey, to: PassedTo): () => void {
    const open = this.#open.get(eventId)
    if (!open) return () => {}
    const q = microseconds(preciseTime() - open.t)
    const json = JSON.stringify({ kind: 'unmatched', reason: 'for_waiting_handler', to, q })
    this.#step(open, json)
    return () => this.#step(open, `${json.slice(0, -1)},"us":${microseconds(preciseTime() - open.t) - q}}`)
  }

  unrun(delivery: Delivery, { result, message, file }: Unrun): void {
    const { event } = delivery
    const eventId = eventKey(event)
    const isAside = result === 'dead_lettered'
    if (isAside) this.received(delivery)
    const open = this.#open.get(eventId)
    if (!open) return
    const q = microseconds(preciseTime() - open.t)
    if (result !== 'refused')
      this.#step(open, `{"kind":"unmatched","reason":"${isAside ? 'set_aside' : 'skipped'}","q":${q}}`)
    // It never has its turn.
    if (isAside) this.#leave(open)
    const end = (at?: string) => {
      if (result === 'refused') this.#step(open, JSON.stringify({ kind: 'matched', file: at, q }))
      this.outcome({ eventId, type: event.type, file: at, result, error: { message, at: at ?? '', reference: '' } })
    }
    // The code may be closed before it knows its file.
    void file().then(end, () => end())
  }

  steps(message: StepMessage): void {
    for (let i = 0; i < message.length; i += 6) {
      const open = this.#open.get(message[i] as EventKey)
      if (!open) continue
      const runMs = message[i + 1] as number
      const begins = message[i + 2]
      const matched = message[i + 3]
      const long = message[i + 4]
      const json = message[i + 5] as string
      // Steps may arrive after the next event of the channel was allowed to run.
      if (matched && open.state === 'none') this.#setOutcome(open, undefined)
      if (matched && open.state !== 'known') open.state = 'pending'
      if (begins || runMs !== open.runMs) this.#step(open, `{"run":${microseconds(runMs - open.t)}}`)
      open.runMs = runMs
      this.#step(open, long ? withCutValues(json, (value) => this.#json.cut(value, open.token)) : json)
    }
  }

  called(call: MadeCall): void {
    const open = call.eventId === undefined ? undefined : this.#open.get(call.eventId)
    if (!open) return
    const q = microseconds(call.atMs - open.t)
    if (call.budgetMs > 0)
      this.#step(open, `{"kind":"wait","for":"budget","q":${q},"us":${microseconds(call.budgetMs)}}`)
    const json = this.#json.call(call, q, open.token)
    open.calls += open.calls === '' ? json : `,${json}`
    open.answers = true
    this.#change(open)
  }

  outcome(outcome: Outcome): void {
    const open = this.#open.get(outcome.eventId)
    if (!open || open.final) return
    if (outcome.error) open.failed = outcome.file
    else if (open.failed !== undefined && open.failed !== outcome.file) return
    open.state = 'known'
    open.final = finalResults.has(outcome.result)
    this.#setOutcome(open, outcome)
  }

  /**
   * Called when the next event of the channel may run. An event that no file has matched by then was handled by none. A handler
   * may wait for an answer, or stream a text: its outcome follows, unless the bot stops.
   */
  settled({ event }: Delivery): void {
    const open = this.#open.get(eventKey(event))
    if (!open) return
    open.settled = true
    this.#leave(open)
    if (open.state !== undefined || open.answers) return
    open.state = 'none'
    this.#setOutcome(open, 'none')
  }

  /** Writes all pending records and closes the file. */
  close(): void {
    this.#timer?.cancel()
    this.#write(this.#pending.length)
    this.#db?.close()
    // A failed write is not repeated.
    this.#timer?.cancel()
    this.#forget()
  }

  #leave(open: OpenEvent): void {
    if (this.#lanes.get(open.lane) === open) this.#lanes.delete(open.lane)
  }

  #step(open: OpenEvent, json: string): void {
    open.steps += open.steps === '' ? json : `,${json}`
    this.#change(open)
  }

  #setOutcome(open: OpenEvent, outcome: Outcome | 'none' | undefined): void {
    open.outcome = outcome
    open.newOutcome = true
    this.#change(open)
  }

  #change(open: OpenEvent): void {
    if (open.json !== undefined || !this.#db) return
    this.#changed.add(open)
    this.#writeSoon()
  }

  #writeSoon(): void {
    this.#timer ??= this.#timers.after(WRITE_MS, this.#writeDue)
  }

  /**
   * Writes what is due. A busy bot has many events that end within a moment: those are written once, when they have ended. They are
   * written in their order, on which readers rely that follow a recording.
   */
  readonly #writeDue = (): void => {
    const sinceMs = preciseTime() - BUSY_WRITE_MS
    const isBusy = this.#pending.length > BUSY
    const firstOpen = isBusy ? this.#pending.findIndex(({ hasEnded, t }) => !hasEnded && t >= sinceMs) : -1
    this.#write(firstOpen === -1 ? this.#pending.length : firstOpen)
  }

  #write(most: number): void {
    this.#timer = undefined
    if (!this.#db) return
    if (most === 0 && this.#changed.size === 0) {
      if (this.#pending.length > 0) this.#writeSoon()
      return
    }
    const due = this.#pending.slice(0, most)
    const old = this.#pruning.due(due.length, this.#lastSeq)
    try {
      this.#db.transaction(() => {
        this.#writeParts(due)
        for (const open of this.#changed) this.#statements!.addition.run(open.seq, this.#json.addition(open))
        if (old) pruneHistory(this.#statements!, { ...old, session: this.#session })
      })
    } catch (error) {
      // Another program has locked the file: the next batch contains these records too.
      const isTemporary = error instanceof DatabaseError && error.code === 'busy' && this.#pending.length < MOST_WAITING
      if (isTemporary) this.#writeSoon()
      else this.#giveUp(error)
      return
    }
    this.#pruning.wrote(due.length, old !== undefined)
    if (this.#problem !== undefined) this.#options.log.info({}, `${this.#options.file}: recording resumed`)
    this.#problem = undefined
    for (const open of due) open.written()
    for (const open of this.#changed) open.written()
    this.#changed.clear()
    this.#pending = this.#pending.slice(most)
    if (this.#pending.length > 0) this.#writeSoon()
  }

  #writeParts(events: readonly OpenEvent[]): void {
    let part: OpenEvent[] = []
    let lines: string[] = []
    let length = 0
    for (const [i, open] of events.entries()) {
      const line = this.#json.event(open)
      part.push(open)
      lines.push(line)
      length += line.length
      if (i + 1 < events.length && part.length < PART && length < LONG_PART) continue
      const ids = part.map(({ id }) => id)
      const times = part.map(({ atMs }) => atMs)
      this.#statements!.part.run(
        ...[this.#session, part[0]!.seq, open.seq, Math.min(...ids), Math.max(...ids)],
        ...[Math.min(...times), Math.max(...times), this.#redactor.lines(lines)],
      )
      part = []
      lines = []
      length = 0
    }
  }

  #giveUp(error: unknown): void {
    const { file, log } = this.#options
    const reason = whyNotWritten(error)
    try {
      this.#db?.close()
    } catch {
      // Already broken.
    }
    this.#forget()
    const next = 'The bot keeps running, and tries again once a minute'
    if (reason !== this.#problem) log.error({ file, reason }, `${file}: recording stopped: ${reason}. ${next}`)
    this.#problem = reason
    this.#timer?.cancel()
    this.#timer = this.#timers.after(AGAIN_MS, () => {
      this.#timer = undefined
      this.#begin()
    })
  }

  #forget(): void {
    this.#db = undefined
    this.#pending = []
    this.#changed.clear()
    this.#open.clear()
    this.#lanes.clear()
  }
}

const finalResults: ReadonlySet<Result> = new Set<Result>(['timed_out', 'dead_lettered', 'skipped'])
