// The durable runs of a thread: begins them, lets them wait as rows of the store, and continues them.

import { elapsedOf } from '@botwright/clock'
import { type BotEvent, type EventKey, eventKey } from '@botwright/events/event'
import { durationMs } from '../../../author/time/duration.ts'
import { hasCode } from '../../../author/error-code.ts'
import { wholeMessage } from '../../../link/errors/whole-error.ts'
import type { Outcome } from '../../../link/ports.ts'
import type { Handler } from '../../../bot/compile-handler.ts'
import type { Context } from '../../../bot/context/context.ts'
import type { Admits, ReceivedAnswer } from '../../../bot/conversation/waiting.ts'
import { type Cancellation, cancelledFor, limitSteps, timedOut } from '../stored/cancellation.ts'
import type { RunScope, WaitData } from './durable-services.ts'
import { asksOf } from './asks-of.ts'
import { createRun, DROP_MS } from './create-run.ts'
import { EndedRuns } from './ended-runs.ts'
import { formerRows, headOf, type LiveRun, nextPart, passOn, roundOf, takeAsked, takeCallers } from './live-run.ts'
import { OpenWaits } from './open-waits.ts'
import { Parking } from './parking.ts'
import type { DurableHandlersHost } from '../../../bot/durable-handlers.ts'
import { endMismatch, runFunction } from './run-function.ts'
import { writeInput } from './run-input.ts'
import { UnstoredRuns } from './unstored-runs.ts'
import { beginRun, type RunBegin } from './begin-run.ts'
import { runKey, type RunRequest, type Wake } from '../../../link/run-event.ts'
import type { Intent, LogRecord } from '../stored/run-log.ts'
import { type RunHead, type RunInput, rowsOf, RunStore } from '../stored/run-store.ts'

export class DurableRuns {
  readonly #host: DurableHandlersHost
  readonly #store: RunStore
  readonly #live = new Map<string, LiveRun>()
  /** Runs that are being read from the store. */
  readonly #loading = new Map<string, Promise<LiveRun | undefined>>()
  readonly #unstored: UnstoredRuns
  readonly #ended: EndedRuns
  readonly #open: OpenWaits
  readonly #parking: Parking

  constructor(host: DurableHandlersHost) {
    this.#host = host
    this.#store = new RunStore(host.services.store)
    this.#open = new OpenWaits(host.clock, host.waiting)
    this.#unstored = new UnstoredRuns(host)
    this.#ended = new EndedRuns(host, this.#store, this.#unstored)
    this.#parking = new Parking({ ...host, store: host.services.store })
  }

