// Accepted requests are rows of the bot's store, so that they survive a crash, and any instance of a cluster can run them.

import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import type { StateStore } from '../../author/ports.ts'
import { type JsonRequest, type PlainRequest, toJson } from './plain-request.ts'

export const rowPrefix = 'route:row:'
/** Requests that were set aside. */
export const asidePrefix = 'route:aside:'
const idPrefix = 'route:id:'

/** Further stored requests are read in larger parts. */
const GROWTH = 4

/** How long the id of a request is known. Senders repeat a request for days: GitHub and Stripe for 3. */
const ID_MS = 7 * 24 * 60 * 60_000

/** A request in the store. Its key is in the order of arrival. */
export interface StoredRequest {
  route: string
  atMs: number
  /** Those with the same queue run one after the other. */
  queue: string
  request: JsonRequest
  /** The key of its id. */
  id?: string
  state: 'waiting' | 'running'
  /** How often its run has failed or was interrupted. */
  failures?: number
  /** When it runs again after a failure. */
  againMs?: number
  /** In a cluster, the instance that runs it. */
  machine?: string
  /** It was set aside, and may still be on that list. */
  again?: true
}

/** A request that was set aside, in the store. */
export type AsideRequest = StoredRequest & { reason?: string }

/** Whether a stored value is a request. Other programs can write to the store. */
export function isStoredRequest(value: unknown): value is StoredRequest {
  if (typeof value !== 'object' || value === null) return false
  const { route, atMs, queue, request, state } = value as Partial<StoredRequest>
  const isText = typeof route === 'string' && typeof queue === 'string'
  const isWhole = typeof request === 'object' && request !== null && typeof request.path === 'string'
  return isText && isWhole && Number.isSafeInteger(atMs) && /^(?:waiting|running)$/.test(state ?? '')
}

/** The id of a request. `done`: it has run. */
interface KnownId {
  row: string
  done?: true
}

const asideKey = (row: string): string => asidePrefix + row.slice(rowPrefix.length)

/** Writes requests to the store, each id once. */
export class RequestStore {
  readonly #store: StateStore
  readonly #clock: Clock
  /** Requests that have not ended, as far as this process knows: others may end them. */
  open = 0
  #following: Promise<void> | undefined
  #lastMs = 0
  #count = 0

  constructor(store: StateStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Resolves when the request is stored: now, or by an earlier copy with the same id. */
  async add(request: Pick<StoredRequest, 'route' | 'queue' | 'atMs'>, plain: PlainRequest, id?: string): Promise<void> {
    const value: StoredRequest = { ...request, request: toJson(plain), state: 'waiting' }
    this.#following ??= this.#followAll().catch((error: unknown) => {
      this.#following = undefined
      throw error
    })
    await this.#following
    const row = this.#newKey()
    if (id === undefined) return this.#write(row, value)
    const idKey = `${idPrefix}${createHash('sha256')
      .update(JSON.stringify([request.route, id]))
      .digest('hex')}`
    const expiresAtMs = this.#clock.now() + ID_MS
    const isFirst = await this.#store.set(idKey, { row } satisfies KnownId, { expected: 0, expiresAtMs })
    const known = isFirst ? undefined : ((await this.#store.get(idKey))?.value as KnownId | undefined)
    if (known?.done) return
    // An earlier copy may have been interrupted between the two writes.
    await this.#write(known?.row ?? row, { ...value, id: idKey })
  }

  async #write(row: string, value: StoredRequest): Promise<void> {
    if (await this.#store.set(row, value, { expected: 0 })) this.open++
  }

  /** Removes a request that has nothing left to do. */
  async delete(key: string, expected?: number): Promise<void> {
    if (await this.#store.delete(key, expected === undefined ? {} : { expected }))
      this.open = Math.max(0, this.open - 1)
  }

  /** Whether a request was stored again after it had run. */
  async hasRun({ id }: StoredRequest): Promise<boolean> {
    return id !== undefined && ((await this.#store.get(id))?.value as KnownId | undefined)?.done === true
  }

  /** The request has run. */
  async end(key: string, { id }: StoredRequest, expected?: number): Promise<void> {
    const done: KnownId = { row: key, done: true }
    if (id !== undefined) await this.#store.set(id, done, { expiresAtMs: this.#clock.now() + ID_MS })
    await this.delete(key, expected)
  }

  /** Stores a request that does not run again. Its sender may repeat it. */
  async setAside(key: string, request: StoredRequest, facts: { reason: string; keptMs: number }): Promise<void> {
    const { id: _, ...value } = request
    const { reason, keptMs } = facts
    const aside: AsideRequest = { ...value, reason }
    await this.#store.set(asideKey(key), aside, { expiresAtMs: this.#clock.now() + keptMs })
    await this.#wasSetAside(key, request)
  }

  async #wasSetAside(key: string, { id, machine }: StoredRequest): Promise<void> {
    if (id !== undefined) await this.#store.delete(id)
    const found = await this.#store.get(key)
    const row = found?.value as StoredRequest | undefined
    // `framework requests` may let it run again at this moment.
    if (row?.state === 'running' && row.machine === machine) await this.delete(key, found?.version)
  }

  /** Whether a process died while it set the request aside. Does the rest of that. */
  async finishSettingAside(key: string, request: StoredRequest): Promise<boolean> {
    const isAside = (await this.#store.get(asideKey(key))) !== undefined
    if (isAside) await this.#wasSetAside(key, request)
    return isAside
  }

  /** A request that was set aside runs again. */
  async unlist(key: string): Promise<void> {
    await this.#store.delete(asideKey(key))
  }

  /** Before the first request of this process: it comes after all that are stored, of which a look reads only the first ones. */
  async #followAll(): Promise<void> {
    for (let limit = 1; ; limit *= GROWTH) {
      const later = await this.#store.list(rowPrefix, { after: this.#newKey(), limit })
      this.follow(later.at(-1)?.key)
      if (later.length < limit) return
    }
  }

  /** Later requests come after this one, of a process whose clock may have been ahead. */
  follow(key: string | undefined): void {
    const ms = Number(key?.slice(rowPrefix.length).split('-')[0])
    if (ms >= this.#lastMs) this.#lastMs = ms + 1
  }

  /** Keys of one process keep their order if its clock is set back. */
  #newKey(): string {
    this.#lastMs = Math.max(this.#lastMs, this.#clock.now())
    const number = String(++this.#count).padStart(9, '0')
    return `${rowPrefix}${String(this.#lastMs).padStart(15, '0')}-${number}-${randomBytes(6).toString('hex')}`
  }
}
