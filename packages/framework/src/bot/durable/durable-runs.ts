// The durable runs of a thread: begins them, lets them wait as rows of the store, and continues them.

import type { Timer } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { Questions } from '../../author/ask-options.ts'
import { hasCode } from '../../author/error-code.ts'
import { isThenable } from '../../author/outgoing.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { wholeMessage } from '../../link/errors/whole-error.ts'
import type { Outcome } from '../../link/ports.ts'
import type { Handler } from '../compile-handler.ts'
import { continueConversation } from '../context/button-context.ts'
import type { Context } from '../context/context.ts'
import { endHandler } from '../context/handler-context.ts'
import { type ConversationHost, isSince } from '../conversation/conversation.ts'
import type { ReceivedAnswer, Waiting } from '../conversation/waiting.ts'
import { reportFailure } from '../failure.ts'
import type { HandlerFunction } from '../guards/guarded.ts'
import type { BotHost } from '../host.ts'
import type { BotServices } from '../services.ts'
import { addDurableMembers, durableServices, type WaitData } from './durable-services.ts'
import { Replay } from './replay.ts'
import type { Intent } from './run-log.ts'
import { type RunHead, RunStore, type RunWait } from './run-store.ts'

/** After this time of waiting, a run is only a row of the store. */
const DROP_MS = 30_000

/** How many received events a head has: the newest may not be finished in the journal. */
const MAX_RECEIVED = 20

// Structurally a Delivery: importing its class would load the journal's database into every worker.
const deliveryOf = (event: BotEvent): Delivery => ({ id: event.id, event, attempt: 1, redelivered: false })

/** The dependencies of the runs. */
export interface DurableHost extends BotHost {
  waiting: Waiting
  root: string
  services: BotServices
  handlers: readonly Handler[]
  createQuestions: (host: ConversationHost) => Questions
  ready: (handler: Handler) => Promise<HandlerFunction>
  /** Creates the context of a delivery with these services. */
  contextOf: (delivery: Delivery, handler: Handler, services: BotServices) => Context | undefined
  /** Called with each replay of a dropped run. For code in this thread: a test's. */
  loading?: ((replayed: Promise<unknown>) => void) | undefined
}

/** A run whose function is in memory. */
interface LiveRun {
  id: string
  file: string
  event: BotEvent
  startedMs: number
  replay: Replay
  received: number[]
  /** Whether the store has its head, so that it no longer depends on the journal. */
  hasHead: boolean
  drop?: Timer
  /** Called when its replay has caught up: it stores new records, waits or has ended. */
  caughtUp?: () => void
  /** Callers that wait until it waits or has ended. */
  settles: (() => void)[]
}

/** One answer or time that a run waits for. */
interface OpenWait {
  stop: () => void
}

export class DurableRuns {
  readonly #host: DurableHost
  readonly #store: RunStore
  readonly #live = new Map<string, LiveRun>()
  /** Runs that are being read from the store. */
  readonly #loading = new Map<string, Promise<LiveRun | undefined>>()
  readonly #open = new Map<string, Map<number, OpenWait>>()

  constructor(host: DurableHost) {
    this.#host = host
    this.#store = new RunStore(host.services.store)
  }

  /** Waits for the answers and times of the stored runs, except those of other threads. */
  async resume(elsewhere: ReadonlySet<number>): Promise<void> {
    for (const head of await this.#store.heads()) {
      const { id, file, event, status, waits, received } = head
      this.#host.waiting.ignore(status === 'failed' ? received : [event.id, ...received])
      if (status !== 'waiting' || elsewhere.has(event.id)) continue
      if (!this.#handler(file)) {
        this.#host.log.warn({ run: id, file }, `${file} is gone: run ${id} waits until it exists again`)
        continue
      }
      this.#host.waiting.talks(event.id, true)
      for (const wait of waits) this.#await(id, event.id, wait)
    }
  }

  /** Begins the run of an event, or continues it if the process died. Settles when it waits for the first time or has ended. */
  async begin({ envelope: event, file, redelivered }: Context): Promise<void> {
    const id = `${event.id}${this.#handler(file)?.entry.kind === 'event' ? `:${file}` : ''}`
    if (this.#live.has(id)) return
    const head = await this.#store.head(id)
    // `framework replay` runs the event of a failed run again, from the beginning.
    if (head?.status === 'failed' && !redelivered) await this.#store.delete(id)
    else if (head) return
    const { records, batches } = await this.#store.log(id)
    const startedMs = records[0]?.atMs ?? this.#host.clock.now()
    const run = this.#create({ id, file, event, startedMs }, records, batches)
    return this.#started(run, batches)
  }

  #handler(file: string): Handler | undefined {
    return this.#host.handlers.find(({ entry }) => entry.file === file)
  }

