import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Duration, durationMs } from '../time/duration.ts'
import type { Log, StateStore, Stored } from '../ports.ts'
import { isThenable } from '../outgoing.ts'
import { fromRecord, type Rules, toRecord, type ValueKey } from './record.ts'
import { inTurn } from './turns.ts'

/** The parts of the bot that reading and writing require. */
export interface StateHost {
  readonly store: StateStore
  readonly clock: Clock
  readonly log: Log
}

/** The options of a single write. */
export interface WriteOptions {
  /** How long the value is kept, instead of the declaration's time. */
  expires?: Duration
}

/**
 * Computes the next value from the current one: returns it, or changes the given copy. It runs again if another write
 * came first, so it must do nothing else.
 */
export type Change<T, C> = (value: C) => T | void | Promise<T | void>

/** The next value, and the result of `updateWith`. Without a value nothing is written. */
export interface Outcome<T, R> {
  value?: T
  result: R
}

/** Computes the next value and a result from the current one. It runs again if another write came first, so it must do nothing else. */
export type ChangeWith<T, C, R> = (value: C) => Outcome<T, R> | Promise<Outcome<T, R>>

const MAX_TRIES = 1000

/** One value of one owner. `C` is its type without a stored value: the declaration's `initial`, or undefined. */
export class Cell<T, C> {
  readonly #host: StateHost
  readonly #at: ValueKey
  readonly #rules: Rules<T>

  constructor(host: StateHost, at: ValueKey, rules: Rules<T>) {
    this.#host = host
    this.#at = at
    this.#rules = rules
  }

  async get(): Promise<C> {
    return this.#read(await this.#host.store.get(this.#at.key))
  }

  /** Throws `ERR_STATE_VALUE`, naming the field, if the value does not fit the schema. */
  async set(value: T, options?: WriteOptions): Promise<void> {
    const record = await toRecord(this.#rules, this.#at, value)
    await this.#host.store.set(this.#at.key, record, this.#expiry(options, undefined))
  }

  /** Changes the value in one step: no concurrent change is lost. Returns the new value. */
  update(change: Change<T, C>, options?: WriteOptions): Promise<T> {
    const withResult = (changed: T | void, current: C): Outcome<T, T> => {
      const value = (changed === undefined ? current : changed) as T
      return { value, result: value }
    }
    return this.#inOneStep((current) => {
      const changed = change(current)
      if (!isThenable(changed)) return withResult(changed, current)
      return Promise.resolve(changed).then((value) => withResult(value, current))
    }, options)
  }

  /**
   * Changes the value in one step, and returns a result: `updateWith((left) => (left > 0 ? { value: left - 1, result: true } : { result: false }))`.
   * Without a value nothing is written.
   */
  updateWith<R>(change: ChangeWith<T, C, R>, options?: WriteOptions): Promise<R> {
    return this.#inOneStep(change, options)
  }

  #inOneStep<R>(change: ChangeWith<T, C, R>, options: WriteOptions | undefined): Promise<R> {
    const { store } = this.#host
    return inTurn(store, this.#at.key, async (release) => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const stored = await store.get(this.#at.key)
        const changing = change(await this.#read(stored))
        // A waiting change may itself change this value: it must not wait for its own end.
        if (isThenable(changing)) release()
        const { value, result } = await changing
        if (value === undefined) return result
        const record = await toRecord(this.#rules, this.#at, value)
        const expected = stored?.version ?? 0
        if (await store.set(this.#at.key, record, { expected, ...this.#expiry(options, stored) })) return result
      }
      throw new BotwrightError(
        'ERR_STATE',
        `${this.#rules.label}: the value changed during each of ${MAX_TRIES} attempts: the function passed to update() takes too long, or changes the same value itself`,
      )
    })
  }

  /** False: there was none. */
  delete(): Promise<boolean> {
    return this.#host.store.delete(this.#at.key)
  }

  async #read(stored: Stored | undefined): Promise<C> {
    if (!stored) return this.#rules.initial?.() as C
    return (await fromRecord(this.#rules, this.#at, stored.value)) as unknown as C
  }

  /** The declaration's time restarts with each write; a time passed once applies once. */
  #expiry(options: WriteOptions | undefined, stored: Stored | undefined): { expiresAtMs?: number } {
    const { label, expiresMs } = this.#rules
    const ms =
      options?.expires === undefined
        ? expiresMs
        : durationMs(options.expires, `${label}: expires`, 'ERR_INVALID_REQUEST')
    if (ms !== undefined) return { expiresAtMs: this.#host.clock.now() + ms }
    return stored?.expiresAtMs === undefined ? {} : { expiresAtMs: stored.expiresAtMs }
  }
}
