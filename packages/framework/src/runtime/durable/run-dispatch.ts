import { within } from '@botwright/clock'
import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import type { Definition } from '../../author/files/entries.ts'
import { type Wake, wakeDelivery } from '../../link/durable/run-event.ts'
import { duePrefix, isRunHead, type RunHead, RunStore } from '../../link/durable/run-store.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'
import type { Gathers } from '../ports/gathers.ts'
import type { Switches } from '../ports/switches.ts'
import { READ_MS, type RenewedRuns, type RunCounts } from '../ports/bot-facts.ts'
import type { ParkedRuns } from './parked-runs.ts'
import type { EventDispatcher, RunRouter, RunRouterOptions } from './run-router.ts'
import type { createRunWaker, RunWakerOptions } from './run-waker.ts'

export interface RunDispatchOptions
  extends Omit<RunRouterOptions, 'dispatcher' | 'resumed'>, Omit<RunWakerOptions, 'wake'> {
  dispatcher: BotDispatcher
  switches?: Pick<Switches, 'onStoreWrite'>
  /** Opens the gathering of events, once a file gathers. */
  openGathering?: (definitions: readonly Definition[]) => Promise<Gathers | undefined>
  /** See `BotSource`. */
  codeId?: string | undefined
}

/** How many runs are continued with other code at once; the others are when they are woken. */
const MAX_RENEWED = 1000

/** The durable runs of the bot, and the gathering of its events. Without either, events go straight to the bot's dispatcher. */
export class RunDispatch {
  /** Runs each event: the bot's dispatcher, or the router in front of it. */
  dispatcher: EventDispatcher
  readonly counts: RunCounts = { resumed: 0, done: 0, failed: 0, cancelled: 0 }
  readonly #options: RunDispatchOptions
  readonly #runs: RunStore
  /** Runs events that no durable run waits for. */
  readonly #others: RunRouterOptions['dispatcher']
  #gathering: Gathers | undefined
  #router: RunRouter | undefined
  #opening: Promise<void> | undefined
  /** Those with durable handlers. */
  #files: ReadonlySet<string> = new Set()
  #parked: ParkedRuns | undefined
  #timers: ReturnType<typeof createRunWaker> | undefined
  #createTimers: (() => ReturnType<typeof createRunWaker>) | undefined
  #leads = false
  #stopped = false

  constructor(options: RunDispatchOptions) {
    this.#options = options
    this.#runs = new RunStore(options.store)
    const { dispatcher } = options
    this.#others = {
      dispatch: (delivery) => (this.#gathering ?? dispatcher).dispatch(delivery),
      isAwaited: (key) => dispatcher.isAwaited(key),
    }
    this.dispatcher = dispatcher
  }