  /**
   * Continues a run: because of an answer, a time or a request. Settles when it waits again or has ended. `otherwise`: runs an event that is
   * not its answer after all. While the store cannot be written, an answer is not settled, and a row that has woken the run is kept.
   */
  async wake(wake: Wake, otherwise: (answer: BotEvent) => unknown): Promise<void> {
    const { run: id, answer, due, request } = wake
    const live = this.#live.get(id)
    if (wake.drop) return live && this.#quiet(id).then((run) => (run?.isQuiet ? this.#forget(run) : undefined))
    if (wake.isTime) return live?.isQuiet ? this.#open.expire(id) : void this.#open.expire(id)
    // The row stays until the run waits again or has ended. A run may work for longer than a handler has time.
    if (due !== undefined && !request && live && !live.isQuiet) return
    if (request) await this.#request(id, request)
    else if (answer) await this.#answer(id, answer, otherwise)
    else if (await this.#reach(id)) {
      await this.#quiet(id)
      if (due !== undefined) await this.#open.expire(id, await this.#store.replaced(id, this.#open.keys(id)))
    }
    if (due === undefined || this.#unstored.has(id)) return
    // Only this row leads to a part that `ctx.continueAs` has begun, until it waits.
    await this.#reach(id)
    const run = await this.#quiet(id)
    // Without its code it is woken again later.
    if (this.#unstored.has(id) || (!run && (await this.#store.head(id))?.status === 'waiting')) return
    if (run?.rows.due !== due) await this.#store.deleteDue(due)
  }

  /** Passes an answer to its run, until the store has it. */
  async #answer(id: string, answer: BotEvent, otherwise: (answer: BotEvent) => unknown): Promise<void> {
    let run
    while ((run = await this.#stored(id, answer)) === 'unstored') await this.#unstored.later()
    if (run === 'kept' || run?.seen.has(eventKey(answer))) return
    const delivery = { event: answer, attempt: 1 }
    await (this.#host.waiting.take(delivery, () => this.#answer(id, answer, otherwise)) ?? otherwise(answer))
  }

  /** The run that was in memory or in the store, once it waits or has ended and this is stored. Undefined if it had ended before. `kept`: see `Parking`. */
  async #stored(id: string, answer: BotEvent): Promise<LiveRun | 'unstored' | 'kept' | undefined> {
    try {
      const run = await this.#reach(id, eventKey(answer))
      await this.#quiet(id)
      if (this.#unstored.has(id)) return 'unstored'
      return !this.#live.has(id) && (await this.#parking.keeps(id, answer)) ? 'kept' : run
    } catch (error) {
      this.#unstored.unreadable(id, error)
      return 'unstored'
    }
  }

  async #request(id: string, { action, reason = 'cancelled by an operator' }: RunRequest): Promise<void> {
    if (action === 'cancel') return this.#cancel(id, cancelledFor(reason))
    const head = await this.#store.head(id)
    if (head?.status === 'failed') await this.#store.retry(head, this.#host.clock.now())
    await this.#reach(id)
    await this.#quiet(id)
  }

  /** Cancels a run: its handler gets `ERR_RUN_CANCELLED` where it waits, and can clean up. Settles when it has ended. */
  async #cancel(id: string, cancellation: Cancellation): Promise<void> {
    const head = this.#live.has(id) ? undefined : await this.#store.head(id)
    if (head?.status === 'waiting' && !this.#handler(head.file)) {
      await this.#store.end(head, 'cancelled', cancellation.reason, this.#host.clock.now())
      return this.#ended.logCancelled(head, cancellation.reason)
    }
    const run = await this.#reach(id)
    if (!run) return
    this.#continues(run)
    run.replay.cancel(cancellation)
    limitSteps(run.replay, this.#host)
    await this.#quiet(id)
  }

  /** Begins the run of an event, or continues it if the process died. Settles once it is stored that it waits, has ended or is in its third part. */
  begin({ envelope: event, file, redelivered }: Context): Promise<void> {
    const id = `${eventKey(event)}${this.#handler(file)?.entry.kind === 'event' ? `:${file}` : ''}`
    return this.#unstored.untilStored(id, (again) => this.#begin({ id, file, event }, redelivered || again))
  }

  /** Resolves with false if the run could not be stored. */
  async #begin(facts: Pick<LiveRun, 'id' | 'file' | 'event'>, again: boolean): Promise<boolean> {
    if (this.#live.has(facts.id)) return true
    const head = await this.#store.head(facts.id)
    // `framework replay` runs the event of a failed run again, from the beginning.
    if (head?.status === 'failed' && !again) await this.#store.delete(head)
    else if (head) return head.status === 'waiting' || !(await this.#reach(facts.id))
    const { records, batches } = await this.#store.log(facts.id)
    const run = this.#create({ ...facts, startedMs: records[0]?.atMs ?? this.#host.clock.now() }, records, batches)
    await this.#started(run, records.length > 0 ? { restarted: false } : 'first')
    return !this.#unstored.has(facts.id)
  }

  #handler(file: string): Handler | undefined {
    return this.#host.handlers.find(({ entry }) => entry.file === file)
  }

  #create(
    facts: Pick<LiveRun, 'id' | 'file' | 'event' | 'startedMs' | 'part'>,
    log: readonly LogRecord[],
    batches: number,
  ): LiveRun {
    const run: LiveRun = createRun(this.#host, this.#store, {
      ...{ facts, log, batches },
      version: () => this.#handler(facts.file)?.defined?.version ?? 1,
      onQuiet: () => void this.#waits(run),
      onBroken: (error) => void this.#broken(run, error).catch((thrown: unknown) => this.#notStored(run, thrown)),
    })
    this.#live.set(run.id, run)
    this.#host.waiting.receives(runKey(run.id), true)
    return run
  }

  /** Runs the function. Settles when the run waits or has ended. */
  #started(run: LiveRun, from: RunBegin): Promise<void> {
    this.#continues(run)
    const settled = this.#settled(run)
    const execute = () => void this.#execute(run).catch((error: unknown) => this.#notStored(run, error))
    beginRun(this.#host.services.layer, run, { from, execute })
    return settled
  }

  #settled(run: LiveRun): Promise<void> {
    return new Promise((resolve) => run.settles.push(resolve))
  }

