// The stored runs: one head for each, and its log in numbered batches. Every store of the bot's values can hold them.
// Narrow rows lead from an answer, or a time, to the run that waits for it: a start reads none of them.

import type { BotEvent, EventKey } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import type { StateStore, Stored } from '../../../author/ports.ts'
import { postKey, postsIn, type RunRequest } from '../../../link/run-event.ts'
import type { LogRecord } from './run-log.ts'

/** An answer or a time that a run waits for. */
export interface RunWait {
  step: number
  /** The answer's key; undefined for a time only. */
  key?: string
  /** The time of the earliest answer. */
  sinceMs: number
  dueMs: number
  /** The answer in English: `an answer from ann in #general`. */
  what?: string
}

/** Args or params that were not typed. `dates`: the names of those that are dates, or lists of them; their values are milliseconds since 1970. */
export interface RunInput {
  values: Record<string, unknown>
  dates: string[]
}

/** A further part of a run, with a record of its own: `ctx.continueAs` begins one, and `onUpgrade: 'restart'`. */
export interface RunPart {
  number: number
  /** How many of the parts `ctx.continueAs` has begun. Default: all. */
  round?: number
  startedMs: number
  /** Undefined: as in the event. */
  input?: RunInput
  /** The newest messages of the former parts, which none of its steps may adopt. */
  messages: string[]
}

/** A run waits for an instance with other code. */
export interface Parked {
  /** The code that can continue it, and since when instances have run the newest of that. Newer code decides what becomes of it. */
  codeIds: string[]
  sinceMs: number
  /** The code that cannot continue it. */
  by: string[]
  untilMs: number
}

/** The stored facts of a run that has waited at least once, works for long, or has ended. */
export interface RunHead {
  id: string
  file: string
  status: 'waiting' | 'done' | 'failed' | 'cancelled'
  event: BotEvent
  startedMs: number
  changedMs: number
  waits: RunWait[]
  /** How many steps it has issued, in its present part. */
  steps: number
  /** Its present part, unless it is the first. */
  part?: RunPart
  /** The instance that continues it, in a cluster. */
  machine?: string
  parked?: Parked
  /** The end of its `timeout`. */
  endsMs?: number
  /** Of a run that works for long: when it is woken if its process has died. */
  wakeMs?: number
  /** Why it failed or was cancelled. */
  error?: string
  /** Why a run that is done ended early, such as a question without an answer. */
  note?: string
  /** The keys of its former answers, whose rows a crash may have left. */
  keys?: string[]
}

/** The rows that lead to a run. */
export interface RunRows {
  /** The keys of its answers. */
  keys: Set<string>
  /** The keys of former answers, whose rows are left if a process died while it deleted them. */
  left?: readonly string[] | undefined
  /** When it is woken. */
  due?: string
}

/** Events are kept for one day (§6), so that no event of a finished run is delivered later. */
export const KEEP_MS = 24 * 60 * 60_000

const HEADS = 'run:head:'
const KEYS = 'run:key:'
const RECEIVED = 'run:got:'
/** The messages that runs have posted. */
const MESSAGES = 'run:message:'
/** Rows in the order of their time. */
export const duePrefix = 'run:due:'

const logsPrefix = (id: string) => `run:log:${id}:`
/** The run of a batch of a log. */
const idOf = (key: string) => key.slice(logsPrefix('').length - 1).replace(/:\d+:\d+$/, '')
const logPrefix = (id: string, part: RunPart | undefined) => `${logsPrefix(id)}${part?.number ?? 0}:`
const dueKey = (ms: number, id: string) => `${duePrefix}${String(Math.max(0, Math.trunc(ms))).padStart(15, '0')}:${id}`
/** A row of its own, which is not deleted with another one that wakes the run. */
const requestKey = (id: string, action: RunRequest['action']) => `${dueKey(0, id)} ${action}`

/** A row that wakes a run. */
export interface DueRow {
  run: string
  request?: RunRequest
}

/** The time in the key of such a row. */
export const dueMsOf = (key: string): number => Number(key.slice(duePrefix.length, duePrefix.length + 15))

/** Whether a written key is the head of a run; see `RunStore.save`. */
export const isRunHead = (key: string): boolean => key.startsWith(HEADS)

