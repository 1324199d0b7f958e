import { setMaxListeners } from 'node:events'
import { type Clock, sleep } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey, type Gathered, Unfinished } from '@botwright/events'
import { choiceOf } from '../../../author/buttons/face.ts'
import type { Log, StateStore } from '../../../author/ports.ts'
import { answerKey, replyKeyOf } from '../../../link/answer-key.ts'
import { isWake, type Wake, wakeDelivery } from '../../../link/run-event.ts'
import { ParkedStore } from '../stored/parked-store.ts'
import { KEEP_MS, type RunHead, RunStore } from '../stored/run-store.ts'
import type { Observer } from '../../../runtime/ports/observer.ts'
import type { OtherEvents, OtherInstances } from '../../../runtime/ports/durable-dispatch.ts'

export interface RunRouterOptions {
  store: StateStore
  clock: Clock
  log: Log
  dispatcher: OtherEvents
  /** In a cluster. */
  others?: OtherInstances | undefined
  observer: Pick<Observer, 'passed'>
  /** Called with each run that continues on this instance. */
  resumed: () => void
}

/** A question is visible before its run is stored. If the process dies in between, its event is usually run again within this time. */
const RESUME_MS = 6000
const LOOK_MS = 200
/** How often a store that does not respond is tried again. */
const UNREADABLE_MS = 1000

/** Passes answers and times to the durable runs that wait for them, on whichever thread or instance. */
export class RunRouter {
  readonly #options: RunRouterOptions
  readonly #runs: RunStore
  readonly #parked: ParkedStore
  readonly #stopping = new AbortController()
  readonly #began: { atMs: number; monotonicMs: number }