  /** Resolves with the run in memory when it only waits, in whichever part; with undefined when it has ended. */
  async #quiet(id: string): Promise<LiveRun | undefined> {
    for (;;) {
      await this.#loading.get(id)
      const run = this.#live.get(id)
      if (!run || run.isQuiet) return run
      await this.#settled(run)
    }
  }

  /** The run no longer only waits. If it takes long, a row leads to it before its event counts as handled. */
  #continues(run: LiveRun): void {
    const halfMs = this.#host.services.handlerSeconds * 500
    run.timer?.cancel()
    run.isQuiet = false
    run.timer = elapsedOf(this.#host.clock).after(halfMs, () => void this.#keep(run, halfMs))
  }

  async #keep(run: LiveRun, leftMs: number): Promise<void> {
    try {
      await run.replay.flush()
      if (run.replay.isStopped || run.replay.isQuiet) return
      await this.#saveWaiting(run, { wakeMs: this.#host.clock.now() + leftMs })
    } catch (error) {
      if (this.#live.get(run.id) === run) this.#notStored(run, error)
    }
  }

  async #execute(run: LiveRun): Promise<void> {
    const { file, startedMs } = run
    const handler = this.#handler(file)!
    await this.#host.ready(handler)
    const { timeout } = handler.defined!
    if (timeout !== undefined) run.endsMs = startedMs + durationMs(timeout, `${file}: timeout`)
    this.#limit(run)
    const awaits: RunScope['awaits'] = (intent, admits) => this.#await(run, intent, admits)
    const continues = (given?: Readonly<Record<string, unknown>>) => {
      const input = writeInput(file, given)
      void this.#continueAs(run, input).catch((error: unknown) => this.#notStored(run, error))
    }
    const asks = asksOf(run, this.#store, this.#host.clock)
    const error = await runFunction(this.#host, run, handler, { awaits, ...asks, continues })
    if (run.replay.completes()) await this.#end(run, error)
  }

  async #continueAs(run: LiveRun, input: RunInput | undefined): Promise<void> {
    if (!run.replay.completes()) return
    await run.replay.claim()
    if (this.#live.get(run.id) === run) await this.#nextPart(run, { input, round: roundOf(run) + 1 })
  }

  /** Begins a part of a run with an empty record. Settles its callers when it waits, has ended, or begins another one. */
  async #nextPart(run: LiveRun, begins: Parameters<typeof nextPart>[2]): Promise<void> {
    const { id, part, replay } = run
    replay.stop()
    const startedMs = this.#host.clock.now()
    run.part = nextPart(run, startedMs, begins)
    // If the process dies now, the row of `wakeMs` leads to the run.
    await this.#save(run, headOf(run, { status: 'waiting', waits: [], changedMs: startedMs, wakeMs: startedMs }))
    run.hasHead = true
    // Callers of two parts ago wait no longer: a run may have any number of parts.
    const settles = run.settles.splice(run.passed)
    this.#forget(run)
    try {
      const [next] = await Promise.all([this.#reach(id), this.#store.deleteLog({ id, ...(part && { part }) })])
      if (replay.requested) next?.replay.cancel(replay.requested)
      if (next && this.#live.get(id) === next && !next.isQuiet) passOn(settles, next)
    } finally {
      for (const settle of settles) settle()
    }
  }

  /** Stores what a run waits for; from then on the journal need not deliver its events again. */
  async #waits(run: LiveRun): Promise<void> {
    let settles: (() => void)[] = []
    try {
      await run.replay.flush()
      // An answer or a time may have continued it meanwhile.
      if (this.#live.get(run.id) !== run || !run.replay.isQuiet) return
      settles = takeCallers(run)
      await this.#saveWaiting(run)
      run.isQuiet = run.replay.isQuiet
      // Answers found their way to it as soon as its row was written.
      if (run.isQuiet) settles.push(...takeCallers(run))
    } catch (error) {
      this.#notStored(run, error)
    } finally {
      run.caughtUp?.()
      for (const settle of settles) settle()
    }
    if (this.#live.get(run.id) !== run || !run.isQuiet) return
    run.timer?.cancel()
    run.timer = this.#host.clock.after(DROP_MS, () => this.#forget(run))
  }

  async #saveWaiting(run: LiveRun, facts: Pick<RunHead, 'wakeMs'> = {}): Promise<void> {
    const head = headOf(run, { status: 'waiting', changedMs: this.#host.clock.now(), ...facts })
    await this.#save(run, head, facts.wakeMs === undefined ? takeAsked(run) : [])
    if (this.#live.get(run.id) !== run) return
    if (!run.hasHead) this.#host.waiting.talks(eventKey(run.event), run, true)
    run.hasHead = true
  }

  /** Stores a head after all earlier ones. `asked`: the keys of questions that are no longer being posted. */
  #save(run: LiveRun, head: RunHead, asked: Iterable<string> = takeAsked(run)): Promise<void> {
    const saving = run.saved.then(async () => {
      const { received } = run
      run.received = []
      run.rows = await this.#store.save(head, formerRows(run, [...asked]), received)
      this.#unstored.stored(run.id)
    })
    run.saved = saving.catch(() => {})
    return saving
  }

  /** Waits for an answer or a time, unless the run already does. */
  #await(run: LiveRun, { step, data }: Intent, admits?: Admits): void {
    const wait = { step, ...(data as WaitData) }
    if (run.replaced.delete(wait.key ?? '')) return run.replay.complete(step, 'replaced')
    this.#open.add(run, wait, (value, answer) => this.#received(run, { step, value, answer }), admits)
  }

  /** Cancels the run at the end of its `timeout`. */
  #limit(run: LiveRun): void {
    const { id, file, startedMs, endsMs } = run
    if (endsMs === undefined) return
    this.#open.add(run, { step: 0, sinceMs: 0, dueMs: endsMs }, () =>
      this.#cancel(id, timedOut(endsMs - startedMs)).catch((error: unknown) =>
        this.#host.log.error({ run: id, file, error }, `run ${id} could not be cancelled: ${wholeMessage(error)}`),
      ),
    )
  }

  async #received(
    run: LiveRun,
    { step, value, answer }: { step: number; value: unknown; answer: ReceivedAnswer | undefined },
  ): Promise<void> {
    this.#continues(run)
    const settled = this.#settled(run)
    if (answer) {
      run.seen.add(eventKey(answer.delivery.event))
      run.received.push(eventKey(answer.delivery.event))
    }
    run.replay.complete(step, value)
    await settled
    if (answer && this.#unstored.has(run.id)) await this.#answer(run.id, answer.delivery.event, () => {})
    answer?.settle()
  }

  /** The run in memory: one that was dropped runs its function again. Undefined if it has ended. */
  #reach(id: string, answer?: EventKey): LiveRun | undefined | Promise<LiveRun | undefined> {
    return this.#live.get(id) ?? this.#load(id, answer)
  }

  /** Reads a run from the store, and runs its function again. */
  #load(id: string, answer: EventKey | undefined): Promise<LiveRun | undefined> {
    const loading = this.#loading.get(id)
    if (loading) return loading
    const load = async () => {
      const head = await this.#store.head(id)
      if (head && head.status !== 'waiting') return void (await this.#ended.again(head))
      if (!head || head.parked) return undefined
      const { file } = head
      if (!this.#handler(file)) return void (await this.#parking.lacks(head))
      const rows = rowsOf(head)
      const { records, batches } = await this.#store.log(id, head.part)
      const replaced = new Set(await this.#store.replaced(id, [...rows.keys]))
      const run = Object.assign(this.#create(head, records, batches), { hasHead: true, rows, replaced })
      this.#host.waiting.talks(eventKey(run.event), run, true)
      void this.#started(run, { answer, restarted: records.length === 0 })
      return run
    }
    const found = load().finally(() => this.#loading.delete(id))
    this.#loading.set(id, found)
    this.#host.loading?.(found.then((run) => run && new Promise<void>((resolve) => (run.caughtUp = resolve))))
    return found
  }

  async #end(run: LiveRun, error: Outcome['error'], cancelled = run.replay.cancelled): Promise<void> {
    if (this.#live.get(run.id) !== run) return
    const status = error ? 'failed' : cancelled ? 'cancelled' : 'done'
    run.replay.stop()
    try {
      const reason = error?.message ?? cancelled?.reason
      const head = headOf(run, { status, changedMs: this.#host.clock.now(), error: reason })
      await this.#save(run, head)
      if (status === 'cancelled') this.#ended.logCancelled(run, cancelled!.reason)
      await this.#ended.end(head, run.rows, error)
      this.#forget(run)
    } catch (thrown) {
      this.#notStored(run, thrown)
    }
  }

  /** The run cannot continue: its code is not deterministic, its records cannot be stored, or another process continues it. */
  async #broken(run: LiveRun, error: unknown): Promise<void> {
    if (hasCode(error, 'ERR_FENCED')) {
      this.#host.log.info({ run: run.id, file: run.file }, `${run.file}: stopped: ${error.message}`)
      return this.#forget(run)
    }
    if (!hasCode(error, 'ERR_NOT_DETERMINISTIC')) return this.#notStored(run, error)
    const handler = this.#handler(run.file)!
    const { version } = handler.defined!
    if (!run.replay.requested && (await this.#parking.parks(run, version))) return this.#forget(run)
    const end = await endMismatch(this.#host, run, { handler, error })
    if (end !== 'restart') return this.#end(run, end.error, end.cancelled)
    return this.#nextPart(run, { input: run.part?.input, round: roundOf(run) })
  }

  /** The journal or the former record continues it after the next start. */
  #notStored(run: LiveRun, error: unknown): void {
    this.#unstored.failed(run, error)
    if (run.hasHead) this.#unstored.tryAgain(run, async () => this.#reach(run.id))
    this.#forget(run)
  }

  #forget(run: LiveRun): void {
    run.replay.stop()
    run.timer?.cancel()
    run.caughtUp?.()
    if (this.#live.get(run.id) === run) {
      this.#live.delete(run.id)
      this.#open.stop(run.id)
      this.#host.waiting.receives(runKey(run.id), false)
    }
    if (run.hasHead) this.#host.waiting.talks(eventKey(run.event), run, false)
    for (const settle of run.settles.splice(0)) settle()
  }
}