/** Adds the instance to a run that waits and is not parked; returns other values unchanged. */
export function withOwner(key: string, value: unknown, instance: string): unknown {
  if (!isRunHead(key)) return value
  const head = value as RunHead
  return head.status === 'waiting' && !head.parked ? { ...head, machine: instance } : value
}

/** The rows of a stored run. */
export function rowsOf({ id, status, waits, keys: left, endsMs = Infinity, wakeMs = Infinity }: RunHead): RunRows {
  if (status !== 'waiting') return { keys: new Set(), left }
  const keys = new Set(waits.flatMap(({ key }) => key ?? []))
  const dueMs = Math.min(endsMs, wakeMs, ...waits.map((wait) => wait.dueMs))
  return { keys, left, ...(Number.isFinite(dueMs) && { due: dueKey(dueMs, id) }) }
}

/** Reads and writes runs. */
export class RunStore {
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  /** Runs that wait, and those that ended within the last day, in pages. */
  async heads(options: { after?: string; limit: number }): Promise<RunHead[]> {
    const { after, limit } = options
    const found = await this.#store.list(HEADS, { limit, ...(after !== undefined && { after: HEADS + after }) })
    return found.map(({ value }) => value as RunHead)
  }

  async head(id: string): Promise<RunHead | undefined> {
    return (await this.stored(id))?.value
  }

