// The core of durable handlers: runs a function on a log of steps. No I/O except `append`.

import { systemClock, type Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { differenceOf, notDeterministic } from './difference.ts'
import { digestOf } from './digest-of.ts'
import type { ReplayHost } from './replay-host.ts'
import { fromPlainError, toPlainError } from '../../../link/errors/plain-error.ts'
import {
  type Intent,
  type LogRecord,
  plain,
  type Result,
  runLimits,
  serviceMsOf,
  type Step,
  tooLong,
} from '../stored/run-log.ts'
import { type Cancellation, cancelledError } from '../stored/cancellation.ts'

/** Receives the result of a step. */
interface Issued {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const never = new Promise<never>(() => {})

/** How many steps the notification of a user may take. */
const NOTICE_STEPS = 10

/** A handler that runs again issues its next recorded step within this time. */
export const REPEAT_MS = 10_000

/**
 * Steps are numbered in the order of issue. Results are delivered in their recorded order, one at a time with a macrotask before
 * each, so that everything that follows from a step or a result is issued before the next is delivered. A replay therefore issues the same steps.
 */
export class Replay {
  /** The time of the last delivered result. */
  nowMs: number
  /** The latest time of the service in a delivered result: of a message or an event. */
  serviceMs = 0
  readonly #host: ReplayHost
  readonly #intents = new Map<number, Intent>()
  /** Results that are not delivered yet. */
  readonly #results: Result[] = []
  readonly #finished = new Set<number>()
  readonly #issued = new Map<number, Issued>()
  readonly #waits = new Set<number>()
  /** The ids of the messages in its results. */
  readonly ownMessages: Set<string>
  /** The code that has recorded it in earlier runs. */
  readonly codeIds: ReadonlySet<string>
  /** The channels of the clicks in its results, by their ids. */
  readonly clickChannels = new Map<string, string>()
  #recorded: number
  #steps = 0
  #bytes = 0
  /** The last step that the limits allow in any case. */
  #lastStep = 0
  #executing = 0
  #pumping = false
  #stall: Timer | undefined
  readonly #unsaved: LogRecord[] = []
  #saving: Promise<void> | undefined
  #claiming = false
  /** Whether another process may have added the last batch. */
  #unclaimed: boolean
  /** Work to do before the next records are stored. */
  #before: (() => Promise<unknown>)[] = []
  #broken = false
  /** Resolves when the run is stopped: steps that are not over then never settle. */
  readonly stopped: Promise<void>
  #resolveStopped!: () => void
  #cancellation: Cancellation | undefined
  /** Whether a step has ended with the cancellation. */
  #isCancelled = false

  /** `continued`: a former process has added batches. `messages`: the ids of messages of former parts of the run. */
  constructor(
    host: ReplayHost,
    {
      log,
      startMs,
      continued = false,
      messages,
    }: { log: readonly LogRecord[]; startMs: number; continued?: boolean; messages?: readonly string[] | undefined },
  ) {
    this.#host = host
    this.#unclaimed = continued
    this.stopped = new Promise((resolve) => (this.#resolveStopped = resolve))
    this.nowMs = startMs
    this.ownMessages = new Set(messages)
    for (const record of log) {
      if (record.t === 'intent') this.#intents.set(record.step, record)
      else if (!this.#finished.has(record.step)) this.#keep(record)
    }
    this.#recorded = this.#results.length
    this.codeIds = new Set([...this.#intents.values()].flatMap(({ codeId }) => codeId ?? []))
  }

  /** Whether nothing runs, and the handler waits only for answers or timers. */
  get isQuiet(): boolean {
    const isIdle = !this.#broken && !this.#pumping && this.#executing === 0 && this.#results.length === 0
    return isIdle && this.#waits.size > 0
  }

  /** Whether its open steps no longer settle. */
  get isStopped(): boolean {
    return this.#broken
  }

  /** Whether results of earlier runs are still being delivered. */
  get replaying(): boolean {
    return this.#recorded > 0
  }

  /** Whether the handler repeats its record. `open`: its next step is recorded, but has not ended. */
  get repeats(): 'open' | boolean {
    const next = this.#steps + 1
    if (!this.#intents.has(next)) return this.replaying
    return this.#finished.has(next) || 'open'
  }

  /** Whether no further part of the run begins: it is cancelled, or was at this place in an earlier run. */
  get endsHere(): boolean {
    return this.#cancellation !== undefined || this.#intents.get(this.#steps + 1)?.kind === 'continue'
  }

  /** How many steps it has issued, also in earlier runs. */
  get steps(): number {
    return this.#intents.size
  }

  /** The channel of the last question, if it is another one than that of the event. */
  get questionChannel(): string | undefined {
    const asked = [...this.#intents.values()].findLast(({ kind }) => kind === 'answer')
    return (asked?.data as { channel_id?: string } | undefined)?.channel_id
  }

  /** The version of the handler's code that issued the first step. */
  get version(): number {
    const first = this.#intents.get(1)
    return first ? (first.version ?? 1) : this.#host.version()
  }

  /** The open waits, each with the data of its intent. */
  get waits(): { step: number; data: unknown }[] {
    return [...this.#waits].map((step) => ({ step, data: this.#intents.get(step)?.data }))
  }

  /** Runs an effect, or returns its recorded result. `repeats`: an earlier run may have done it. */
  step(step: Step, execute: (intent: Intent, repeats: boolean) => unknown): Promise<unknown> {
    return this.#issue(step, (intent, repeats) => {
      if (this.#cancellation && !this.#isCancelled && !repeats) this.#cancelStep(intent.step)
      else void this.#execute(intent, () => execute(intent, repeats))
    })
  }

  /** Waits until `complete` is called. `begin` gets the intent of a wait that is not over. */
  wait(step: Step, begin: (intent: Intent) => void): Promise<unknown> {
    return this.#issue(step, (intent) => {
      this.#waits.add(intent.step)
      if (this.#cancellation) return this.#cancelStep(intent.step)
      begin(intent)
      this.#checkQuiet()
    })
  }

  /** Ends a wait. A wait that is already over stays as it is. */
  complete(step: number, value: unknown): void {
    this.#waits.delete(step)
    this.#end({ t: 'result', step, atMs: this.#host.now(), value })
  }

  /** Why the run is to be cancelled. */
  get requested(): Cancellation | undefined {
    return this.#cancellation
  }

  /** Why the run was cancelled, once one of its steps has ended with it. */
  get cancelled(): Cancellation | undefined {
    return this.#isCancelled ? this.#cancellation : undefined
  }

  /** Ends the open waits, and every later one, with `ERR_RUN_CANCELLED`. If none is open, the next step ends with it. Other steps still work. */
  cancel(cancellation: Cancellation): void {
    this.#cancellation ??= cancellation
    for (const step of this.#waits) this.#cancelStep(step)
  }

  /** Ends the author's work that still runs in the steps up to this one: its result is ignored. */
  abandon(last: number): void {
    for (const step of this.#issued.keys())
      if (step <= last && this.#intents.get(step)?.kind === 'step') this.#cancelStep(step)
  }

  #cancelStep(step: number): void {
    if (this.#finished.has(step)) return
    this.#isCancelled = true
    this.#waits.delete(step)
    this.#end({ t: 'result', step, atMs: this.#host.now(), cancelled: this.#cancellation! })
  }

  /** Does work before the next step is stored, and so before its effect. */
  before(work: () => Promise<unknown>): void {
    this.#before.push(work)
  }

  /** Adds an empty batch, so that no other process continues the run too. `onBroken` is called if one already does. */
  claim(): Promise<void> {
    this.#claiming = true
    return this.flush()
  }

  /** Adds a batch unless this process has added one: needed before any effect. A run that only waits again has none. */
  async own(): Promise<void> {
    if (this.#unclaimed) await this.claim()
    else await this.flush()
  }

  /**
   * The handler has ended, or begins the next part. False, after `onBroken`: its record has more steps. `thrown`: its user is notified next,
   * also beyond the limits.
   */
  completes(thrown = false): boolean {
    const next = this.#intents.get(this.#steps + 1)
    const fact = `${this.#host.file}: the handler ends after step ${this.#steps}, but the record has`
    if (next && !(thrown && next.notice) && !this.#broken) this.#break(notDeterministic(fact, next))
    if (thrown) this.#lastStep = this.#steps + NOTICE_STEPS
    return !this.#broken
  }

  /** Called when the handler begins. Breaks the run if it waits for anything other than its recorded steps. In real time: a test's clock is stopped meanwhile. */
  watch(): void {
    this.#stall?.cancel()
    if (this.#recorded === 0 || this.#broken) return
    const stalled = () => {
      const recorded = this.#intents.get(this.#results[0]!.step)
      const fact = `the handler has waited for ${REPEAT_MS / 1000} s after step ${this.#steps}, but the record has`
      this.#break(notDeterministic(`${this.#host.file}: ${fact}`, recorded))
    }
    this.#stall = systemClock.after(REPEAT_MS, stalled)
  }

  /** Ends the run: steps that are issued from now on never settle. */
  stop(): void {
    this.#broken = true
    this.#stall?.cancel()
    this.#resolveStopped()
  }

  /** Resolves when everything until now is stored. */
  async flush(): Promise<void> {
    while (!this.#broken && (this.#unsaved.length > 0 || this.#claiming || this.#saving)) {
      this.#saving ??= this.#save()
      await this.#saving
    }
  }

  async #save(): Promise<void> {
    // The records of one turn are stored together.
    await Promise.resolve()
    const [records, claiming] = [this.#unsaved.splice(0), this.#claiming]
    this.#claiming = false
    const before = this.#before.splice(0)
    try {
      if (before.length > 0) await Promise.all(before.map((work) => work()))
      if (records.length > 0 || claiming) {
        this.#unclaimed = false
        await this.#host.append(records)
      }
    } catch (error) {
      this.#break(error)
    } finally {
      this.#saving = undefined
    }
  }

  #issue(step: Step, begin: (intent: Intent, repeats: boolean) => void): Promise<unknown> {
    if (this.#broken) return never
    const number = ++this.#steps
    const place = this.#host.place()
    const recorded = this.#intents.get(number)
    // The results in the record count only for the steps after them, as in the first run. A step that was refused there has no record.
    const isTooLong = number > runLimits.steps || this.#bytes > runLimits.resultBytes
    if (!recorded && isTooLong && number > this.#lastStep) return Promise.reject(tooLong(place))
    const intent = this.#intentOf(number, step, place)
    const differs = recorded && differenceOf(recorded, intent)
    if (differs !== undefined || (!recorded && this.#recorded > 0)) {
      const issued = `${place}: step ${number} is ${step.kind} "${step.name}"`
      this.#break(notDeterministic(`${issued}, but the record has`, recorded, differs))
      return never
    }
    return new Promise((resolve, reject) => {
      this.#issued.set(number, { resolve, reject })
      if (this.#finished.has(number)) return void this.#pump()
      if (recorded) return begin(recorded, true)
      this.#intents.set(number, intent)
      this.#unsaved.push(intent)
      begin(intent, false)
    })
  }

  #intentOf(number: number, { args, ...step }: Step, place: string): Intent {
    const { codeId } = this.#host
    const notice = this.#lastStep > 0 && { notice: true as const }
    const digest = { ...(codeId !== undefined && { codeId, args: digestOf(args) }), ...notice }
    if (number > 1) return { t: 'intent', step: number, atMs: this.#host.now(), place, ...step, ...digest }
    const version = this.#host.version()
    // A run that dies before its first wait begins again at this time.
    return { t: 'intent', step: 1, atMs: this.nowMs, place, ...step, ...digest, ...(version !== 1 && { version }) }
  }

  async #execute({ step }: Intent, execute: () => unknown): Promise<void> {
    this.#executing++
    let result: Pick<Result, 'value' | 'error'>
    await this.own()
    if (this.#broken) return
    try {
      const value = plain(await execute())
      result = value === undefined ? {} : { value }
    } catch (error) {
      result = { error: toPlainError(error) }
    }
    this.#executing--
    this.#end({ t: 'result', step, atMs: this.#host.now(), ...result })
  }

  #end(result: Result): void {
    if (this.#broken || this.#finished.has(result.step)) return
    this.#keep(result)
    void this.#pump()
  }

  #keep(result: Result): void {
    this.#finished.add(result.step)
    this.#results.push(result)
    this.#bytes += JSON.stringify(result).length
    const value = result.value as
      | { id?: unknown; message?: { id?: unknown }; delivery?: { event: BotEvent } }
      | null
      | undefined
    const id = value?.message?.id ?? value?.id
    if (typeof id === 'string') this.ownMessages.add(id)
    const answer = value?.delivery?.event.data
    if (typeof answer?.['id'] === 'string') this.clickChannels.set(answer['id'], String(answer['channel_id']))
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    // The handler first issues all that follows from the present step.
    await turn()
    for (;;) {
      const [next] = this.#results
      const issued = next && this.#issued.get(next.step)
      // The next result belongs to a step that the handler has not issued yet.
      if (!next || !issued || this.#broken) break
      if (next.cancelled) {
        this.#isCancelled = true
        this.cancel(next.cancelled)
      }
      const error = next.cancelled ? cancelledError(next.cancelled) : next.error && (await fromPlainError(next.error))
      this.#results.shift()
      this.#issued.delete(next.step)
      // Recorded when it is delivered, so that the record has results and intents in the order in which the handler met them.
      if (this.#recorded > 0) this.#recorded--
      else this.#unsaved.push(next)
      this.nowMs = Math.max(this.nowMs, next.atMs)
      this.serviceMs = Math.max(this.serviceMs, serviceMsOf(this.#intents.get(next.step)!, next))
      if (error) issued.reject(error)
      else issued.resolve(plain(next.value))
      await turn()
      void this.flush()
    }
    this.#pumping = false
    this.watch()
    this.#checkQuiet()
  }

  #checkQuiet(): void {
    if (!this.isQuiet) return
    setImmediate(() => {
      if (this.isQuiet) this.#host.onQuiet()
    })
  }

  #break(error: unknown): void {
    if (this.#broken) return
    this.stop()
    if (!this.#unclaimed) return this.#host.onBroken(error)
    // Another process may continue the run: then that one decides.
    this.#unclaimed = false
    const broken = (why: unknown) => this.#host.onBroken(why)
    this.#host.append([]).then(() => broken(error), broken)
  }
}
