// Runs that wait for other code, in a cluster whose instances run different code: an instance with older code cannot continue them.

import { type BotEvent, eventKey } from '@botwright/events/event'
import type { StateStore } from '../../../author/ports.ts'
import { KEEP_MS, type Parked, type RunHead, RunStore } from './run-store.ts'

/** How long a run waits for an instance with other code. */
const WAIT_MS = 10 * 60_000

/** Since when instances have run some code. Code that has run for a shorter time is newer. */
const CODES = 'run:code:'
const PARKED = 'run:parked:'
/** Runs that no longer wait for other code. */
const OVER = 'run:over:'
/** The answers to parked runs. */
const KEPT = 'run:kept:'

/** How many versions of the code are distinguished. */
const MOST_CODES = 20
/** How many parked runs are read at once. */
const PAGE = 100

/** Leads to a parked run. */
type ParkedRow = Pick<Parked, 'untilMs' | 'by'>

const keptPrefix = (id: string) => `${KEPT}${id}:`

/** Reads and writes parked runs and their answers. */
export class ParkedStore {
  readonly #store: StateStore
  readonly #runs: RunStore

  constructor(store: StateStore) {
    this.#store = store
    this.#runs = new RunStore(store)
  }

  /** An instance runs this code. Returns since when instances do. */
  async register(codeId: string, nowMs: number): Promise<number> {
    const codes = await this.#codes()
    const known = codes.find((code) => code.id === codeId)
    if (known) return known.sinceMs
    const sinceMs = Math.max(nowMs, ...codes.map((code) => code.sinceMs + 1))
    await this.#store.set(CODES + codeId, sinceMs, { expected: 0 })
    for (const { id } of codes.slice(MOST_CODES - 1)) await this.#store.delete(CODES + id)
    return sinceMs
  }

  /** Since when instances have run each code. Empty outside of a cluster. */
  async codes(): Promise<Map<string, number>> {
    return new Map((await this.#codes()).map(({ id, sinceMs }) => [id, sinceMs]))
  }

  /** Lets a run wait for other code than `by`. Returns until when, or false if it has waited long enough. */
  async park(
    head: RunHead,
    { by, ...needs }: Pick<Parked, 'codeIds' | 'sinceMs'> & { by: string },
    nowMs: number,
  ): Promise<{ untilMs: number; isFirst: boolean } | false> {
    const { id, machine: _, ...facts } = head
    if (await this.#store.get(OVER + id)) return false
    const former = (await this.#store.get(PARKED + id))?.value as ParkedRow | undefined
    const untilMs = former?.untilMs ?? nowMs + WAIT_MS
    const row: ParkedRow = { untilMs, by: [...new Set([...(former?.by ?? []), by])] }
    // Written first: it leads to the run from each instance.
    await this.#store.set(PARKED + id, row)
    await this.#runs.park({ id, ...facts, parked: { ...needs, ...row } })
    return { untilMs, isFirst: !former }
  }

  /**
   * A page of the runs that are parked, or that an instance has taken and whose answers it has not passed on yet. `after`: the last one of the
   * page before. `last`: undefined for the last page.
   */
  async list(after?: string): Promise<{ ids: string[]; last: string | undefined }> {
    const found = await this.#store.list(PARKED, { limit: PAGE, ...(after !== undefined && { after: PARKED + after }) })
    const ids = found.map(({ key }) => key.slice(PARKED.length))
    return { ids, last: ids.length === PAGE ? ids.at(-1) : undefined }
  }

  /** No instance has had the code for long enough: the run is not parked again. */
  async over(id: string, nowMs: number): Promise<void> {
    await this.#store.set(OVER + id, true, { expiresAtMs: nowMs + KEEP_MS })
  }

  /** The run has ended, or continues and has all its answers. */
  async release(id: string): Promise<void> {
    await this.#store.delete(PARKED + id)
  }

  /** Keeps an answer for a run that is parked. */
  async keep(id: string, answer: BotEvent, nowMs: number): Promise<void> {
    // In the order in which the answers were given.
    const key = `${keptPrefix(id)}${String(answer.id).padStart(16, '0')}:${eventKey(answer)}`
    await this.#store.set(key, answer, { expiresAtMs: nowMs + KEEP_MS })
  }

  /** The answers that were kept for a run. */
  async kept(id: string): Promise<{ key: string; answer: BotEvent }[]> {
    const found = await this.#store.list(keptPrefix(id))
    return found.map(({ key, value }) => ({ key, answer: value as BotEvent }))
  }

  /** A kept answer has reached its run. */
  async forget(key: string): Promise<void> {
    await this.#store.delete(key)
  }

  /** The newest first. */
  async #codes(): Promise<{ id: string; sinceMs: number }[]> {
    const found = await this.#store.list(CODES)
    const codes = found.map(({ key, value }) => ({ id: key.slice(CODES.length), sinceMs: value as number }))
    return codes.toSorted((a, b) => b.sinceMs - a.sinceMs)
  }
}
