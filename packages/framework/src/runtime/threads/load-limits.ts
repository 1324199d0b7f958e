import type { Clock } from '@botwright/clock'
import type { ThreadOptions } from './thread-options.ts'
import type { BotSource } from '../../link/ports.ts'

/** A bot that loads slowly may take this many times as long when many of its files change. */
const SLOWER = 3

/** The time limits for loading code. */
export class LoadLimits {
  readonly #clock: Clock
  readonly #seconds: Required<Pick<ThreadOptions, 'loadSeconds' | 'firstLoadSeconds'>>
  /** The longest load that has succeeded. */
  #longestMs = 0

  constructor(clock: Clock, { loadSeconds = 5, firstLoadSeconds = 30 }: ThreadOptions) {
    this.#clock = clock
    this.#seconds = { loadSeconds, firstLoadSeconds }
  }

  /** Loads within a limit. `isFirst`: no code runs until it is loaded. */
  async limited<T>(isFirst: boolean, load: (limitMs: number) => Promise<T>): Promise<T> {
    const { loadSeconds, firstLoadSeconds } = this.#seconds
    const limitMs = (isFirst ? firstLoadSeconds : loadSeconds) * 1000
    const beganMs = this.#clock.monotonic()
    const loaded = await load(Math.max(limitMs, Math.round(SLOWER * this.#longestMs)))
    this.#longestMs = Math.max(this.#longestMs, this.#clock.monotonic() - beganMs)
    return loaded
  }
}

/** Loads a bot with resources in one thread before the others, so that only this one creates the tables of a database. */
export async function loadAll<T, C>({ manifest }: BotSource, threads: T[], load: (one: T) => Promise<C>): Promise<C[]> {
  const first = await Promise.all(manifest.entries.some(({ kind }) => kind === 'resource') ? [load(threads[0]!)] : [])
  return [...first, ...(await Promise.all(threads.slice(first.length).map(load)))]
}