  #create(
    facts: Pick<LiveRun, 'id' | 'file' | 'event' | 'startedMs'>,
    log: ConstructorParameters<typeof Replay>[1]['log'],
    batches: number,
  ): LiveRun {
    const { clock, root } = this.#host
    let batch = batches
    const replay = new Replay(
      {
        file: facts.file,
        now: () => clock.now(),
        place: () => sourceLine(new Error('place'), root, facts.file) ?? facts.file,
        append: async (records) => {
          await this.#store.append(facts.id, batch++, records)
          if (records.length > 0) run.caughtUp?.()
        },
        onQuiet: () => void this.#waits(run),
        onBroken: (error) => void this.#broken(run, error),
      },
      { log, startMs: facts.startedMs },
    )
    const run: LiveRun = { ...facts, replay, received: [], hasHead: false, settles: [] }
    this.#live.set(run.id, run)
    return run
  }

  /** Runs the function. A continued run first adds a batch, so that no other process continues it too. */
  async #started(run: LiveRun, batches: number): Promise<void> {
    const settled = this.#settled(run)
    if (batches > 0) await run.replay.claim()
    if (this.#live.get(run.id) === run) void this.#execute(run).catch((error: unknown) => this.#notStored(run, error))
    return settled
  }

  #caughtUp(run: LiveRun): Promise<void> {
    return new Promise((resolve) => (run.caughtUp = resolve))
  }

  #settled(run: LiveRun): Promise<void> {
    return new Promise((resolve) => run.settles.push(resolve))
  }

  async #execute(run: LiveRun): Promise<void> {
    const { file, event } = run
    const handler = this.#handler(file)!
    const begin = await this.#host.ready(handler)
    const scope = {
      id: run.id,
      base: handler.services ?? this.#host.services,
      waiting: this.#host.waiting,
      replay: run.replay,
      createQuestions: this.#host.createQuestions,
      channel_id: typeof event.data['channel_id'] === 'string' ? event.data['channel_id'] : null,
      awaits: (intent: Intent) => this.#await(run.id, event.id, { step: intent.step, ...(intent.data as WaitData) }),
    }
    const services = durableServices(scope)
    const ctx = this.#host.contextOf(deliveryOf(event), handler, services)
    if (!ctx) return this.#broken(run, new Error(`${file} no longer handles this event`))
    addDurableMembers(ctx, scope, services)
    continueConversation(ctx)
    let error: Outcome['error']
    try {
      const running = begin(ctx)
      if (isThenable(running)) await running
    } catch (thrown) {
      if (hasCode(thrown, 'ERR_UNAUTHORIZED'))
        this.#host.giveUp?.(event, 'the service refused the bot token (401) while it ran', file)
      error = await reportFailure(thrown, ctx, this.#host.root, this.#host.log)
    }
    endHandler(ctx)
    await run.replay.flush()
    await this.#end(run, error)
  }

  /** Stores what a run waits for; from then on the journal need not deliver its events again. */
  async #waits(run: LiveRun): Promise<void> {
    const { clock, waiting } = this.#host
    const open = run.replay.waits
    const settles = run.settles.splice(0)
    try {
      await run.replay.flush()
      if (this.#live.get(run.id) !== run) return
      const waits = open.map(({ step, data }) => ({ step, ...(data as WaitData) }))
      await this.#store.saveHead(this.#head(run, 'waiting', waits))
    } catch (error) {
      this.#notStored(run, error)
    } finally {
      for (const settle of settles) settle()
    }
    if (this.#live.get(run.id) !== run) return
    if (!run.hasHead) waiting.talks(run.event.id, true)
    run.hasHead = true
    run.drop?.cancel()
    run.drop = clock.after(DROP_MS, () => this.#drop(run))
  }

  #head(run: LiveRun, status: RunHead['status'], waits: RunWait[], error?: string): RunHead {
    const { id, file, event, startedMs } = run
    const received = run.received.slice(-MAX_RECEIVED)
    const changedMs = this.#host.clock.now()
    return { id, file, status, event, startedMs, changedMs, waits, received, ...(error !== undefined && { error }) }
  }

  #drop(run: LiveRun): void {
    if (run.settles.length > 0 || this.#live.get(run.id) !== run) return
    run.replay.stop()
    this.#live.delete(run.id)
  }

  #settle(run: LiveRun): void {
    for (const settle of run.settles.splice(0)) settle()
  }

  /** Waits for an answer or a time, unless the run already does. */
  #await(id: string, eventId: number, { step, key, sinceMs, dueMs }: RunWait): void {
    const { clock, waiting } = this.#host
    const own = this.#open.get(id) ?? new Map<number, OpenWait>()
    if (own.has(step)) return
    this.#open.set(id, own.set(step, { stop: () => {} }))
    let over = false
    const finish = (value: unknown, answer?: ReceivedAnswer) => {
      if (over || waiting.closed) return answer?.settle()
      stop()
      void this.#received(id, eventId, { step, value, answer })
    }
    const heard = key === undefined ? undefined : waiting.wait(key, isSince(sinceMs))
    void heard?.answer.then((answer) => {
      if (!answer) return finish('replaced')
      const { event } = answer.delivery
      finish({ delivery: deliveryOf(event) }, answer)
    })
    const timer = clock.after(Math.max(0, dueMs - clock.now()), () => finish(key === undefined ? null : 'late'))
    const stop = () => {
      over = true
      own.delete(step)
      timer.cancel()
      heard?.stop()
    }
    own.set(step, { stop })
  }

  async #received(
    id: string,
    eventId: number,
    { step, value, answer }: { step: number; value: unknown; answer: ReceivedAnswer | undefined },
  ): Promise<void> {
    try {
      const loading = this.#live.has(id) ? undefined : this.#load(id)
      if (loading) this.#host.loading?.(loading.then((run) => run && this.#caughtUp(run)))
      const run = this.#live.get(id) ?? (await loading)
      if (!run) return
      run.drop?.cancel()
      if (answer) run.received.push(answer.delivery.id)
      const settled = this.#settled(run)
      run.replay.complete(step, value)
      await settled
    } catch (error) {
      this.#host.log.error({ run: id, event: eventId, error }, `run ${id} could not continue: ${wholeMessage(error)}`)
    } finally {
      answer?.settle()
    }
  }

  /** Reads a run from the store, and runs its function again. */
  #load(id: string): Promise<LiveRun | undefined> {
    const loading = this.#loading.get(id)
    if (loading) return loading
    const load = async () => {
      const head = await this.#store.head(id)
      if (head?.status !== 'waiting') return undefined
      const { records, batches } = await this.#store.log(id)
      const run = this.#create(head, records, batches)
      run.hasHead = true
      run.received = head.received
      void this.#started(run, batches)
      return run
    }
    const found = load().finally(() => this.#loading.delete(id))
    this.#loading.set(id, found)
    return found
  }

  async #end(run: LiveRun, error: Outcome['error']): Promise<void> {
    if (this.#live.get(run.id) !== run) return
    try {
      await this.#store.saveHead(this.#head(run, error ? 'failed' : 'done', [], error?.message))
      this.#observe(run, error)
      this.#forget(run)
      await this.#store.deleteLog(run.id)
    } catch (thrown) {
      this.#notStored(run, thrown)
    }
  }

  /** The run cannot continue: its code is not deterministic, its records cannot be stored, or another process continues it. */
  async #broken(run: LiveRun, error: unknown): Promise<void> {
    const { log, root, services } = this.#host
    if (hasCode(error, 'ERR_FENCED')) {
      log.info({ run: run.id, file: run.file }, `${run.file}: stopped: ${error.message}`)
      return this.#forget(run)
    }
    if (!hasCode(error, 'ERR_NOT_DETERMINISTIC')) return this.#notStored(run, error)
    const handler = this.#handler(run.file)!
    const ctx = this.#host.contextOf(deliveryOf(run.event), handler, handler.services ?? services)
    const outcome = ctx && (await reportFailure(error, ctx, root, log))
    this.#host.giveUp?.(run.event, error.message, run.file)
    await this.#end(run, outcome ?? { message: error.message, at: run.file, reference: '' })
  }

  /** The journal or the former record continues it after the next start. */
  #notStored(run: LiveRun, error: unknown): void {
    const { log, waiting } = this.#host
    if (!waiting.closed)
      log.error({ run: run.id, file: run.file, error }, `${run.file}: run ${run.id} stopped: ${wholeMessage(error)}`)
    this.#forget(run)
  }

  #forget(run: LiveRun): void {
    run.replay.stop()
    run.drop?.cancel()
    run.caughtUp?.()
    this.#live.delete(run.id)
    for (const { stop } of this.#open.get(run.id)?.values() ?? []) stop()
    this.#open.delete(run.id)
    if (run.hasHead) this.#host.waiting.talks(run.event.id, false)
    this.#settle(run)
  }

  #observe({ event, file, startedMs }: LiveRun, error: Outcome['error']): void {
    this.#host.observe?.({
      eventId: event.id,
      type: event.type,
      file,
      ms: this.#host.clock.now() - startedMs,
      result: error ? 'error' : 'ok',
      ...(error && { error }),
    })
  }
}
