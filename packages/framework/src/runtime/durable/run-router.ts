import { type Clock, sleep } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import { choiceOf } from '../../author/buttons/face.ts'
import type { StateStore } from '../../author/ports.ts'
import { answerKey, replyKeyOf } from '../../link/conversation/answer-key.ts'
import { isWake, type Wake, wakeDelivery } from '../../link/durable/run-event.ts'
import { type RunHead, RunStore } from '../../link/durable/run-store.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'

/** The other instances of a cluster. */
export interface OtherInstances {
  /** The name of this instance. */
  readonly id: string
  /** Has an instance run an event. False: it does not. `lost`: it has died while it ran it. */
  ask(instance: string, delivery: Delivery): Promise<boolean | 'lost'>
  /** Whether the lease of an instance holds. */
  isActive(instance: string): Promise<boolean>
}

export interface RunRouterOptions {
  store: StateStore
  clock: Clock
  dispatcher: BotDispatcher
  /** In a cluster. */
  others?: OtherInstances | undefined
  /** Records to which run an event is passed. Undefined where the bot is not recorded. */
  recorder?: Pick<Recorder, 'passed'> | undefined
  /** Called with each run that continues on this instance. */
  resumed: () => void
}

/** A question is visible before its run is stored. If the process dies in between, its event runs again within this time. */
const RESUME_MS = 6000
const LOOK_MS = 200

/** Passes answers and times to the durable runs that wait for them, on whichever thread or instance. */
export class RunRouter {
  readonly #options: RunRouterOptions
  readonly #runs: RunStore
  /** Until then, events of the former process run again. In a cluster, an instance may die at any time. */
  readonly #resumesUntilMs: number
  #stopped = false

  constructor(options: RunRouterOptions) {
    this.#options = options
    this.#runs = new RunStore(options.store)
    this.#resumesUntilMs = options.others ? Infinity : options.clock.monotonic() + RESUME_MS
  }

  /** No answer waits for a run to be continued elsewhere from now on: its event runs again at the next start. */
  stop(): void {
    this.#stopped = true
  }

  /** Runs a delivery: in the run that waits for it, or as any other event. */
  dispatch(delivery: Delivery): Promise<void> {
    const { dispatcher } = this.#options
    if (isWake(delivery.event)) return this.#resume(delivery)
    const key = answerKey(delivery.event)
    const reply = replyKeyOf(delivery.event)
    return key === undefined || (reply === undefined && dispatcher.isAwaited(key))
      ? dispatcher.dispatch(delivery)
      : this.#find(key, reply, delivery)
  }

  /** Wakes a run because its time has come, or because of a request. */
  async wake(id: string, wake: Pick<Wake, 'due' | 'request'>): Promise<void> {
    if (await this.#continue(id, wake)) return
    // The run has ended. The row was left behind by a crash.
    if (wake.due !== undefined) await this.#runs.deleteDue(wake.due)
  }

  /** Continues a run with the present code, in whichever thread its former code waits. Returns its head afterwards. */
  async renew({ id, file }: Pick<RunHead, 'id' | 'file'>): Promise<RunHead | undefined> {
    const now = this.#options.clock.now()
    await this.#options.dispatcher.dispatch(wakeDelivery({ run: id, file, drop: true }, { now }))
    await this.#options.dispatcher.dispatch(wakeDelivery({ run: id, file }, { now }))
    return this.#runs.head(id)
  }

  async #find(key: string, reply: string | undefined, delivery: Delivery): Promise<void> {
    const { event, attempt, redelivered } = delivery
    const received = redelivered ? await this.#runs.receiver(event.id) : undefined
    const replied = reply === undefined || received !== undefined ? undefined : await this.#runs.expecting(reply)
    const id = received ?? replied ?? (await this.#expecting(key, event))
    if (id !== undefined && (await this.#continue(id, { answer: event }, attempt))) return
    if (received === undefined) return this.#options.dispatcher.dispatch(delivery)
    // A run that has ended since has received it.
    const ended = await this.#runs.head(received)
    if (ended) this.#passes(event.id, ended)?.()
  }

  async #expecting(key: string, event: BotEvent): Promise<string | undefined> {
    if (this.#options.dispatcher.isAwaited(key)) return undefined
    return (await this.#runs.expecting(key)) ?? (await this.#expectingChoice(key, event))
  }

  /** The click on a choice may arrive before its run, whose process died, has begun to wait for it. */
  async #expectingChoice(key: string, { data }: BotEvent): Promise<string | undefined> {
    const { custom_id } = data
    if (typeof custom_id !== 'string' || choiceOf(custom_id) === undefined) return undefined
    if (this.#options.clock.monotonic() >= this.#resumesUntilMs) return undefined
    return this.#retry(() => this.#runs.expecting(key))
  }

  /** Resolves with false if the run has ended. */
  async #continue(id: string, wake: Omit<Wake, 'run' | 'file'>, attempt?: number): Promise<boolean> {
    const { clock, others } = this.#options
    const { answer } = wake
    for (;;) {
      const read = () => this.#runs.stored(id)
      const stored = (await read()) ?? (wake.answer && (await this.#retry(read)))
      if (!stored) return false
      const { file, machine, status } = stored.value
      if (status !== 'waiting' && wake.request?.action !== 'retry') return false
      const delivery = wakeDelivery({ run: id, file, ...wake }, { now: clock.now(), ...(attempt && { attempt }) })
      if (others && machine !== others.id) {
        const elsewhere = answer && machine !== undefined && this.#passes(answer.id, stored.value, machine)
        if (machine !== undefined && (await others.ask(machine, delivery)) === true) {
          if (elsewhere) elsewhere()
          return true
        }
        // It finishes what it runs, and leaves.
        if (machine !== undefined && (await others.isActive(machine))) {
          await sleep(clock, LOOK_MS)
          continue
        }
        if (!(await this.#runs.takeOver(stored))) continue
      }
      const ended = answer && this.#passes(answer.id, stored.value)
      await this.#resume(delivery)
      ended?.()
      return true
    }
  }

  /** Records that an event is passed to a run. Returns the function to call when the run waits again or has ended. */
  #passes(eventId: number, { id, file, event }: RunHead, instance?: string): (() => void) | undefined {
    const to = { event: event.id, file, run: id, ...(instance !== undefined && { instance }) }
    return this.#options.recorder?.passed(eventId, to)
  }

  #resume(delivery: Delivery): Promise<void> {
    this.#options.resumed()
    return this.#options.dispatcher.dispatch(delivery)
  }

  async #retry<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
    const { clock } = this.#options
    const endMs = clock.monotonic() + RESUME_MS
    for (;;) {
      const found = await look()
      if (found !== undefined || this.#stopped || clock.monotonic() >= endMs) return found
      await sleep(clock, LOOK_MS)
    }
  }
}
