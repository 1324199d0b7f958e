// Runs the author's code in worker threads, which can block, die and be replaced without losing events.

import { drain, elapsedOf, isMovable, type MovableClock, sleep, type Timer } from '@botwright/clock'
import { type Delivery, EarlyRuns, laneKey, Unfinished } from '@botwright/events'
import { answerKey } from '../../link/answer-key.ts'
import { stoppingError, deadLetter, limitLifecycle, type BotDispatcher, type DispatcherOptions } from './dispatcher.ts'
import type { Moment } from '../../link/messages.ts'
import type { BotSource, LoadedCode } from '../../link/ports.ts'
import { reportFault, sortFault } from './worker-fault.ts'
import { startWorker } from './bare-worker.ts'
import { loadAll, LoadLimits } from './load-limits.ts'
import { emptySlot, type Replacement, type Slot } from './slot.ts'
import type { ThreadOptions } from './thread-options.ts'
import { type OpenRun, type WorkerEnd, WorkerThread } from './worker-thread.ts'

/** Waits between restarts while a slot's threads keep dying. */
const RESTART_MS = [0, 250, 1000, 2000, 5000, 10_000, 30_000]
const FAULT_RESET_MS = 60_000
/** Delays spare threads, so that starting them does not slow down the first events. */
const SPARE_DELAY_MS = 25

