// The durable runs of a thread: begins them, lets them wait as rows of the store, and continues them.

import { type BotEvent, Delivery } from '@botwright/events/event'
import { durationMs } from '../../author/duration.ts'
import { hasCode } from '../../author/error-code.ts'
import { currentLine } from '../../link/errors/source-line.ts'
import { wholeMessage } from '../../link/errors/whole-error.ts'
import type { Outcome } from '../../link/ports.ts'
import type { Handler } from '../compile-handler.ts'
import type { Context } from '../context/context.ts'
import type { ReceivedAnswer } from '../conversation/waiting.ts'
import { type Cancellation, cancelledFor, timedOut } from '../../link/durable/cancellation.ts'
import type { WaitData } from './durable-services.ts'
import { eventsIn, headOf, type LiveRun, nextPart, outcomeOf, retried } from './live-run.ts'
import { OpenWaits } from './open-waits.ts'
import { createKnownMessages } from './repeat-call.ts'
import { Replay } from './replay.ts'
import { type DurableHost, endMismatch, runFunction } from './run-function.ts'
import { writeInput } from './run-input.ts'
import { recordedRun, type RunBegin } from './recorded-run.ts'
import { runKey, type RunRequest, type Wake } from '../../link/durable/run-event.ts'
import type { Intent, LogRecord } from '../../link/durable/run-log.ts'
import { type RunHead, type RunInput, rowsOf, RunStore, type RunWait } from '../../link/durable/run-store.ts'

/** After this time of waiting, a run is only a row of the store. */
const DROP_MS = 30_000
/** After this time, a run that could not be stored is continued from its record. */
const RETRY_MS = 30_000

export class DurableRuns {
  readonly #host: DurableHost
  readonly #store: RunStore
  readonly #live = new Map<string, LiveRun>()
  /** Runs that are being read from the store. */
  readonly #loading = new Map<string, Promise<LiveRun | undefined>>()
  readonly #open: OpenWaits
  readonly #known = createKnownMessages()

  constructor(host: DurableHost) {
    this.#host = host
    this.#store = new RunStore(host.services.store)
    this.#open = new OpenWaits(host.clock, host.waiting)
  }

