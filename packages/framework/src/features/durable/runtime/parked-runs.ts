import type { Clock, Timer } from '@botwright/clock'
import type { Log, StateStore } from '../../../author/ports.ts'
import { ParkedStore } from '../stored/parked-store.ts'
import { type RunHead, RunStore } from '../stored/run-store.ts'
import type { OtherInstances } from '../../../runtime/ports/durable-dispatch.ts'
import type { RunRouter } from './run-router.ts'

export interface ParkedRunsOptions {
  store: StateStore
  clock: Clock
  log: Log
  others: OtherInstances
  /** See `BotSource`. */
  codeId: string
  /** The files with durable handlers. */
  files: () => ReadonlySet<string>
  router: Pick<RunRouter, 'wake' | 'pass'>
}

/** How often each instance looks for parked runs that it can continue. */
const LOOK_MS = 2000

/** In a cluster: continues the runs that instances with other code have parked, and passes their answers on. */
export class ParkedRuns {
  readonly #options: ParkedRunsOptions
  readonly #parked: ParkedStore
  readonly #runs: RunStore
  /** Runs that this instance continues. */
  readonly #taken = new Set<string>()
  /** Since when instances have run this code. */
  #sinceMs = -Infinity
  /** Where the next look begins: those that no instance can continue yet keep no other waiting. */
  #after: string | undefined
  #timer: Timer | undefined
  #failed = false
  #stopped = false

  constructor(options: ParkedRunsOptions) {
    this.#options = options
    this.#parked = new ParkedStore(options.store)
    this.#runs = new RunStore(options.store)
  }

  /** Registers the code of this instance. */
  async start(): Promise<void> {
    const { codeId, clock } = this.#options
    this.#sinceMs = await this.#parked.register(codeId, clock.now())
    this.#watch()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #watch(): void {
    if (this.#stopped) return
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      void this.#attempt(() => this.#look()).then(() => this.#watch())
    })
  }

  async #look(): Promise<void> {
    const { ids, last } = await this.#parked.list(this.#after)
    this.#after = last
    for (const id of ids) {
      if (this.#taken.has(id)) continue
      this.#taken.add(id)
      // One that works for long keeps no other waiting.
      void this.#attempt(() => this.#take(id)).then(() => this.#taken.delete(id))
    }
  }

  /** A failure is logged once: everything is tried again. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failed = false
    } catch (error) {
      const text = `the parked runs cannot be continued (${(error as Error).message}); trying again`
      if (!this.#failed && !this.#stopped) this.#options.log.error({ error }, text)
      this.#failed = true
    }
  }

  async #take(id: string): Promise<void> {
    const { router, clock } = this.#options
    const stored = await this.#runs.stored(id)
    if (stored && !(await this.#mayTake(stored.value))) return
    if (stored?.value.parked) {
      if (!this.#continues(stored.value)) await this.#parked.over(id, clock.now())
      if (!(await this.#runs.takeOver(stored))) return
    }
    await router.wake(id, {})
    if ((await this.#runs.head(id))?.parked) return
    for (const { key, answer } of await this.#parked.kept(id)) {
      await router.pass(id, answer)
      await this.#parked.forget(key)
    }
    await this.#parked.release(id)
  }

  /** Whether the code of this instance may continue a parked run. */
  #continues({ file, parked }: RunHead): boolean {
    const { codeId, files } = this.#options
    if (!parked || parked.by.includes(codeId) || !files().has(file)) return false
    return parked.codeIds.includes(codeId) || this.#sinceMs > parked.sinceMs
  }

  /** Whether this instance takes a run: it can continue it, no instance could for long enough, or the one that has taken it is gone. */
  async #mayTake(head: RunHead): Promise<boolean> {
    const { others, clock } = this.#options
    const { status, parked, machine } = head
    if (status !== 'waiting') return true
    if (parked) return this.#continues(head) || clock.now() >= parked.untilMs
    return machine === others.id || machine === undefined || !(await others.isActive(machine))
  }
}