/** Runs handlers in worker threads: one that blocks, exits or crashes is logged and replaced, without affecting other handlers. */
export class WorkerDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  /** The clock of the handlers, if it can be moved. */
  readonly #movable: MovableClock | undefined
  readonly #threads: ThreadOptions
  readonly #loads: LoadLimits
  readonly #slots: Slot[]
  readonly #early = new EarlyRuns()
  readonly #draining = new Set<WorkerThread>()
  /** Every thread that has not ended, with or without code. */
  readonly #alive = new Set<WorkerThread>()
  /** Threads in which a handler waits for an answer, by its key. */
  readonly #waiting = new Map<string, WorkerThread>()
  #spares: WorkerThread[] = []
  #spareTimer: Timer | undefined
  #source: BotSource | undefined
  /** The events that the code handles, `ready` and `shutdown` among them. */
  #moments: ReadonlySet<string> = new Set()
  #busy = false
  /** Cancels the code that is loading. */
  #giveUp: ((reason: Error) => void) | undefined
  #queued: Replacement | undefined
  #closing = false
  /** `events/ready.ts` has run in a thread that has not been replaced. */
  #hasRunReady = false
  #restarts = 0
  readonly #stopFollowing: (() => void) | undefined

  constructor(options: DispatcherOptions, threads: ThreadOptions = {}) {
    // Threads are watched in real time.
    this.#options = { ...options, clock: elapsedOf(options.clock) }
    this.#movable = isMovable(options.clock) ? options.clock : undefined
    this.#stopFollowing = this.#movable?.onMove((aheadMs) => {
      for (const thread of this.#alive) void thread.moveClock(aheadMs)
    })
    this.#threads = threads
    this.#loads = new LoadLimits(this.#options.clock, threads)
    this.#slots = Array.from({ length: options.config.limits.workers }, emptySlot)
  }

  get running(): number {
    let running = this.#early.size
    for (const slot of this.#slots)
      running += (slot.thread?.open.size ?? 0) + slot.waiting.length + slot.suspects.length
    for (const thread of this.#draining) running += thread.open.size
    return running
  }

  get deliveries(): readonly Delivery[] {
    return [...this.#alive].flatMap((thread) => [...thread.open.values()].map(({ delivery }) => delivery))
  }

  get restarts(): number {
    return this.#restarts
  }

  /** Starts threads that load the runtime before there is code for them. */
  warm(): void {
    while (this.#spares.length < this.#slots.length && !this.#closing) this.#spares.push(this.#spawn())
  }

  dispatch(delivery: Delivery, ended?: OpenRun['ended']): Promise<void> {
    if (this.#closing) return Promise.reject(new Unfinished())
    const fresh = this.#options.switches?.refreshed?.()
    if (fresh) return this.#early.after(fresh, () => this.dispatch(delivery, ended))
    return new Promise((settle, giveUp) => {
      const run: OpenRun = { delivery, faults: 0, suspect: false, settle, giveUp, ended }
      // A handler that waits for this answer may be in a thread with older code.
      const waiting = this.#waiting.size > 0 && this.#waiting.get(answerKey(delivery.event) ?? '')
      const slot = this.#slotOf(delivery)
      if (waiting) waiting.run(run)
      else if (slot.thread) slot.thread.run(run)
      else slot.waiting.push(run)
    })
  }

  isAwaited(key: string): boolean {
    return this.#waiting.has(key)
  }

  replace(source: BotSource, { signal }: { signal?: AbortSignal } = {}): Promise<LoadedCode> {
    if (!this.#busy) return this.#replaceNow(source, signal)
    // Only the newest code is loaded; callers that requested older code get its result.
    if (this.#queued) {
      const eager = [...new Set([...(this.#queued.source.eager ?? []), ...(source.eager ?? [])])]
      this.#queued.source = { ...source, eager }
      this.#queued.signal = signal
      return this.#queued.promise
    }
    let settle!: Pick<Replacement, 'resolve' | 'reject'>
    const promise = new Promise<LoadedCode>((resolve, reject) => (settle = { resolve, reject }))
    this.#queued = { source, signal, promise, ...settle }
    return promise
  }

  async abandon(): Promise<void> {
    this.#early.giveUp()
    const threads = [...this.#draining, ...this.#slots.flatMap((slot) => slot.thread ?? [])]
    for (const slot of this.#slots) {
      for (const { giveUp } of [...slot.waiting.splice(0), ...slot.suspects.splice(0)]) giveUp(new Unfinished())
      slot.suspectRuns = false
      slot.thread = undefined
    }
    this.#draining.clear()
    for (const [key, thread] of this.#waiting) this.#waitsNoLonger(key, thread)
    await Promise.all(threads.map((thread) => thread.abandon()))
    // New deliveries wait in their slots. A replacement in progress fills the slots itself.
    if (this.#source && !this.#closing && !this.#busy) this.#refill()
  }

  #refill(): void {
    for (const slot of this.#slots) if (!slot.thread && !slot.restart) void this.#restartNow(slot)
  }

  async files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]> {
    for (;;) {
      const files = await this.#slots.find((slot) => slot.thread)?.thread?.files(deliveries)
      if (files || this.#closing) return files ?? []
      await sleep(this.#options.clock, SPARE_DELAY_MS)
    }
  }

  async nextTimerMs(): Promise<number | undefined> {
    const aheadMs = this.#movable?.aheadMs
    if (aheadMs === undefined) return undefined
    const all = await Promise.all([...this.#alive].map((thread) => thread.moveClock(aheadMs)))
    const known = all.filter((ms) => ms !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  async lifecycle(moment: Moment): Promise<void> {
    if (this.#moments.has(moment)) await limitLifecycle(this.#options, moment, this.#runLifecycle(moment))
    this.#hasRunReady ||= moment === 'ready'
  }

  async #runLifecycle(moment: Moment): Promise<void> {
    const [first] = this.#slots
    // It has died, perhaps just now.
    if (!first!.thread) await this.#restartNow(first!)
    await first!.thread?.lifecycle(moment)
  }

  async close({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#closing = true
    this.#giveUp?.(stoppingError())
    const unfinished = await drain(this.#options.clock, () => this.running, graceMs)
    this.#spareTimer?.cancel()
    for (const slot of this.#slots) slot.restart?.cancel()
    this.#stopFollowing?.()
    await Promise.all([...this.#alive].map((thread) => thread.dispose()))
    for (const thread of this.#alive) thread.giveUp()
    return { unfinished }
  }

  #slotOf(delivery: Delivery): Slot {
    if (this.#slots.length === 1) return this.#slots[0]!
    let hash = 0
    const key = laneKey(delivery.event)
    for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
    return this.#slots[Math.abs(hash) % this.#slots.length]!
  }

  #spawn(): WorkerThread {
    const { started, blockSeconds = 15 } = this.#threads
    const thread: WorkerThread = new WorkerThread(
      started?.shift() ?? startWorker({ movable: this.#movable !== undefined, io: this.#threads.io }),
      this.#options,
      {
        blockMs: blockSeconds * 1000,
        onSettled: (run) => {
          const slot = this.#slotOf(run.delivery)
          const next = () => slot.thread === thread && this.#nextSuspect(slot)
          if (run.suspect) void Promise.resolve(this.#options.switches?.refreshed?.()).then(next)
        },
        onWaits: (key, on) => {
          if (!on) return this.#waitsNoLonger(key, thread)
          const former = this.#waiting.get(key)
          if (former !== thread) former?.replaced(key)
          this.#waiting.set(key, thread)
          this.#options.onWaits?.(key, true)
        },
        onDeadLetter: (event, reason, file) => deadLetter(this.#options, event, { reason, file }),
        onEnd: (end) => this.#onEnd(thread, end),
      },
    )
    this.#alive.add(thread)
    if (this.#movable) void thread.moveClock(this.#movable.aheadMs)
    return thread
  }

  #waitsNoLonger(key: string, thread: WorkerThread): void {
    if (this.#waiting.get(key) === thread && this.#waiting.delete(key)) this.#options.onWaits?.(key, false)
  }

  async #load(thread: WorkerThread, source: BotSource): Promise<LoadedCode> {
    const isFirst = this.#slots.some((slot) => slot.thread === undefined)
    const code = await this.#loads.limited(isFirst, (limitMs) => thread.load(source, limitMs))
    await this.#options.switches?.refreshed?.()
    return code
  }

  async #replaceNow(source: BotSource, signal: AbortSignal | undefined): Promise<LoadedCode> {
    if (this.#closing) throw stoppingError()
    signal?.throwIfAborted()
    this.#busy = true
    this.warm()
    const threads = this.#spares.splice(0, this.#slots.length)
    const aborted = () => this.#giveUp?.(signal!.reason as Error)
    try {
      const givenUp = new Promise<never>((_resolve, reject) => (this.#giveUp = reject))
      signal?.addEventListener('abort', aborted)
      const [code] = await Promise.race([loadAll(source, threads, (thread) => this.#load(thread, source)), givenUp])
      this.#source = source
      this.#moments = new Set(code!.definitions.flatMap(({ kind, name }) => (kind === 'event' ? name : [])))
      threads.forEach((thread, i) => this.#swap(this.#slots[i]!, thread))
      return code!
    } catch (error) {
      for (const thread of threads) {
        if (thread.ended) continue
        this.#draining.add(thread)
        thread.giveUp()
      }
      throw error
    } finally {
      signal?.removeEventListener('abort', aborted)
      this.#giveUp = undefined
      this.#busy = false
      if (this.#source && !this.#closing) this.#refill()
      const queued = this.#queued
      this.#queued = undefined
      if (queued) this.#replaceNow(queued.source, queued.signal).then(queued.resolve, queued.reject)
      else if (this.#threads.keepSpare && !this.#closing) {
        this.#spareTimer?.cancel()
        this.#spareTimer = this.#options.clock.after(SPARE_DELAY_MS, () => this.warm())
      }
    }
  }

  /** Logs once that the new thread lacks everything that `events/ready.ts` opened in the first one. */
  #reportReady(): void {
    const files = this.#source!.manifest.entries.filter(({ kind, name }) => kind === 'event' && name === 'ready')
    if (!this.#hasRunReady || files.length === 0) return
    this.#hasRunReady = false
    const file = files.map((entry) => entry.file).join(', ')
    this.#options.log.warn(
      { file },
      `${file}: does not run again in a new worker, where the connections and timers that it opened are missing; open them in a resource (a file in resources/)`,
    )
  }

  #swap(slot: Slot, thread: WorkerThread): void {
    const old = slot.thread
    if (slot === this.#slots[0]) this.#reportReady()
    slot.thread = thread
    slot.restart?.cancel()
    slot.restart = undefined
    if (old) {
      this.#draining.add(old)
      old.retire()
    }
    // It died while another thread was still loading the code.
    if (thread.ended) return this.#onEnd(thread, thread.ended)
    for (const fault of slot.unreported.splice(0)) void reportFault(fault, thread, this.#options)
    for (const run of slot.waiting.splice(0)) thread.run(run)
    this.#nextSuspect(slot)
  }

  #nextSuspect(slot: Slot): void {
    slot.suspectRuns = false
    const run = slot.thread && slot.suspects.shift()
    if (!run) return
    slot.suspectRuns = true
    slot.thread!.run(run)
  }

  #onEnd(thread: WorkerThread, end: WorkerEnd): void {
    this.#draining.delete(thread)
    this.#alive.delete(thread)
    for (const key of this.#waiting.keys()) this.#waitsNoLonger(key, thread)
    if (end.conversations.length > 0 && !this.#closing) this.#threads.onConversationsLost?.(end.conversations)
    this.#spares = this.#spares.filter((spare) => spare !== thread)
    const slot = this.#slots.find((one) => one.thread === thread)
    if (slot) slot.thread = undefined
    if (this.#closing || (end.how === 'ended' && thread.open.size === 0)) return
    // It ended while loading, which the caller of `replace` is notified of, or had nothing left to do; `#swap` handles one that had loaded.
    if (!slot && thread.open.size + end.conversations.length === 0) return
    this.#restarts++
    const fault = sortFault([...thread.open.values()], end)
    thread.open.clear()
    for (const run of fault.again) void this.#requeue(run, 'waiting')
    for (const run of fault.suspects) void this.#requeue(run, 'suspects')
    for (const run of fault.givenUp) void this.#setAside(run)
    if (slot) {
      slot.unreported.push(fault)
      slot.progresses ||= thread.hasFinishedRun
      this.#restartLater(slot, { isSetAside: fault.givenUp.length > 0 })
      return
    }
    const [first] = this.#slots
    if (first!.thread) void reportFault(fault, first!.thread, this.#options)
    else first!.unreported.push(fault)
  }

  /**
   * Replaces the dead thread of a slot: at once the first time, after longer delays while threads keep dying.
   * `isSetAside`: the event that ended its threads ends no further ones. If no run finishes until the next one, every event does.
   */
  #restartLater(slot: Slot, { isSetAside = false } = {}): void {
    const { clock } = this.#options
    const now = clock.monotonic()
    const isSolved = isSetAside && slot.progresses
    if (isSetAside) slot.progresses = false
    slot.faults = isSolved || now - slot.lastFaultMs > FAULT_RESET_MS ? 0 : slot.faults + 1
    slot.lastFaultMs = isSolved ? -Infinity : now
    const waitMs = RESTART_MS[Math.min(slot.faults, RESTART_MS.length - 1)]!
    slot.restart?.cancel()
    slot.restart = clock.after(waitMs, () => void this.#restartNow(slot), { keepAlive: true })
  }

  #restartNow(slot: Slot): Promise<void> {
    slot.restart?.cancel()
    slot.restart = undefined
    return (slot.restarting ??= this.#restart(slot).finally(() => (slot.restarting = undefined)))
  }

  /** Queues a run whose thread has died until its slot has one. */
  async #requeue(run: OpenRun, queue: 'waiting' | 'suspects'): Promise<void> {
    const { givenUp } = this.#early
    let delivery
    try {
      delivery = await (this.#options.again?.(run.delivery) ?? run.delivery)
      await this.#options.switches?.refreshed?.()
    } catch (error) {
      return run.giveUp(error)
    }
    if (this.#closing) return
    if (givenUp !== this.#early.givenUp) return run.giveUp(new Unfinished())
    if (!delivery) return run.settle()
    run.delivery = delivery
    this.#slotOf(delivery)[queue].push(run)
    this.#runAgain()
  }

  /** An event that cannot be set aside does not count as finished: the bot runs it again after its next start. */
  async #setAside({ delivery, faults, settle, ended }: OpenRun): Promise<void> {
    const reason = `its handler crashed its worker ${faults} times`
    const isStored = (await this.#options.onDeadLetter?.(delivery.event, reason)) ?? true
    ended?.({ reason, isFinal: true })
    if (isStored) settle()
  }

  async #restart(slot: Slot): Promise<void> {
    const source = this.#source!
    const thread = this.#spares.shift() ?? this.#spawn()
    try {
      await this.#load(thread, source)
    } catch (error) {
      thread.end()
      if (this.#closing) return
      const reason = (error as Error).message
      this.#options.log.error({ error }, `a new worker could not load the bot: ${reason}; trying again`)
      return slot.thread ? undefined : this.#restartLater(slot)
    }
    // A replacement may have filled the slot first, with a thread that has died since.
    if (!slot.thread && !this.#closing && source === this.#source) return this.#swap(slot, thread)
    thread.retire()
    if (!slot.thread && !slot.restart && !this.#closing) await this.#restart(slot)
  }

  /** Runs the queued events of all slots that have a thread. A thread may have had events of other slots, such as awaited answers. */
  #runAgain(): void {
    for (const slot of this.#slots) {
      if (!slot.thread) continue
      for (const run of slot.waiting.splice(0)) slot.thread.run(run)
      if (!slot.suspectRuns) this.#nextSuspect(slot)
    }
  }
}