  /**
   * Continues a run: because of an answer, a time or a request. Settles when it waits again or has ended. `otherwise`: runs an event that is
   * not its answer after all.
   */
  async wake(wake: Wake, otherwise: (answer: BotEvent) => unknown): Promise<void> {
    const { run: id, answer, due, request } = wake
    const live = this.#live.get(id)
    if (wake.drop) return live && this.#quiet(live).then(() => this.#drop(live))
    if (request) await this.#request(id, request)
    else {
      const run = await this.#reach(id, answer?.id)
      if (run) await this.#quiet(run)
      // Without its file it is woken again later.
      else if (due !== undefined && (await this.#store.head(id))?.status === 'waiting') return
      if (answer && !run?.seen.has(answer.id))
        await (this.#host.waiting.take(new Delivery(answer, 1), () => {}) ?? otherwise(answer))
      if (run && due !== undefined) await this.#expire(run)
    }
    if (due === undefined) return
    // `ctx.continueAs` may have begun another part, to which only this row leads until it waits.
    for (let next = await this.#reach(id); next && !next.isQuiet; next = await this.#reach(id)) await this.#quiet(next)
    if (this.#live.get(id)?.rows.due !== due) await this.#store.deleteDue(due)
  }

  async #request(id: string, { action, reason = 'cancelled by an operator' }: RunRequest): Promise<void> {
    if (action === 'cancel') return this.#cancel(id, cancelledFor(reason))
    const head = await this.#store.head(id)
    if (head?.status === 'failed') {
      await this.#store.deleteLog(head)
      await this.#store.save(retried(head, this.#host.clock.now()), rowsOf(head), [])
    }
    const run = await this.#reach(id)
    if (run) await this.#quiet(run)
  }

  /** Ends the waits whose time is over, or for whose answer another run waits now. */
  async #expire(run: LiveRun): Promise<void> {
    const keys = this.#open.keys(run.id)
    const others = await Promise.all(
      keys.map(async (key) => ((await this.#store.expecting(key)) === run.id ? [] : key)),
    )
    await this.#open.expire(run.id, others.flat())
  }

  /**
   * Cancels a run that waits: its handler gets `ERR_RUN_CANCELLED` where it waits, can clean up, and its user is notified. Settles when it
   * has ended.
   */
  async #cancel(id: string, cancellation: Cancellation): Promise<void> {
    const head = this.#live.has(id) ? undefined : await this.#store.head(id)
    if (head?.status === 'waiting' && !this.#handler(head.file)) {
      const changedMs = this.#host.clock.now()
      const ended: RunHead = { ...head, status: 'cancelled', waits: [], error: cancellation.reason, changedMs }
      await this.#store.save(ended, rowsOf(head), [])
      await this.#store.deleteLog(head)
      return this.#logCancelled(head, cancellation.reason)
    }
    const run = await this.#reach(id)
    if (!run) return
    const settled = this.#continues(run)
    run.replay.cancel(cancellation)
    await settled
  }

  /** Begins the run of an event, or continues it if the process died. Settles when it waits for the first time or has ended. */
  async begin({ envelope: event, file, redelivered }: Context): Promise<void> {
    const id = `${event.id}${this.#handler(file)?.entry.kind === 'event' ? `:${file}` : ''}`
    if (this.#live.has(id)) return
    const head = await this.#store.head(id)
    // `framework replay` runs the event of a failed run again, from the beginning.
    if (head?.status === 'failed' && !redelivered) await this.#store.delete(head)
    else if (head) return
    const { records, batches } = await this.#store.log(id)
    const startedMs = records[0]?.atMs ?? this.#host.clock.now()
    const run = this.#create({ id, file, event, startedMs }, records, batches)
    return this.#started(run, records.length > 0 ? { restarted: false } : 'first', batches)
  }

  #handler(file: string): Handler | undefined {
    return this.#host.handlers.find(({ entry }) => entry.file === file)
  }

  #create(
    facts: Pick<LiveRun, 'id' | 'file' | 'event' | 'startedMs' | 'part'>,
    log: readonly LogRecord[],
    batches: number,
  ): LiveRun {
    const { clock, root, codeId } = this.#host
    let batch = batches
    const replay = new Replay(
      {
        file: facts.file,
        codeId,
        now: () => clock.now(),
        version: () => this.#handler(facts.file)?.defined?.version ?? 1,
        place: () => currentLine(root, facts.file) ?? facts.file,
        append: async (records) => {
          await this.#store.append(facts, batch++, records)
          if (records.length > 0) run.caughtUp?.()
        },
        onQuiet: () => void this.#waits(run),
        onBroken: (error) => void this.#broken(run, error),
      },
      { log, startMs: facts.part?.startedMs ?? facts.startedMs, messages: facts.part?.messages },
    )
    const run: LiveRun = {
      ...{ ...facts, replay, rows: { keys: new Set() }, seen: new Set(eventsIn(log)), received: [] },
      ...{ isQuiet: false, hasHead: false, saved: Promise.resolve(), settles: [] },
    }
    this.#live.set(run.id, run)
    this.#host.waiting.receives(runKey(run.id), true)
    return run
  }

  /** Runs the function. A continued run first adds a batch, so that no other process continues it too. */
  async #started(run: LiveRun, from: RunBegin, batches: number): Promise<void> {
    const settled = this.#settled(run)
    if (batches > 0) await run.replay.claim()
    const execute = () => void this.#execute(run).catch((error: unknown) => this.#notStored(run, error))
    if (this.#live.get(run.id) === run) recordedRun(this.#host.scope, run, { from, execute })
    return settled
  }

  #caughtUp(run: LiveRun): Promise<void> {
    return new Promise((resolve) => (run.caughtUp = resolve))
  }

  #settled(run: LiveRun): Promise<void> {
    return new Promise((resolve) => run.settles.push(resolve))
  }

  /** Resolves when the run only waits, or has ended. */
  #quiet(run: LiveRun): Promise<void> {
    return run.isQuiet || this.#live.get(run.id) !== run ? Promise.resolve() : this.#settled(run)
  }

  /** The run no longer only waits. Resolves when it does again, or has ended. */
  #continues(run: LiveRun): Promise<void> {
    run.drop?.cancel()
    run.isQuiet = false
    return this.#settled(run)
  }

