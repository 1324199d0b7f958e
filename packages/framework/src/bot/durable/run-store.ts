// The stored runs: one head for each, and its log in numbered batches. Every store of the bot's values can hold them.

import type { BotEvent } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import type { StateStore } from '../../author/ports.ts'
import type { LogRecord } from './run-log.ts'

/** An answer or a time that a run waits for. */
export interface RunWait {
  step: number
  /** The answer's key; undefined for a time only. */
  key?: string
  /** The time of the earliest answer. */
  sinceMs: number
  dueMs: number
}

/** The stored facts of a run that has waited at least once, or has ended. */
export interface RunHead {
  id: string
  file: string
  status: 'waiting' | 'done' | 'failed' | 'cancelled'
  event: BotEvent
  startedMs: number
  changedMs: number
  waits: RunWait[]
  /** The events that this run has received since it last waited. They may be delivered again after a crash. */
  received: number[]
  /** The end of its `timeout`. */
  endsMs?: number
  /** Why it failed or was cancelled. */
  error?: string
}

const HEADS = 'run:head:'
const logPrefix = (id: string) => `run:log:${id}:`

/** Events are kept for one day (§6), so that no event of a finished run is delivered later. */
const KEEP_ENDED_MS = 24 * 60 * 60_000

/** Reads and writes runs. */
export class RunStore {
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  /** All runs that wait, and those that ended within the last day. */
  async heads(): Promise<RunHead[]> {
    return (await this.#store.list(HEADS)).map(({ value }) => value as RunHead)
  }

  async head(id: string): Promise<RunHead | undefined> {
    return (await this.#store.get(HEADS + id))?.value as RunHead | undefined
  }

  async saveHead(head: RunHead): Promise<void> {
    const ended = head.status !== 'waiting' && { expiresAtMs: head.changedMs + KEEP_ENDED_MS }
    await this.#store.set(HEADS + head.id, head, { ...ended })
  }

  /** The log of a run, and the number of its batches. */
  async log(id: string): Promise<{ records: LogRecord[]; batches: number }> {
    const found = await this.#store.list(logPrefix(id))
    return { records: found.flatMap(({ value }) => value as LogRecord[]), batches: found.length }
  }

  /** Adds a batch. Rejects with `ERR_FENCED` if another process has added one with this number. */
  async append(id: string, batch: number, records: readonly LogRecord[]): Promise<void> {
    const key = logPrefix(id) + String(batch).padStart(6, '0')
    if (await this.#store.set(key, records, { expected: 0 })) return
    throw new BotwrightError('ERR_FENCED', `run ${id} continues elsewhere: nothing was done`)
  }

  /** Deletes a run, so that its event can run again. */
  async delete(id: string): Promise<void> {
    await this.deleteLog(id)
    await this.#store.delete(HEADS + id)
  }

  /** Deletes the log of a run that has ended. */
  async deleteLog(id: string): Promise<void> {
    for (const { key } of await this.#store.list(logPrefix(id))) await this.#store.delete(key)
  }
}
