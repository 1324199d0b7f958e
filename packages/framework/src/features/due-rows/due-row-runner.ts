import { type Clock, sleep, systemClock, type Timer } from '@botwright/clock'
import { timerAt } from '@botwright/clock/timers'
import { Unfinished } from '@botwright/events'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'

/** How often a run on another instance is checked. */
export const OTHERS_MS = 5000

/** The delay before a failed request to the store is repeated. */
export const RETRY_MS = 30_000

/**
 * Works on a row. Resolves with the write of its result, which is repeated until the store accepts it: until then the row does not begin again.
 * `release` lets another row begin before this one has ended.
 */
export type Work = (release: () => void) => Promise<(() => Promise<unknown>) | void>

/** When a row begins again that was to wait for `waitMs` at most. In the past also if the clock was set back since. */
export const againMsOf = (againMs: number, waitMs: number, nowMs: number): number =>
  againMs - nowMs > waitMs ? nowMs : againMs

export interface DueRowRunnerOptions<Row extends { key: string }> {
  clock: Clock
  log: Log
  /** The name of the rows in the log, in the plural. */
  name: string
  /** Reads the first rows, in the order of their time. */
  list: (limit: number) => Promise<readonly Row[]>
  /** Before this time, a row does not begin. */
  dueMs: (row: Row) => number
  /**
   * Called for each row that is due, one after the other. Returns its work, or the time of the next look at it; earlier looks may
   * call this again. Undefined: the row has changed and is read again. `rows`: those of this look, in their order.
   */
  begin: (row: Row, rows: readonly Row[]) => Promise<Work | number | undefined>
  /** Called with an error of the work on a row. */
  failed: (row: Row, error: Error) => void
  /** Called with the first error of the write of its result. */
  refused?: (row: Row, error: Error) => void
  /** In a cluster: a claimed row is active until the write of its result has ended. */
  claims?: Claims | undefined
  /** How many rows are worked on at once; the others follow, in the order of their time. Default: 50. */
  concurrent?: number
  /** After its work, a row that still exists does not begin again for this time. */
  restMs?: number
  /** Another process writes rows, at any time of the bot's own clock: they are looked for this often. */
  pollMs?: number
  /** Called with each look at the rows: a test's clock waits for it. */
  loading?: ((looking: Promise<unknown>) => void) | undefined
}

/** A row that is stored as running before it begins, so that neither another instance nor a restart begins it again. */
interface Claimed {
  state: string
  /** In a cluster, the instance that has claimed it. */
  machine?: string | undefined
}

/** A claim that may be stored: how to take it back, and the version of the row before it. */
interface Unsure {
  undo: () => Promise<unknown>
  before: number | undefined
}

/** Begins the rows of a store when they are due: one timer for all of them. */
export class DueRowRunner<Row extends { key: string }> {
  readonly #options: DueRowRunnerOptions<Row>
  /** The work on rows, with the writes of its results. */
  readonly #working = new Map<string, Promise<void>>()
  /** Those that count towards `concurrent`. */
  readonly #places = new Set<string>()
  /** Rows that were worked on, and the monotonic time at which they begin again if they still exist. */
  readonly #resting = new Map<string, number>()
  /** Rows whose last attempt to begin has failed, with the reason. */
  readonly #failing = new Map<string, string>()
  /** Rows whose claim could not be written: the write may have succeeded anyway. */
  readonly #unsure = new Map<string, Unsure>()
  readonly #closing = new AbortController()
  /** How many rows that were due did not begin at the last look. */
  #passed = 0
  #looking: Promise<void> | undefined
  #again = false
  #isUnreadable = false
  #retry: Promise<void> | undefined
  #timer: Timer | undefined
  #poll: Timer | undefined
  #until: AbortSignal | undefined

  constructor(options: DueRowRunnerOptions<Row>) {
    this.#options = options
    if (options.pollMs !== undefined) this.#watch(options.pollMs)
  }

  /** How many rows are worked on. */
  get working(): number {
    return this.#working.size
  }

  get stopped(): boolean {
    return this.#closing.signal.aborted
  }