  async #execute(run: LiveRun): Promise<void> {
    const { id, file, startedMs } = run
    const handler = this.#handler(file)!
    await this.#host.ready(handler)
    const { timeout } = handler.defined!
    if (timeout !== undefined) run.endsMs = startedMs + durationMs(timeout, `${file}: timeout`)
    this.#limit(run)
    const awaits = ({ step, data }: Intent) => this.#await(run, { step, ...(data as WaitData) })
    const expects = (key: string) => {
      run.rows.keys.add(key)
      if (!run.replay.replaying) run.replay.before(() => this.#store.expect(key, id))
    }
    const continues = (given?: Readonly<Record<string, unknown>>) => {
      const input = writeInput(file, given)
      void this.#continueAs(run, input).catch((error: unknown) => this.#notStored(run, error))
    }
    const error = await runFunction(this.#host, run, handler, { awaits, expects, continues, known: this.#known })
    if (run.replay.completes()) await this.#end(run, error)
  }

  async #continueAs(run: LiveRun, input: RunInput | undefined): Promise<void> {
    if (!run.replay.completes()) return
    await run.replay.claim()
    if (this.#live.get(run.id) === run) await this.#nextPart(run, input)
  }

  /** Begins a part of a run with an empty record. Settles its callers when it waits, or has ended. */
  async #nextPart(run: LiveRun, input: RunInput | undefined): Promise<void> {
    const { id, part, replay } = run
    const settles = run.settles.splice(0)
    replay.stop()
    try {
      const startedMs = this.#host.clock.now()
      // If the process dies now, this row leads to the run.
      await this.#store.wake(id)
      run.part = nextPart(run, startedMs, input)
      await this.#save(run, headOf(run, { status: 'waiting', waits: [], changedMs: startedMs }))
      run.hasHead = true
      this.#forget(run)
      const [next] = await Promise.all([this.#reach(id), this.#store.deleteLog({ id, ...(part && { part }) })])
      if (next) await this.#quiet(next)
    } finally {
      for (const settle of settles) settle()
    }
  }

  /** Stores what a run waits for; from then on the journal need not deliver its events again. */
  async #waits(run: LiveRun): Promise<void> {
    const { clock, waiting } = this.#host
    let settles: (() => void)[] = []
    try {
      await run.replay.flush()
      // An answer or a time may have continued it meanwhile.
      if (this.#live.get(run.id) !== run || !run.replay.isQuiet) return
      settles = run.settles.splice(0)
      const waits = run.replay.waits.map(({ step, data }) => ({ step, ...(data as WaitData) }))
      await this.#save(run, headOf(run, { status: 'waiting', waits, changedMs: clock.now() }))
      run.isQuiet = run.replay.isQuiet
    } catch (error) {
      this.#notStored(run, error)
    } finally {
      run.caughtUp?.()
      for (const settle of settles) settle()
    }
    if (this.#live.get(run.id) !== run) return
    if (!run.hasHead) waiting.talks(run.event.id, true)
    run.hasHead = true
    if (!run.isQuiet) return
    run.drop?.cancel()
    run.drop = clock.after(DROP_MS, () => this.#drop(run))
  }

  /** Stores a head after all earlier ones. */
  #save(run: LiveRun, head: RunHead): Promise<void> {
    const saving = run.saved.then(async () => {
      const { received } = run
      run.received = []
      run.rows = await this.#store.save(head, run.rows, received)
    })
    run.saved = saving.catch(() => {})
    return saving
  }

  #drop(run: LiveRun): void {
    if (run.isQuiet) this.#forget(run)
  }

  /** Waits for an answer or a time, unless the run already does. */
  #await(run: LiveRun, wait: RunWait): void {
    const { step } = wait
    this.#open.add(run, wait, (value, answer) => this.#received(run, { step, value, answer }))
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
    const settled = this.#continues(run)
    if (answer) {
      run.seen.add(answer.delivery.id)
      run.received.push(answer.delivery.id)
    }
    run.replay.complete(step, value)
    await settled
    answer?.settle()
  }

  /** The run in memory: one that was dropped runs its function again. Undefined if it has ended. */
  #reach(id: string, answer?: number): LiveRun | undefined | Promise<LiveRun | undefined> {
    return this.#live.get(id) ?? this.#load(id, answer)
  }

