import { within } from '@botwright/clock'
import type { Delivery, EventKey, Gathered } from '@botwright/events'
import type { Definition } from '../../../author/files/entries.ts'
import { type Wake, wakeDelivery } from '../../../link/run-event.ts'
import { duePrefix, isRunHead, type RunHead, RunStore } from '../stored/run-store.ts'
import { READ_MS, type RenewedRuns, type RunCounts } from '../../../runtime/ports/bot-facts.ts'
import type { EventDispatcher, DurableDispatch } from '../../../runtime/ports/durable-dispatch.ts'
import { ParkedRuns } from './parked-runs.ts'
import { RunRouter, type RunRouterOptions } from './run-router.ts'
import { createRunWaker, type RunWakerOptions } from './run-waker.ts'

export interface RunDispatchOptions
  extends Omit<RunRouterOptions, 'dispatcher' | 'resumed'>, Omit<RunWakerOptions, 'wake'> {
  /** The bot's dispatcher. */
  dispatcher: EventDispatcher
  /** Runs events that no run waits for. */
  events: RunRouterOptions['dispatcher']
  /** See `BotSource`. */
  codeId?: string | undefined
}

/** How many runs are continued with other code at once; the others are when they are woken. */
const MAX_RENEWED = 1000

/** The durable runs of a bot. */
export class RunDispatch implements DurableDispatch {
  readonly counts: RunCounts = { resumed: 0, done: 0, failed: 0, cancelled: 0 }
  readonly #options: RunDispatchOptions
  readonly #runs: RunStore
  readonly #router: RunRouter
  #parking: Promise<void> | undefined
  /** Those with durable handlers. */
  #files: ReadonlySet<string> = new Set()
  #parked: ParkedRuns | undefined
  #timers: ReturnType<typeof createRunWaker> | undefined
  #stopped = false

  constructor(options: RunDispatchOptions) {
    this.#options = options
    this.#runs = new RunStore(options.store)
    this.#router = new RunRouter({ ...options, dispatcher: options.events, resumed: () => this.counts.resumed++ })
  }

  async update(definitions: readonly Definition[]): Promise<void> {
    this.#files = new Set(definitions.flatMap(({ durable, file }) => (durable ? file : [])))
    // Once, although new code may come twice at the same time.
    await (this.#parking ??= this.#park().finally(() => (this.#parking = undefined)))
    if (this.#stopped) return this.stop()
    this.#timers?.reset()
  }

  async #park(): Promise<void> {
    const { others, codeId } = this.#options
    if (this.#parked || !others || codeId === undefined) return
    const parked = new ParkedRuns({
      ...{ ...this.#options, others, codeId, router: this.#router },
      files: () => this.#files,
    })
    await parked.start()
    this.#parked = parked
  }

  dispatch(delivery: Delivery): Promise<void | Gathered> {
    return this.#router.dispatch(delivery)
  }

  lost(event: EventKey, mayComeAgain: boolean): Promise<void> {
    return this.#router.lost(event, mayComeAgain)
  }

  /** While the bot stops, the row of the run wakes it after the next start. */
  due(run: string, file: string): void {
    const { clock, dispatcher } = this.#options
    if (this.#stopped) return
    dispatcher.dispatch(wakeDelivery({ run, file, isTime: true }, { now: clock.now() })).catch(() => {})
  }

  again(delivery: Delivery): Promise<Delivery | undefined> {
    return this.#router.again(delivery)
  }

  fail(wake: Wake, reason: string): Promise<void> {
    return this.#router.fail(wake, reason)
  }

  async renew(files: ReadonlySet<string>): Promise<RenewedRuns> {
    const mismatched: RunHead[] = []
    let waiting = 0
    for (const head of await this.#runs.heads({ limit: MAX_RENEWED })) {
      if (head.status !== 'waiting' || !files.has(head.file)) continue
      const renewed = await this.#router.renew(head)
      if (renewed?.status === 'waiting' && renewed.part?.number === head.part?.number) waiting++
      else if (renewed && renewed.status !== 'done') mismatched.push(renewed)
    }
    return { waiting, mismatched }
  }

  countWaiting(): Promise<number> {
    return within(this.#options.clock, READ_MS, () => this.#runs.count()).catch(() => NaN)
  }

  lead(leads: boolean): void {
    if (leads) this.#timers ??= createRunWaker({ ...this.#options, wake: (run, row) => this.#router.wake(run, row) })
    else {
      void this.#timers?.stop()
      this.#timers = undefined
    }
  }

  onStoreWrite(key: string, value: unknown): boolean {
    if (isRunHead(key)) {
      const { status } = value as RunHead
      if (status !== 'waiting') this.counts[status]++
    }
    if (!key.startsWith(duePrefix)) return false
    this.#timers?.look()
    return true
  }

  look(): void {
    this.#timers?.look()
  }

  stop(): void {
    this.#stopped = true
    this.#router.stop()
    this.#parked?.stop()
    this.lead(false)
  }
}