  /** Looks at the rows: one was written, or what it waits for has changed. */
  look(): void {
    if (this.stopped) return
    this.#again = true
    if (this.#looking) return
    this.#looking = this.#lookUntilDone()
    this.#options.loading?.(this.#looking)
  }

  /** Resolves once no row is due, and none is worked on. */
  async idle(): Promise<void> {
    while (this.#looking || this.#working.size > 0) await Promise.all([this.#looking, ...this.#working.values()])
  }

  /** Lets all rows begin again. */
  reset(): void {
    this.#resting.clear()
    this.look()
  }

  /**
   * Claims a row for this process with `write`, unless it stops. After an error, `mayBeOwn` knows the row, and a stop calls `undo`. Without
   * `undo`, that of its last claim, which may be stored: this one repeats it. `before`: the version of the row.
   */
  async claim(key: string, write: () => Promise<boolean>, undo?: Unsure['undo'], before?: number): Promise<boolean> {
    await this.#options.claims?.opens?.()
    if (this.stopped) return false
    if (undo) this.#unsure.set(key, { undo, before })
    const isClaimed = await write()
    this.#unsure.delete(key)
    if (isClaimed) this.#options.claims?.begin(key)
    return isClaimed
  }

  /** Whether the write of the last claim of a row has failed. If a claim is stored all the same, this process has made it. */
  mayBeOwn(key: string): boolean {
    return this.#unsure.has(key)
  }

  /** Whether the instance that has claimed a row works on it. */
  async isActive(key: string, { machine }: Pick<Claimed, 'machine'>): Promise<boolean> {
    return (await this.#options.claims?.isActive(machine, key)) ?? false
  }

  /** Whether this process has claimed the row of this version, with a write that seemed to fail. Before that, a former process may have claimed it. */
  isOwn(key: string, { state, machine }: Claimed, version: number): boolean {
    const isLike = state === 'running' && machine === this.#options.claims?.id
    return isLike && this.mayBeOwn(key) && this.#unsure.get(key)?.before !== version
  }

  /** Stores `running` for a row of this version. Undefined if the row has changed, or the rows are stopped. */
  async claimAs<T extends Claimed>(
    store: StateStore,
    { key, value, version }: { key: string; value: Claimed; version: number },
    running: T,
  ): Promise<T | undefined> {
    const { claims } = this.#options
    const claim = { ...running, ...(claims && { machine: claims.id }) }
    /** Lets another process claim it, after a claim whose write has failed. */
    const undo = async () => {
      const found = await store.get(key)
      const { state, machine } = (found?.value ?? {}) as Partial<Claimed>
      const isOwn = state === 'running' && machine === claims?.id
      // A further term of this instance may have made the same claim.
      if (isOwn && !(await this.isActive(key, { machine }))) await store.set(key, value, { expected: found!.version })
    }
    const write = () => store.set(key, claim, { expected: version })
    const isAgain = this.isOwn(key, value, version)
    return (await this.claim(key, write, isAgain ? undefined : undo, version)) ? claim : undefined
  }

  /** The version of a row since this process has claimed it. Undefined: another one has taken it over, or the result of its work is stored. */
  async claimedVersion(store: StateStore, key: string, { machine }: Pick<Claimed, 'machine'>) {
    const found = await store.get(key)
    const row = (found?.value ?? {}) as Partial<Claimed>
    return row.state === 'running' && row.machine === machine ? found!.version : undefined
  }

  /** Starts no further rows. Resolves when all work and all claims have ended. `until`: the writes of results are repeated until then. */
  async stop(until?: AbortSignal): Promise<void> {
    this.#until = until
    this.#closing.abort()
    this.#timer?.cancel()
    this.#poll?.cancel()
    await this.#looking
    const undone = [...this.#unsure.values()].map(({ undo }) => this.#untilDone(undo, nothing).catch(nothing))
    await Promise.all([...this.#working.values(), ...undone])
  }

  #watch(pollMs: number): void {
    this.#poll = systemClock.after(pollMs, () => {
      this.#watch(pollMs)
      void this.#peek()
    })
  }

  /** Looks only if a row may begin. Usually, this reads one row. */
  async #peek(): Promise<void> {
    if (this.#looking) return
    const { clock, dueMs, list } = this.#options
    const isFree = ({ key }: Row) => !this.#working.has(key) && !this.#resting.has(key)
    const limit = this.#working.size + this.#resting.size + 1
    // A look reports a store that cannot be read.
    const rows = await list(limit).catch(() => undefined)
    if (!rows || rows.some((row) => isFree(row) && dueMs(row) <= clock.now())) this.look()
  }

  async #lookUntilDone(): Promise<void> {
    while (this.#again && !this.stopped) {
      this.#again = false
      await this.#lookNow()
    }
    this.#looking = undefined
  }

  async #lookNow(): Promise<void> {
    const { clock, log, name } = this.#options
    this.#timer?.cancel()
    let nextMs: number
    try {
      nextMs = await this.#beginDue()
      this.#isUnreadable = false
    } catch (error) {
      if (this.stopped) return
      if (!this.#isUnreadable)
        log.error({ error }, `${name} cannot be read (${(error as Error).message}); trying again`)
      this.#isUnreadable = true
      nextMs = clock.now() + RETRY_MS
    }
    if (!this.stopped) this.#timer = timerAt(clock, nextMs, () => this.look())
  }

  /** Returns when the next row is due. */
  async #beginDue(): Promise<number> {
    const { clock, list, dueMs, concurrent = 50 } = this.#options
    let nextMs = Infinity
    const limit = concurrent + this.#working.size + this.#resting.size + this.#passed + 1
    const rows = await list(limit)
    const now = clock.now()
    this.#passed = 0
    // More of them may be due behind those that wait.
    let hasMore = rows.length === limit
    for (const row of rows) {
      const { key } = row
      if (this.stopped) break
      if (this.#working.has(key)) continue
      if (dueMs(row) > now) {
        nextMs = Math.min(nextMs, dueMs(row))
        hasMore = false
        continue
      }
      if (this.#places.size >= concurrent) {
        // The next one begins when the work on another one ends.
        hasMore = false
        break
      }
      const restMs = (this.#resting.get(key) ?? 0) - clock.monotonic()
      if (restMs > 0) {
        nextMs = Math.min(nextMs, now + restMs)
        continue
      }
      const begun = await this.#begun(row, rows)
      if (typeof begun === 'function') {
        this.#places.add(key)
        this.#working.set(key, this.#work(row, begun))
      } else if (begun === undefined) this.#again = true
      else {
        this.#passed++
        nextMs = Math.min(nextMs, begun)
      }
    }
    const left = new Set(rows.map(({ key }) => key))
    // Only a whole list shows that a claimed row is gone.
    const unsure = rows.length < limit ? [this.#unsure] : []
    for (const keys of [this.#resting, this.#failing, ...unsure])
      for (const key of keys.keys()) if (!left.has(key)) keys.delete(key)
    if (hasMore) this.#again = true
    return nextMs
  }

  /** Begins a row. If that fails, the row is tried again later: it keeps no other from beginning. */
  async #begun(row: Row, rows: readonly Row[]): Promise<Work | number | undefined> {
    const { begin, clock, log, name } = this.#options
    const { key } = row
    try {
      const begun = await begin(row, rows)
      this.#failing.delete(key)
      return begun
    } catch (error) {
      const reason = (error as Error).message
      // One line for all rows, if the store fails.
      const isKnown = [...this.#failing.values()].includes(reason)
      if (!this.stopped && !isKnown) log.error({ key, error }, `${name} cannot begin (${reason}); trying again`)
      this.#failing.set(key, reason)
      this.#resting.set(key, clock.monotonic() + RETRY_MS)
      return clock.now() + RETRY_MS
    }
  }

  async #work(row: Row, work: Work): Promise<void> {
    const { key } = row
    const { clock, claims, failed, refused } = this.#options
    let { restMs = 0 } = this.#options
    const release = () => {
      if (this.#places.delete(key)) this.look()
    }
    try {
      const write = await work(release)
      if (write)
        await this.#untilDone(write, (error) => {
          refused?.(row, error)
          release()
        })
    } catch (error) {
      if (!this.stopped && !(error instanceof Unfinished)) failed(row, error as Error)
      restMs = RETRY_MS
    }
    claims?.end(key)
    // The list that is being read may still contain the row.
    await this.#looking
    this.#places.delete(key)
    this.#working.delete(key)
    if (restMs > 0) this.#resting.set(key, clock.monotonic() + restMs)
    this.look()
  }

  /** Repeats a write until it is done. A stop tries it a last time, because the next start would take the row for an interrupted one. */
  async #untilDone(write: () => Promise<unknown>, refused: (error: Error) => void): Promise<void> {
    const { clock } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return void (await write())
      } catch (error) {
        if (this.stopped && (this.#until?.aborted ?? true)) throw error
        if (tries === 1) refused(error as Error)
      }
      // One timer for all of them.
      this.#retry ??= sleep(clock, RETRY_MS, this.stopped ? this.#until : this.#closing.signal).then(nothing, nothing)
      await this.#retry.then(() => (this.#retry = undefined))
    }
  }
}

const nothing = (): void => {}
