import type { BotEvent, Delivery, EventKey } from '@botwright/events'
import type { Definition } from '../../author/files/entries.ts'
import type { Wake } from '../../link/run-event.ts'
import type { RenewedRuns, RunCounts } from '../ports/bot-facts.ts'
import type { Gathers } from '../ports/gathers.ts'
import type { EventDispatcher, DurableDispatch, OtherEvents } from '../ports/durable-dispatch.ts'
import type { Switches } from '../ports/switches.ts'

export interface BotRunsOptions {
  dispatcher: OtherEvents
  switches?: Pick<Switches, 'onStoreWrite'>
  /** Opens the gathering of events, once a file gathers. */
  openGathering?: (definitions: readonly Definition[]) => Promise<Gathers | undefined>
  /** Opens the runs of handlers that outlive their threads, once there are some. `others`: runs other events. */
  openDurable?: (definitions: readonly Definition[], others: OtherEvents) => Promise<DurableDispatch | undefined>
}

const noCounts: RunCounts = { resumed: 0, done: 0, failed: 0, cancelled: 0 }

/** Runs the events of a bot: its dispatcher, behind the features that gather some or continue a handler with them. Without either, events go straight to it. */
export class BotRuns {
  /** Runs each event. */
  dispatcher: EventDispatcher
  readonly #options: BotRunsOptions
  readonly #others: OtherEvents
  #gathering: Gathers | undefined
  #durable: DurableDispatch | undefined
  #leads = false
  #stopped = false

  constructor(options: BotRunsOptions) {
    this.#options = options
    const { dispatcher } = options
    this.#others = {
      dispatch: (delivery) => (this.#gathering ?? dispatcher).dispatch(delivery),
      isAwaited: (key) => dispatcher.isAwaited(key),
    }
    this.dispatcher = dispatcher
  }

  get counts(): RunCounts {
    return this.#durable?.counts ?? noCounts
  }

  /** Called with the definitions of new code. */
  async update(definitions: readonly Definition[]): Promise<void> {
    await this.#gather(definitions)
    if (this.#stopped) return
    const opened = this.#durable ?? (await this.#options.openDurable?.(definitions, this.#others))
    if (!opened) return
    // Once, although new code may come twice at the same time.
    const durable = (this.#durable ??= opened)
    this.dispatcher = durable
    if (this.#stopped) return durable.stop()
    await durable.update(definitions)
    durable.lead(this.#leads)
  }

  async #gather(definitions: readonly Definition[]): Promise<void> {
    const opened = this.#gathering ?? (await this.#options.openGathering?.(definitions))
    this.#gathering ??= opened
    this.#gathering?.update(definitions)
    if (this.#stopped) this.#gathering?.stop()
    if (this.#gathering && !this.#durable) this.dispatcher = this.#others
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

  // See `DurableDispatch`. A bot without such handlers does and reads nothing.

  lost(event: EventKey, mayComeAgain = false): Promise<void> | undefined {
    return this.#durable?.lost(event, mayComeAgain)
  }

  due(run: string, file: string): void {
    this.#durable?.due(run, file)
  }

  async again(delivery: Delivery): Promise<Delivery | undefined> {
    // A burst is not an answer.
    return this.#durable && !delivery.burst ? this.#durable.again(delivery) : delivery
  }

  async fail(wake: Wake, reason: string): Promise<void> {
    await this.#durable?.fail(wake, reason)
  }

  async renew(files: ReadonlySet<string>): Promise<RenewedRuns> {
    return this.#durable?.renew(files) ?? { waiting: 0, mismatched: [] }
  }

  async countWaiting(): Promise<number> {
    return this.#durable?.countWaiting() ?? 0
  }

  lead(leads: boolean): void {
    this.#leads = leads
    this.#durable?.lead(leads)
  }

  onStoreWrite(key: string, value: unknown): boolean {
    this.#options.switches?.onStoreWrite(key, value)
    return this.#durable?.onStoreWrite(key, value) ?? false
  }

  look(): void {
    this.#durable?.look()
  }

  stop(): void {
    this.#stopped = true
    this.#leads = false
    this.#durable?.stop()
    this.#gathering?.stop()
  }
}
