import type { StateStore } from '@botwright/framework'
import { type Disturbance, playAll, type PlayOptions } from './plays.ts'

/** One record of a durable run, as the store receives it. */
interface RunRecord {
  t: 'intent' | 'result'
  step: number
  kind?: string
  name?: string
  place?: string
}

/** Where a bot crashes: around one write of the records of its durable runs. */
export class CrashPoint implements Disturbance {
  words: string | undefined
  /** How often the bot has written records so far. */
  writes = 0
  readonly #at: number
  readonly #stored: boolean
  readonly #steps = new Map<string, string>()

  /** `at`: the number of the write. `stored`: the bot crashes after the write, and so before the step that it announces. */
  constructor(at: number, stored: boolean) {
    this.#at = at
    this.#stored = stored
  }

  /** How many steps its durable handlers have taken. */
  get steps(): number {
    return this.#steps.size
  }

  /** A store for one start of the bot. It never answers again once the bot has crashed, as if the process had died. */
  storeOf(base: StateStore, crashed: () => void): StateStore {
    let dead = false
    const alive = <T>(work: () => Promise<T>): Promise<T> => (dead ? new Promise(() => {}) : work())
    return {
      get: (key) => alive(() => base.get(key)),
      list: (prefix, options) => alive(() => base.list(prefix, options)),
      delete: (key, options) => alive(() => base.delete(key, options)),
      set: (key, value, options) =>
        alive(async () => {
          if (!this.#hits(key, value)) return base.set(key, value, options)
          dead = true
          if (this.#stored) await base.set(key, value, options)
          crashed()
          return new Promise(() => {})
        }),
    }
  }

  /** Whether the bot crashes at this write. */
  #hits(key: string, value: unknown): boolean {
    const log = /^run:log:(.*):\d+$/.exec(key)
    const records = value as RunRecord[]
    if (!log || records.length === 0) return false
    for (const { t, step, kind, name, place } of records)
      if (t === 'intent') this.#steps.set(`${log[1]} ${step}`, `step ${step} (${kind} "${name}", ${place})`)
    if (++this.writes !== this.#at) return false
    const { t, step } =
      (this.#stored ? records.findLast(isIntent) : records.findLast((one) => !isIntent(one))) ?? records[0]!
    const named = this.#steps.get(`${log[1]} ${step}`) ?? `step ${step}`
    this.words = `with a crash ${t === 'intent' ? 'before' : 'after'} ${named}`
    return true
  }
}

const isIntent = ({ t }: RunRecord): boolean => t === 'intent'

/** The result of `chat.crashAfterEveryStep`. */
export interface Crashes {
  /** The number of steps that the durable handlers take in one play. */
  steps: number
  /** How often the conversation was played: once undisturbed, and once for each crash. */
  plays: number
}

/** Plays a conversation undisturbed, and with a crash at every point. Throws if a play differs. */
export async function crashEverywhere(
  played: (point: CrashPoint) => Promise<string[]>,
  { sample }: PlayOptions,
): Promise<Crashes> {
  const undisturbed = new CrashPoint(Infinity, true)
  const expected = await played(undisturbed)
  const { steps, writes } = undisturbed
  const disturbances = [true, false].flatMap((stored) =>
    Array.from({ length: writes }, (_, i) => new CrashPoint(i + 1, stored)),
  )
  return { steps, plays: await playAll(played, { expected, disturbances, of: `${steps} steps`, sample }) }
}