  /** A head with its version. */
  async stored(id: string): Promise<(Stored & { value: RunHead }) | undefined> {
    return (await this.#store.get(HEADS + id)) as (Stored & { value: RunHead }) | undefined
  }

  /** Takes a run over from another instance, unless a third one was faster. */
  async takeOver({ value, version }: Stored & { value: RunHead }): Promise<boolean> {
    const { parked: _, ...head } = value
    return this.#store.set(HEADS + head.id, head, { expected: version })
  }

  /** Stores the head of a parked run, without changing the rows that lead to it. */
  async park(head: RunHead): Promise<void> {
    await this.#store.set(HEADS + head.id, head)
  }

  /**
   * Stores what a run waits for, or that it has ended. At each moment, rows lead to it from every event that is not finished: the new rows are
   * written first, and the former ones deleted last. `received`: the events that it has received since the last time. The rows of a run that
   * has ended stay until `clear`.
   */
  async save(head: RunHead, former: RunRows, received: readonly EventKey[]): Promise<RunRows> {
    const { id, changedMs } = head
    const rows = rowsOf(head)
    const left = [...former.keys, ...(former.left ?? [])].filter((key) => !rows.keys.has(key))
    await Promise.all([
      ...received.map((eventId) =>
        this.#store.set(RECEIVED + eventId, { run: id }, { expiresAtMs: changedMs + KEEP_MS }),
      ),
      ...[...rows.keys].filter((key) => !former.keys.has(key)).map((key) => this.expect(key, id)),
      ...(rows.due === undefined || rows.due === former.due
        ? []
        : [this.#store.set(rows.due, { run: id } satisfies DueRow)]),
    ])
    if (head.status !== 'waiting') {
      await this.#store.set(HEADS + id, { ...head, keys: left }, { expiresAtMs: changedMs + KEEP_MS })
      return former
    }
    await this.#store.set(HEADS + id, left.length > 0 ? { ...head, keys: left } : head)
    await Promise.all([
      ...left.map((key) => this.forget(key, id)),
      ...(former.due === undefined || former.due === rows.due ? [] : [this.#store.delete(former.due)]),
    ])
    return rows
  }

  /** Deletes the rows of a run that has ended: last the one that leads to it. The log of a run that has failed is kept as long as its head. */
  async clear(head: RunHead, { keys, left = [], due }: RunRows): Promise<void> {
    const { id, part, status, changedMs } = head
    await Promise.all([...keys, ...left].map((key) => this.forget(key, id)))
    const kept = status === 'failed' ? logPrefix(id, part) : undefined
    await Promise.all(
      (await this.#logs(id)).map(({ key, value, version }) =>
        kept !== undefined && key.startsWith(kept)
          ? this.#store.set(key, value, { expected: version, expiresAtMs: changedMs + KEEP_MS })
          : this.#store.delete(key),
      ),
    )
    if (due !== undefined) await this.#store.delete(due)
  }

  /** Whether a run that has ended still has a log, other than the one that is kept. */
  async hasLog({ id }: RunHead): Promise<boolean> {
    return (await this.#logs(id)).some(({ expiresAtMs }) => expiresAtMs === undefined)
  }

  /** The logs of all parts of a run. */
  async #logs(id: string): Promise<({ key: string } & Stored)[]> {
    const prefix = logsPrefix(id)
    // The id of another run may begin with this one.
    return (await this.#store.list(prefix)).filter(({ key }) => /^\d+:\d+$/.test(key.slice(prefix.length)))
  }

  /** From now on, this run receives the next event with this key. A run that has waited for it is woken, and its question is replaced. */
  async expect(key: string, id: string): Promise<void> {
    const former = (await this.#store.get(KEYS + key))?.value as { run: string } | undefined
    if (former?.run === id) return
    await this.#store.set(KEYS + key, { run: id })
    if (former) await this.wake(former.run)
  }

  /** Whether a message belongs to this step of a run. From now on it does, unless it belongs to another one. */
  async claims(message: string, step: string, nowMs: number): Promise<boolean> {
    const key = MESSAGES + message
    if (await this.#store.set(key, step, { expected: 0, expiresAtMs: nowMs + KEEP_MS })) return true
    return (await this.#store.get(key))?.value === step
  }

  /** From now until it waits, a run may be posting a choice in this channel. */
  async posts(channel_id: string, id: string, nowMs: number): Promise<void> {
    await this.#store.set(KEYS + postKey(channel_id, id), { run: id }, { expiresAtMs: nowMs + KEEP_MS })
  }

  /** Whether a run may be posting a choice in this channel. */
  async isPosting(channel_id: string): Promise<boolean> {
    for (const { value } of await this.#store.list(KEYS + postsIn(channel_id))) {
      const head = await this.head((value as { run: string }).run)
      // Without a head, its event runs again. The row of a run that has ended was left behind by a crash.
      if (!head || head.status === 'waiting') return true
    }
    return false
  }

  /** From now on, no run receives the next event with this key: a question of another handler replaces that of the run, which is woken. */
  async replace(key: string): Promise<void> {
    const former = await this.#store.get(KEYS + key)
    if (!former || !(await this.#store.delete(KEYS + key, { expected: former.version }))) return
    await this.wake((former.value as { run: string }).run)
  }

  /** The run that receives the next event with this key. */
  async expecting(key: string): Promise<string | undefined> {
    return ((await this.#store.get(KEYS + key))?.value as { run: string } | undefined)?.run
  }

  /** Those of the keys for which this run no longer waits: another handler has asked a newer question. */
  async replaced(id: string, keys: readonly string[]): Promise<string[]> {
    const found = await Promise.all(keys.map(async (key) => ((await this.expecting(key)) === id ? [] : key)))
    return found.flat()
  }

  /** The run that has received this event. */
  async receiver(eventId: EventKey): Promise<string | undefined> {
    return ((await this.#store.get(RECEIVED + eventId))?.value as { run: string } | undefined)?.run
  }

  /** Wakes a run at once, on the instance that continues it. */
  async wake(id: string): Promise<void> {
    await this.#store.set(dueKey(0, id), { run: id } satisfies DueRow)
  }

  /** Stores a request, which replaces a former one that is not done yet. The instance that continues the run carries it out. */
  async request(id: string, request: RunRequest): Promise<void> {
    const { action } = request
    await this.#store.set(requestKey(id, action), { run: id, request } satisfies DueRow)
    await this.#store.delete(requestKey(id, action === 'cancel' ? 'retry' : 'cancel'))
  }

  /** Whether a request is not done yet. */
  async isRequested(id: string, action: RunRequest['action']): Promise<boolean> {
    return (await this.#store.get(requestKey(id, action))) !== undefined
  }

  /** The first rows in the order of their time. */
  async due(limit: number): Promise<{ key: string; value: DueRow }[]> {
    return (await this.#store.list(duePrefix, { limit })) as { key: string; value: DueRow; version: number }[]
  }

  /** How many runs wait. */
  async count(): Promise<number> {
    let count = 0
    // After the rows of time 0: their runs have another one.
    for (let after = dueKey(0, '\u{10ffff}'); ;) {
      const page = await this.#store.list(duePrefix, { limit: PAGE, after })
      count += page.length
      if (page.length < PAGE) return count
      after = page.at(-1)!.key
    }
  }

  async deleteDue(key: string): Promise<void> {
    await this.#store.delete(key)
  }

  /** The log of a part of a run, and the number of its batches. */
  async log(id: string, part?: RunPart): Promise<{ records: LogRecord[]; batches: number }> {
    const found = await this.#store.list(logPrefix(id, part))
    return { records: found.flatMap(({ value }) => value as LogRecord[]), batches: found.length }
  }

  /** Adds a batch. Rejects with `ERR_FENCED` if another process has added one with this number. */
  async append(
    { id, part }: Pick<RunHead, 'id' | 'part'>,
    batch: number,
    records: readonly LogRecord[],
  ): Promise<void> {
    const key = logPrefix(id, part) + String(batch).padStart(6, '0')
    if (await this.#store.set(key, records, { expected: 0 })) return
    throw new BotwrightError('ERR_FENCED', `run ${id} continues elsewhere: nothing was done`)
  }

  /** Ends a waiting run that no handler can end: its file is gone, or crashes its thread. */
  async end(head: RunHead, status: 'cancelled' | 'failed', reason: string, changedMs: number): Promise<void> {
    const ended = { ...head, status, waits: [], error: reason, changedMs }
    await this.clear(ended, await this.save(ended, rowsOf(head), []))
  }

  /** Lets a failed run begin again, with its present part and the whole of its `timeout`. */
  async retry(head: RunHead, startedMs: number): Promise<void> {
    const { error: _, endsMs: __, keys: ___, part, ...facts } = head
    await this.deleteLog(head)
    const again = { ...facts, status: 'waiting' as const, startedMs, changedMs: startedMs, waits: [], steps: 0 }
    await this.save({ ...again, ...(part && { part: { ...part, startedMs } }) }, rowsOf(head), [])
  }

  /** Deletes the rows of the runs of an event that does not come again, or only by a replay, which continues them. Those that wait are woken. */
  async deleteLost(event: EventKey, mayComeAgain = false): Promise<void> {
    const isOwn = (id: string) => id === String(event) || id.startsWith(`${event}:`)
    const logs = (await this.#store.list(logsPrefix(String(event)))).map(({ key }) => idOf(key))
    const keys = (await this.#store.list(KEYS)).map(({ value }) => (value as { run: string }).run)
    for (const id of new Set([...logs, ...keys.filter(isOwn)])) {
      const head = await this.head(id)
      if (head?.status === 'waiting') continue
      // The process died before it had deleted those of a run that has ended.
      if (head && !mayComeAgain) await this.clear(head, rowsOf(head))
      else await this.deleteRows(id, mayComeAgain)
    }
  }

  /** Deletes the rows of a run without a head. */
  async deleteRows(id: string, keepsLogs = false): Promise<void> {
    const found = await Promise.all([KEYS, duePrefix].map((prefix) => this.#store.list(prefix)))
    const leading = found.flat().filter(({ value }) => (value as { run: string }).run === id)
    const rows = [...leading, ...(keepsLogs ? [] : await this.#logs(id))]
    await Promise.all(rows.map(({ key, version }) => this.#store.delete(key, { expected: version })))
  }

  /** Whether a run has recorded something since this time. */
  async hasRecorded(id: string, sinceMs: number): Promise<boolean> {
    const records = (await this.#logs(id)).flatMap(({ value }) => value as LogRecord[])
    return records.some(({ atMs }) => atMs > sinceMs)
  }

  /** Deletes a run, so that its event can run again. */
  async delete(head: RunHead): Promise<void> {
    await this.deleteLog(head)
    await this.#store.delete(HEADS + head.id)
  }

  /** Deletes the log of a part of a run. */
  async deleteLog({ id, part }: Pick<RunHead, 'id' | 'part'>): Promise<void> {
    await Promise.all((await this.#store.list(logPrefix(id, part))).map(({ key }) => this.#store.delete(key)))
  }

  /** From now on, this run no longer receives the next event with this key. */
  async forget(key: string, id: string): Promise<void> {
    const stored = await this.#store.get(KEYS + key)
    if (stored && (stored.value as { run: string }).run === id)
      await this.#store.delete(KEYS + key, { expected: stored.version })
  }
}

const PAGE = 1000