  constructor(options: RunRouterOptions) {
    const { clock } = options
    this.#options = options
    this.#began = { atMs: clock.now(), monotonicMs: clock.monotonic() }
    this.#runs = new RunStore(options.store)
    this.#parked = new ParkedStore(options.store)
    // Any number of events may wait for the store.
    setMaxListeners(0, this.#stopping.signal)
  }

  /** From now on, an event that waits for a run or for the store gives up with `Unfinished`: it runs again at the next start. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Runs a delivery: in the run that waits for it, or as any other event. */
  dispatch(delivery: Delivery): Promise<void | Gathered> {
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
    if (wake.due === undefined) return
    // A crash has left the row behind, and maybe others of the run, which has ended.
    const head = await this.#retry(() => this.#runs.head(id))
    if (!head) {
      // It has no head yet: its event comes again, and continues its record.
      if (await this.#runs.hasRecorded(id, this.#oldestMs)) return
      // Its head has expired, a day after its end.
      await this.#runs.deleteRows(id)
      return this.#runs.deleteDue(wake.due)
    }
    await this.#options.dispatcher.dispatch(
      wakeDelivery({ run: id, file: head.file, due: wake.due }, { now: this.#options.clock.now() }),
    )
  }

  /** Runs with newer records still have the head of their end. The clock of the host may have jumped since this process began. */
  get #oldestMs(): number {
    const { clock } = this.#options
    const oldestMs = clock.now() - KEEP_MS
    return clock.monotonic() - this.#began.monotonicMs < KEEP_MS ? Math.min(oldestMs, this.#began.atMs - 1) : oldestMs
  }

  /** Passes an answer to a run. One to a run that has ended is handled like any other event. */
  async pass(id: string, answer: BotEvent): Promise<void> {
    if (!(await this.#continue(id, { answer }))) await this.#options.dispatcher.dispatch({ event: answer, attempt: 1 })
  }

  /** Continues a run with the present code, in whichever thread its former code waits. Returns its head afterwards. */
  async renew({ id, file }: Pick<RunHead, 'id' | 'file'>): Promise<RunHead | undefined> {
    const now = this.#options.clock.now()
    await this.#options.dispatcher.dispatch(wakeDelivery({ run: id, file, drop: true }, { now }))
    await this.#options.dispatcher.dispatch(wakeDelivery({ run: id, file }, { now }))
    return this.#runs.head(id)
  }

  /** Deletes the rows of the lost runs of an event. Never settles if the bot stops before. */
  lost(event: EventKey, mayComeAgain: boolean): Promise<void> {
    return this.#read(() => this.#runs.deleteLost(event, mayComeAgain)).catch(never)
  }

  /** What to run instead of a delivery whose thread has died: an answer goes to its run. Undefined: its run has received it, and has ended. */
  async again(delivery: Delivery): Promise<Delivery | undefined> {
    const { event, attempt } = delivery
    const key = isWake(event) ? undefined : answerKey(event)
    if (key === undefined) return delivery
    const { received, id } = await this.#runFor(key, replyKeyOf(event), delivery)
    const head = id === undefined ? undefined : await this.#read(() => this.#runs.head(id))
    if (head?.status !== 'waiting') return received === undefined ? delivery : undefined
    const { clock, others } = this.#options
    if (others && head.machine !== others.id)
      return (await this.#continue(head.id, { answer: event }, attempt)) ? undefined : delivery
    return wakeDelivery({ run: head.id, file: head.file, answer: event }, { now: clock.now(), attempt })
  }

  /** Ends a run whose code crashes its thread each time a time or a request wakes it. Never rejects. */
  fail({ run, due }: Wake, reason: string): Promise<void> {
    return this.#read(async () => {
      const head = await this.#runs.head(run)
      if (head?.status === 'waiting') await this.#runs.end(head, 'failed', reason, this.#options.clock.now())
      if (due !== undefined) await this.#runs.deleteDue(due)
    }).catch(nothing)
  }

  /** The run that receives an event: `received`, that it has received it before. */
  #runFor(key: string, reply: string | undefined, { event, attempt }: Delivery) {
    return this.#read(async () => {
      const received = attempt > 1 ? await this.#runs.receiver(eventKey(event)) : undefined
      const replied = reply === undefined || received !== undefined ? undefined : await this.#runs.expecting(reply)
      return { received, id: received ?? replied ?? (await this.#expecting(key, event)) }
    })
  }

  async #find(key: string, reply: string | undefined, delivery: Delivery): Promise<void | Gathered> {
    const { event, attempt } = delivery
    const eventId = eventKey(event)
    const { received, id } = await this.#runFor(key, reply, delivery)
    if (id !== undefined && (await this.#continue(id, { answer: event }, attempt))) return
    // The run was lost before it had a head, such as with its file. It delays no further event.
    if (id !== undefined)
      for (const one of new Set([key, reply ?? key])) await this.#read(() => this.#runs.forget(one, id))
    if (received === undefined) return this.#options.dispatcher.dispatch(delivery)
    // A run that has ended since has received it.
    const ended = await this.#read(() => this.#runs.head(received))
    if (ended) this.#passes(eventId, ended)?.()
  }

  async #expecting(key: string, event: BotEvent): Promise<string | undefined> {
    if (this.#options.dispatcher.isAwaited(key)) return undefined
    return (await this.#runs.expecting(key)) ?? (await this.#expectingChoice(key, event))
  }

  /** The click on a choice may arrive before its run, whose process died, has begun to wait for it. */
  async #expectingChoice(key: string, { data }: BotEvent): Promise<string | undefined> {
    const { custom_id, channel_id } = data
    if (typeof custom_id !== 'string' || choiceOf(custom_id) === undefined) return undefined
    if (typeof channel_id !== 'string') return undefined
    const look = async () => {
      const posting = await this.#runs.isPosting(channel_id)
      // Read last: this row is written before that of the post is deleted.
      return (await this.#runs.expecting(key)) ?? (posting ? undefined : null)
    }
    return (await this.#retry(look)) ?? undefined
  }

  /** Resolves with false if the run has ended. */
  async #continue(id: string, wake: Omit<Wake, 'run' | 'file'>, attempt?: number): Promise<boolean> {
    const { clock, others } = this.#options
    const { answer } = wake
    for (;;) {
      const read = () => this.#read(() => this.#runs.stored(id))
      const stored = (await read()) ?? (wake.answer && (await this.#retry(read)))
      if (!stored) return false
      const { file, machine, status, parked } = stored.value
      if (status !== 'waiting' && wake.request?.action !== 'retry') return false
      // A request is carried out by any code.
      if (parked && !wake.request) {
        if (answer) await this.#read(() => this.#parked.keep(id, answer, clock.now()))
        return true
      }
      const delivery = wakeDelivery({ run: id, file, ...wake }, { now: clock.now(), ...(attempt && { attempt }) })
      if (others && machine !== others.id) {
        const elsewhere = answer && machine !== undefined && this.#passes(eventKey(answer), stored.value, machine)
        if (machine !== undefined && (await others.ask(machine, delivery)) === true) {
          if (elsewhere) elsewhere()
          return true
        }
        // It finishes what it runs, and leaves.
        if (machine !== undefined && (await this.#read(() => others.isActive(machine)))) {
          await this.#rest(LOOK_MS)
          continue
        }
        if (!(await this.#read(() => this.#runs.takeOver(stored)))) continue
      }
      const ended = answer && this.#passes(eventKey(answer), stored.value)
      await this.#resume(delivery)
      ended?.()
      return true
    }
  }

  /** Notifies the observers that an event is passed to a run. Returns the function to call when the run waits again or has ended. */
  #passes(eventId: EventKey, { id, file, event }: RunHead, instance?: string): (() => void) | undefined {
    const to = { event: eventKey(event), file, run: id, ...(instance !== undefined && { instance }) }
    return this.#options.observer.passed?.(eventId, to)
  }

  async #resume(delivery: Delivery): Promise<void> {
    this.#options.resumed()
    await this.#options.dispatcher.dispatch(delivery)
  }

  /** Uses the store until it responds: an event whose run cannot be found must not count as handled. */
  async #read<T>(use: () => Promise<T>): Promise<T> {
    const { log } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return await use()
      } catch (error) {
        if (tries === 1 && !this.#stopping.signal.aborted)
          log.error({ error }, `the durable runs cannot be read (${(error as Error).message}); trying again`)
        await this.#rest(UNREADABLE_MS)
      }
    }
  }

  /** Waits before something is tried again. Rejects with `Unfinished` once the bot stops. */
  async #rest(ms: number): Promise<void> {
    const { signal } = this.#stopping
    await sleep(this.#options.clock, ms, signal).catch(nothing)
    if (signal.aborted) throw new Unfinished()
  }

  async #retry<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
    const { clock } = this.#options
    const endMs = clock.monotonic() + RESUME_MS
    for (;;) {
      const found = await look()
      if (found !== undefined || clock.monotonic() >= endMs) return found
      await this.#rest(LOOK_MS)
    }
  }
}

const nothing = (): void => {}
const never = (): Promise<void> => new Promise(nothing)