  /** Called with the definitions of new code. The first durable handler loads what it needs. */
  async update(definitions: readonly Definition[]): Promise<void> {
    await this.#gather(definitions)
    this.#files = new Set(definitions.flatMap(({ durable, file }) => (durable ? file : [])))
    if (this.#stopped || (!this.#router && this.#files.size === 0)) return
    // Once, although new code may come twice at the same time.
    await (this.#opening ??= this.#open().finally(() => (this.#opening = undefined)))
    if (this.#stopped) return this.stop()
    this.#timers?.reset()
    this.lead(this.#leads)
  }

  async #gather(definitions: readonly Definition[]): Promise<void> {
    const opened = this.#gathering ?? (await this.#options.openGathering?.(definitions))
    this.#gathering ??= opened
    this.#gathering?.update(definitions)
    if (this.#stopped) this.#gathering?.stop()
    if (this.#gathering && !this.#router) this.dispatcher = this.#others
  }

  async #open(): Promise<void> {
    const { others, codeId } = this.#options
    if (!this.#router) {
      const [{ RunRouter }, { createRunWaker }] = await Promise.all([
        import('./run-router.ts'),
        import('./run-waker.ts'),
      ])
      const router = new RunRouter({ ...this.#options, dispatcher: this.#others, resumed: () => this.counts.resumed++ })
      this.#router = this.dispatcher = router
      this.#createTimers = () => createRunWaker({ ...this.#options, wake: (run, row) => router.wake(run, row) })
    }
    if (this.#parked || !others || codeId === undefined) return
    const { ParkedRuns } = await import('./parked-runs.ts')
    const parked = new ParkedRuns({ ...this.#options, others, codeId, router: this.#router, files: () => this.#files })
    await parked.start()
    this.#parked = parked
  }

  /** A file gathers a running event. */
  gathers(event: EventKey, file: string): void {
    this.#gathering?.report(event, file)
  }

  /** An event is about to be set aside. Returns it with the others of its running burst. */
  setAside(event: BotEvent, reason: string): readonly BotEvent[] {
    return this.#gathering?.setAside(event, reason) ?? [event]
  }

  /** Other instances run the events that are open. */
  abandon(): void {
    this.#gathering?.abandon()
  }

  /** The service no longer has an event, or it is set aside (`mayComeAgain`): its runs that do not wait yet are lost. */
  lost(event: EventKey, mayComeAgain = false): void {
    void this.#router?.lost(event, mayComeAgain)
  }

  /** A time of a run in memory has come. While the bot stops, its row wakes it after the next start. */
  due(run: string, file: string): void {
    const { clock, dispatcher } = this.#options
    if (this.#stopped) return
    dispatcher.dispatch(wakeDelivery({ run, file, isTime: true }, { now: clock.now() })).catch(() => {})
  }

  /** See `DispatcherOptions.again`. */
  async again(delivery: Delivery): Promise<Delivery | undefined> {
    // A burst is not an answer.
    return this.#router && !delivery.burst ? this.#router.again(delivery) : delivery
  }

  /** A time or a request has woken a run whose code crashes its thread each time: it has failed. */
  async fail(wake: Wake, reason: string): Promise<void> {
    await this.#router?.fail(wake, reason)
  }

  /** Continues the waiting runs of these files with the present code. */
  async renew(files: ReadonlySet<string>): Promise<RenewedRuns> {
    const mismatched: RunHead[] = []
    let waiting = 0
    const heads = this.#router ? await this.#runs.heads({ limit: MAX_RENEWED }) : []
    for (const head of heads) {
      if (head.status !== 'waiting' || !files.has(head.file)) continue
      const renewed = await this.#router!.renew(head)
      if (renewed?.status === 'waiting' && renewed.part?.number === head.part?.number) waiting++
      else if (renewed && renewed.status !== 'done') mismatched.push(renewed)
    }
    return { waiting, mismatched }
  }

  /** How many runs wait, on all instances; NaN if the store does not respond in time. A bot without durable handlers reads nothing. */
  async countWaiting(): Promise<number> {
    if (!this.#router) return 0
    return within(this.#options.clock, READ_MS, () => this.#runs.count()).catch(() => NaN)
  }

  /** Begins to wake runs whose time has come, or stops it. In a cluster, the leader does. */
  lead(leads: boolean): void {
    this.#leads = leads
    if (leads) this.#timers ??= this.#createTimers?.()
    else {
      void this.#timers?.stop()
      this.#timers = undefined
    }
  }

  /** Called with each value that a handler has written. Returns whether the leader must look at it. */
  onStoreWrite(key: string, value: unknown): boolean {
    this.#options.switches?.onStoreWrite(key, value)
    if (isRunHead(key)) {
      const { status } = value as RunHead
      if (status !== 'waiting') this.counts[status]++
    }
    if (!key.startsWith(duePrefix)) return false
    this.#timers?.look()
    return true
  }

  /** A row was written by another instance. */
  look(): void {
    this.#timers?.look()
  }

  stop(): void {
    this.#stopped = true
    this.#router?.stop()
    this.#gathering?.stop()
    this.#parked?.stop()
    this.lead(false)
  }
}