  /** Reads a run from the store, and runs its function again. */
  #load(id: string, answer: number | undefined): Promise<LiveRun | undefined> {
    const loading = this.#loading.get(id)
    if (loading) return loading
    const load = async () => {
      const head = await this.#store.head(id)
      if (head?.status !== 'waiting') return undefined
      const { file } = head
      if (!this.#handler(file)) {
        this.#host.log.warn({ run: id, file }, `${file} is gone: run ${id} waits until it exists again`)
        return undefined
      }
      const { records, batches } = await this.#store.log(id, head.part)
      const run = this.#create(head, records, batches)
      run.hasHead = true
      run.rows = rowsOf(head)
      this.#host.waiting.talks(run.event.id, true)
      void this.#started(run, { answer, restarted: records.length === 0 }, batches)
      return run
    }
    const found = load().finally(() => this.#loading.delete(id))
    this.#loading.set(id, found)
    this.#host.loading?.(found.then((run) => run && this.#caughtUp(run)))
    return found
  }

  async #end(run: LiveRun, error: Outcome['error'], cancelled = run.replay.cancelled): Promise<void> {
    if (this.#live.get(run.id) !== run) return
    const status = error ? 'failed' : cancelled ? 'cancelled' : 'done'
    try {
      const changedMs = this.#host.clock.now()
      await this.#save(run, headOf(run, { status, waits: [], changedMs, error: error?.message ?? cancelled?.reason }))
      if (status === 'cancelled') this.#logCancelled(run, cancelled!.reason)
      this.#host.observe?.(outcomeOf(run, changedMs, error))
      this.#forget(run)
      await (error ? this.#store.keepLog(run, changedMs) : this.#store.deleteLog(run))
    } catch (thrown) {
      this.#notStored(run, thrown)
    }
  }

  #logCancelled({ id, file }: Pick<LiveRun, 'id' | 'file'>, reason: string): void {
    this.#host.log.info({ run: id, file }, `${file}: run ${id} is cancelled: ${reason}`)
  }

  /** The run cannot continue: its code is not deterministic, its records cannot be stored, or another process continues it. */
  async #broken(run: LiveRun, error: unknown): Promise<void> {
    const { log } = this.#host
    if (hasCode(error, 'ERR_FENCED')) {
      log.info({ run: run.id, file: run.file }, `${run.file}: stopped: ${error.message}`)
      return this.#forget(run)
    }
    if (!hasCode(error, 'ERR_NOT_DETERMINISTIC')) return this.#notStored(run, error)
    const end = await endMismatch(this.#host, run, { handler: this.#handler(run.file)!, error })
    if (end !== 'restart') return this.#end(run, end.error, end.cancelled)
    return this.#nextPart(run, run.part?.input).catch((thrown: unknown) => this.#notStored(run, thrown))
  }

  /** The journal or the former record continues it after the next start. */
  #notStored(run: LiveRun, error: unknown): void {
    const { log, waiting } = this.#host
    if (!waiting.closed)
      log.error({ run: run.id, file: run.file, error }, `${run.file}: run ${run.id} stopped: ${wholeMessage(error)}`)
    this.#forget(run)
    if (run.hasHead) this.#tryAgain(run.id)
  }

  #tryAgain(id: string): void {
    const { clock, log, waiting } = this.#host
    clock.after(RETRY_MS, () => {
      if (waiting.closed) return
      Promise.resolve(this.#reach(id)).catch((error: unknown) => {
        log.error({ run: id, error }, `run ${id} cannot be read (${wholeMessage(error)}); trying again`)
        this.#tryAgain(id)
      })
    })
  }

  #forget(run: LiveRun): void {
    run.replay.stop()
    run.drop?.cancel()
    run.caughtUp?.()
    this.#live.delete(run.id)
    this.#open.stop(run.id)
    this.#host.waiting.receives(runKey(run.id), false)
    if (run.hasHead) this.#host.waiting.talks(run.event.id, false)
    for (const settle of run.settles.splice(0)) settle()
  }
}
