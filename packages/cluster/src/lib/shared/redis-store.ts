import {
  afterPrefix,
  BotwrightError,
  type Clock,
  readKey,
  readRedisValue,
  type StateStore,
  type Stored,
  writeValue,
} from '@botwright/framework/cluster'
import { randomBytes } from 'node:crypto'
import { isAnswer, type RedisLink } from '../redis/connect.ts'
import type { Keys } from '../redis/keys.ts'
import { isDemoted } from '../redis/reasons.ts'
import { MEMBER_LEASE_MS } from '../members/membership.ts'
import type { Script } from '../redis/scripts.ts'
import { deleteValue, listValues, setValue } from './state-scripts.ts'

export interface RedisStoreOptions {
  link: RedisLink
  keys: Keys
  /** Of an instance: the one that all share; see `RedisTime`. */
  clock: Clock
  /**
   * The key that is there while this instance's lease holds (`keys.member(number)`); undefined while it has none: nothing is written then.
   * Without this option every instance writes.
   */
  fence?: () => string | undefined
  /** So long Redis is waited for before a call fails. */
  waitMs?: number
}

/** Longer than an instance's lease: by the end of it the handler that asked has been ended, and its event runs again. */
const WAIT_MS = MEMBER_LEASE_MS + 2000
const PAGE = { values: 200, bytes: 4_000_000 }

/**
 * A bot's values on Redis, shared by all of its instances. Versions come from one counter and never come back; comparing, the look at the
 * fence and the write are one step. Rejects with `ERR_STATE` when Redis does not answer for too
 * long (after a write: whether it was done is unknown), and with `ERR_FENCED` when this instance's lease is over.
 */
export class RedisStore implements StateStore {
  readonly #options: RedisStoreOptions
  readonly #writer = randomBytes(6).toString('base64url')
  #writes = 0

  constructor(options: RedisStoreOptions) {
    this.#options = options
  }

  async get(key: string): Promise<Stored | undefined> {
    const name = readKey(key)
    const text = await this.#ask(() => this.#options.link.redis.get(this.#valueKey(name)))
    return text === null ? undefined : this.#stored(name, text)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const name = readKey(key)
    const text = writeValue(name, value)
    const { expected, expiresAtMs } = options
    const end = expiresAtMs === undefined ? '' : Math.trunc(expiresAtMs)
    return this.#write(setValue, name, [expected ?? '', end, text, this.#options.keys.state.value])
  }

  async delete(key: string, { expected }: { expected?: number } = {}): Promise<boolean> {
    return this.#write(deleteValue, readKey(key), [expected ?? ''])
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { after = '', limit = Infinity } = options
    const start = fit(prefix)
    const end = afterPrefix(start)
    const found: ({ key: string } & Stored)[] = []
    let from = inOrder(start, fit(after)) ? `(${fit(after)}` : `[${start}`
    while (found.length < limit) {
      const page = await this.#page(
        from,
        end === undefined ? '+' : `(${end}`,
        Math.min(PAGE.values, limit - found.length),
      )
      for (let i = 1; i < page.length; i += 2) {
        const stored = this.#stored(page[i]!, page[i + 1]!)
        if (stored !== undefined) found.push({ key: page[i]!, ...stored })
      }
      if (page[0] === '') break
      from = `(${page[0]}`
    }
    return found
  }

  #valueKey(name: string): string {
    return this.#options.keys.state.value + name
  }

  /** A page of names and values; see `listValues`. */
  #page(from: string, to: string, count: number): Promise<string[]> {
    const { link, keys } = this.#options
    const { names, value } = keys.state
    return this.#ask(() => link.run(listValues, [names], [from, to, Math.ceil(count), PAGE.bytes, value]))
  }

  /** The value of a stored text; undefined when its time is over. */
  #stored(name: string, text: string): Stored | undefined {
    const stored = readRedisValue(text)
    if (!stored) throw this.#failed(`"${name}" is damaged and cannot be read: another program wrote it`)
    return stored.expiresAtMs !== undefined && stored.expiresAtMs <= this.#options.clock.now() ? undefined : stored
  }

  async #write(program: Script<number>, name: string, more: readonly (string | number)[]): Promise<boolean> {
    const { link, keys, clock, fence } = this.#options
    const { names, ends, versions, written } = keys.state
    // That of the life in which it was asked for: an instance that has lost its lease meanwhile has another one.
    const member = fence?.()
    if (fence !== undefined && member === undefined) throw fenced(name)
    const mark = `${written}${this.#writer}.${++this.#writes}`
    const all = [this.#valueKey(name), names, ends, versions, mark, ...(member === undefined ? [] : [member])]
    const [expected, ...rest] = more
    const answer = await this.#ask(() => link.run(program, all, [name, clock.now(), expected!, ...rest]))
    if (answer === -1) throw fenced(name)
    return answer === 1
  }

  /**
   * Waits for Redis, and asks it; again, within the time, when no answer comes: reading twice changes nothing, and what was written is
   * not written twice.
   */
  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    const { link, clock, waitMs = WAIT_MS } = this.#options
    const endMs = clock.monotonic() + waitMs
    for (;;) {
      if (!(await link.there(Math.max(0, endMs - clock.monotonic()))))
        throw this.#failed('Redis is unavailable; state cannot be read or written until it is back')
      try {
        return await ask()
      } catch (error) {
        // A connection to a master that has become a replica ends: the next one may lead to the new master.
        const isMoved = isDemoted(error) && clock.monotonic() < endMs
        if (isAnswer(error) && !isMoved) throw this.#failed(link.reasonOf(error), error)
        if (clock.monotonic() >= endMs)
          throw this.#failed(`${link.reasonOf(error)}; it is unknown whether the write took effect`, error)
        await link.noticed()
      }
    }
  }

  /** Without its cause where that holds what was written. */
  #failed(fact: string, cause?: unknown): BotwrightError {
    const plain = cause !== undefined && !('command' in (cause as object)) ? { cause } : undefined
    return new BotwrightError('ERR_STATE', `${this.#options.link.shown}: ${fact}`, plain)
  }
}

const fenced = (name: string) =>
  new BotwrightError(
    'ERR_FENCED',
    `state: "${name}": this instance was disconnected for too long, and others have taken over its work; nothing was written`,
  )

/** As keys are kept; the empty text is the prefix of all. */
const fit = (text: string): string => (text === '' ? '' : readKey(text))

/** Whether the second is after the first or equal, in the order of Redis: that of bytes. */
const inOrder = (first: string, second: string): boolean =>
  second !== '' && Buffer.compare(Buffer.from(first), Buffer.from(second)) <= 0
