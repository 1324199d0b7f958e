import { type Clock, onAbort, systemClock } from '@botwright/clock'
import { orAborted } from '@botwright/clock/timers'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Config } from '../../author/config/config.ts'
import type { Log, StateStore, StoreHost } from '../../author/ports.ts'
import type { Backend, Identity } from '../../runtime/instance/stage-types.ts'
import type { Observer } from '../../runtime/ports/observer.ts'

/** A request that takes longer gets no answer: a connection was cut silently, or a driver has lost it. */
const LIMIT_MS = 60_000
/** A list is read in parts, each with that limit: a slow store takes longer for many values. The next part after a fast one is larger. */
const FIRST_PART = 500
const FAST_MS = 1000
const GROWTH = 4
/** The limit while the bot stops, after the time that its handlers have left. */
const STOP_MS = 5000
/** How often that is logged. */
const REPORT_MS = 60_000
/** A store that takes longer to open is logged: the bot does not start before. */
const OPEN_MS = 10_000

/**
 * The store of `bot.config.ts`, with a time limit for each request: everything that waits for one, such as the tasks of a bot, can try again, and a
 * stop ends. A write that gets no answer may be done all the same, like any write that fails.
 */
export class TimedStore implements StateStore, Observer {
  readonly #store: StateStore
  readonly #log: Log
  readonly #clock: Clock
  readonly #graceMs: number
  /** Set another limit for the requests that are under way. */
  readonly #open = new Set<(ms: number) => void>()
  #isStopping = false
  /** The start has ended. */
  #started = (): void => {}
  #reportedMs = -Infinity

  /** In real time: a test moves the clock of its bot, and its store takes as long as before. */
  constructor(store: StateStore, { limits }: Pick<Config, 'limits'>, log: Log, clock: Clock = systemClock) {
    this.#store = store
    this.#graceMs = limits.graceSeconds * 1000
    this.#log = log
    this.#clock = clock
  }

  /** While the bot starts, a stop does not wait for the store either. */
  starting(signal: AbortSignal): () => void {
    return (this.#started = onAbort([signal], () => this.stopping()))
  }

  ready(): void {
    this.#started()
  }

  /** The requests of handlers that still run may take as long as those. */
  stopping(): void {
    this.#isStopping = true
    for (const setLimit of this.#open) setLimit(Math.max(this.#graceMs, STOP_MS))
  }

  get(key: string) {
    return this.#within(`get ${key}`, () => this.#store.get(key))
  }

  set(...given: Parameters<StateStore['set']>) {
    return this.#within(`set ${given[0]}`, () => this.#store.set(...given))
  }

  delete(...given: Parameters<StateStore['delete']>) {
    return this.#within(`delete ${given[0]}`, () => this.#store.delete(...given))
  }

  list(prefix: string, { after, limit = Infinity }: { after?: string; limit?: number } = {}) {
    return this.#within(`list ${prefix}`, async (progress) => {
      const found: Awaited<ReturnType<StateStore['list']>> = []
      let size = FIRST_PART
      for (let from = after; ;) {
        const most = Math.min(size, limit - found.length)
        const tookMs = progress()
        const part = await this.#store.list(prefix, { ...(from !== undefined && { after: from }), limit: most })
        for (const one of part) found.push(one)
        from = part.at(-1)?.key
        if (part.length !== most || found.length === limit || from === undefined) return found
        if (tookMs() < FAST_MS) size *= GROWTH
      }
    })
  }

  /** `progress`: the next part of the request begins, with a limit of its own unless the bot stops. Throws if the request is late. */
  #within<T>(what: string, request: (progress: () => () => number) => Promise<T>): Promise<T> {
    let sentMs = this.#clock.monotonic()
    return new Promise<T>((resolve, reject) => {
      let error: BotwrightError | undefined
      const tookMs = () => this.#clock.monotonic() - sentMs
      const late = () => {
        end()
        reject((error = this.#late(what, tookMs())))
      }
      const startTimer = (ms: number) => this.#clock.after(ms, late, { keepAlive: true })
      let timer = startTimer(this.#isStopping ? STOP_MS : LIMIT_MS)
      const setLimit = (ms: number) => {
        timer.cancel()
        timer = startTimer(ms)
      }
      const end = () => {
        timer.cancel()
        this.#open.delete(setLimit)
      }
      this.#open.add(setLimit)
      const progress = () => {
        if (error) throw error
        if (!this.#isStopping) {
          sentMs = this.#clock.monotonic()
          setLimit(LIMIT_MS)
        }
        return tookMs
      }
      const answered = async () => request(progress)
      answered().finally(end).then(resolve, reject)
    })
  }

  #late(what: string, ms: number): BotwrightError {
    const text = `the store of bot.config.ts did not answer within ${Math.round(ms / 1000)} s (${what})`
    const nowMs = this.#clock.monotonic()
    if (nowMs - this.#reportedMs >= REPORT_MS) {
      this.#reportedMs = nowMs
      this.#log.error({ code: 'ERR_STATE' }, `${text}: give its driver a shorter timeout, and check its server`)
    }
    return new BotwrightError('ERR_STATE', text)
  }
}

type MakeStore = NonNullable<Config['store']>

/** Makes a store, and logs if that takes long. Rejects with the reason of the signal once it aborts. */
export async function madeInTime(
  make: MakeStore,
  host: StoreHost,
  { clock = systemClock, signal }: { clock?: Clock; signal?: AbortSignal } = {},
): Promise<StateStore> {
  const text = `the store of bot.config.ts has not opened within ${OPEN_MS / 1000} s: the bot starts once it has`
  const slow = clock.after(OPEN_MS, () => host.log.warn({ code: 'ERR_STATE' }, text))
  try {
    return await orAborted((async () => make(host))(), signal)
  } finally {
    slow.cancel()
  }
}

/** Opens the backend of a bot with a store of its own. */
export async function withTimedStore(
  { connection, me }: Identity,
  make: MakeStore,
  open: (identity: Identity) => Promise<Backend>,
): Promise<Backend> {
  const { cleanup, options: given, signal } = connection
  const { config, log } = given
  let observer: TimedStore | undefined
  const store: MakeStore = async (host) => {
    const timed = new TimedStore(await madeInTime(make, host, { signal }), config, log)
    cleanup.add(timed.starting(signal))
    return (observer = timed)
  }
  const options = { ...given, config: { ...config, store } }
  const backend = await open({ connection: { ...connection, options }, me })
  return { ...backend, observer }
}
