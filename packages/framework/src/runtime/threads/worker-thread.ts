import type { Worker } from 'node:worker_threads'
import type { Timer } from '@botwright/clock'
import { type Delivery, type EventKey, eventKey, Unfinished } from '@botwright/events'
import { loadRequest, type DispatcherOptions, asBegun } from './dispatcher.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { type Frame, Link } from '../../link/link.ts'
import type { BotPort, Moment, RuntimePort } from '../../link/messages.ts'
import type { Apology, BotSource, LoadedCode, RunEnd } from '../../link/ports.ts'
import type { BareWorker } from './bare-worker.ts'
import { type CodeReports, runtimePort } from './runtime-port.ts'
import { ThreadDisposal } from './thread-disposal.ts'
import { heapOf, isOutOfMemory } from './worker-heap.ts'

/** A delivery that runs in a worker, and again in another one if that worker dies. */
export interface OpenRun {
  delivery: Delivery
  /** How many deaths of workers it caused or may have caused. */
  faults: number
  /** It was running when a worker died, and may have been the cause. */
  suspect: boolean
  settle: () => void
  /** Ends it with `Unfinished`. */
  giveUp: (error: unknown) => void
  /** Called before `settle` with the failure or the result of work of the bot's own. */
  ended: ((end: RunEnd) => void) | undefined
}

/** Why and how a worker ended. */
export interface WorkerEnd {
  /** `blocked`: it did not respond and was terminated. `exit`: it exited by itself. `ended`: it was terminated. */
  how: 'blocked' | 'exit' | 'ended'
  error?: Error
  /** The line of the bot's own code that threw `error`, if its stack contains one. */
  at?: string
  exitCode: number
  /** It had no memory left. */
  outOfMemory: boolean
  /** The event whose handler occupied the thread; 0 if none did. */
  current: EventKey
  /** The events whose handlers waited for a user's answer, which is now lost. */
  conversations: readonly EventKey[]
}

export interface WorkerThreadHooks extends Pick<CodeReports, 'onWaits' | 'onDeadLetter'> {
  /** A thread with running handlers is blocked if it does not answer a heartbeat for this long. */
  blockMs: number
  onSettled(run: OpenRun): void
  onEnd(end: WorkerEnd): void
}

/** With a debugger attached, a thread may be paused at a breakpoint: it does not count as blocked. */
const isDebugged = (): boolean => process.getBuiltinModule('node:inspector').url() !== undefined

const HEARTBEAT_MS = 1000
const ABANDONED_LOAD_MS = 2000

/** The supervisor's view of one worker thread: its runs, its requests and its heartbeat. */
export class WorkerThread {
  /** Running deliveries by event, in the order of their start. */
  readonly open = new Map<EventKey, OpenRun>()
  /** A handler has ended without ending the thread. */
  hasFinishedRun = false
  readonly #options: DispatcherOptions
  readonly #hooks: WorkerThreadHooks
  readonly #worker: Worker
  readonly #current: Float64Array
  readonly #link: Link<RuntimePort, BotPort>
  /** Events whose handlers wait for a user: the thread stays alive until they have ended. */
  readonly #conversations = new Set<EventKey>()
  /** The files that are being loaded. */
  #loading: string | undefined
  #load: Promise<LoadedCode> | undefined
  #loaded = false
  #disposal: ThreadDisposal | undefined
  #heartbeat: Timer | undefined
  #pingSentMs: number | undefined
  #error: Error | undefined
  #heap = heapOf(0)
  #root = ''
  #how: WorkerEnd['how'] = 'exit'
  #outOfMemory = false
  #retiring = false
  #ended: WorkerEnd | undefined

  constructor({ worker, current, error }: BareWorker, options: DispatcherOptions, hooks: WorkerThreadHooks) {
    this.#options = options
    this.#hooks = hooks
    this.#worker = worker
    this.#current = current
    this.#setClock()
    this.#link = new Link<RuntimePort, BotPort>({
      post: (frames) => worker.postMessage(frames),
      local: runtimePort(options, {
        onWaits: (key, on) => hooks.onWaits(key, on),
        onDeadLetter: (event, reason, file) => hooks.onDeadLetter(event, reason, file),
        onBegins: (at, what) => (this.#disposal ? this.#disposal.next(at, what) : (this.#loading = at)),
        onConversation: (eventId, on) => {
          if (on) this.#conversations.add(eventId)
          else this.#conversations.delete(eventId)
          if (on) this.#watch()
          this.#endWhenIdle()
        },
      }),
      onServed: () => this.#endWhenIdle(),
    })
    worker.on('message', (frames: readonly Frame[]) => this.#link.receive(frames))
    worker.on('error', (error: Error) => (this.#error = error))
    worker.on('messageerror', (error) => (this.#error = error))
    worker.on('exit', (code) => this.#onExit(code))
    this.#error = error
    if (worker.threadId === -1) queueMicrotask(() => this.#onExit(1))
  }

  /** Loads the bot's code. Rejects if it throws, or takes longer than `timeoutMs`: then the thread is terminated. */
  async load(source: BotSource, timeoutMs: number): Promise<LoadedCode> {
    if (this.#ended) throw this.#error ?? new Error('the worker ended before it had loaded the bot')
    this.#root = source.root
    this.#loading = source.eager?.length ? source.eager.join(', ') : 'the bot'
    this.#load = this.#link.request.bot.load(loadRequest(source, this.#options)).then((code) => {
      this.#loaded = true
      return code
    })
    let timer!: Timer
    const late = new Promise<never>((_resolve, reject) => {
      const tooLong = () => {
        reject(
          new Error(
            `${this.#loading}: did not finish loading within ${timeoutMs / 1000} s: is there an endless loop, or an await that never ends, outside of the handler?`,
          ),
        )
        this.end()
      }
      timer = this.#options.clock.after(timeoutMs, tooLong, { keepAlive: true })
    })
    try {
      return await Promise.race([this.#load, late])
    } finally {
      timer.cancel()
      this.#loading = undefined
    }
  }

  /** Undefined: it runs. */
  get ended(): WorkerEnd | undefined {
    return this.#ended
  }

  /** Runs a delivery. If the thread ends before the handler, the run stays open. */
  run(run: OpenRun): void {
    const key = eventKey(run.delivery.event)
    this.#setClock()
    this.open.set(key, run)
    const settle = (end: RunEnd | void) => {
      if (!this.open.delete(key)) return
      this.hasFinishedRun = true
      if (end) run.ended?.(end)
      run.settle()
      this.#hooks.onSettled(run)
      this.#endWhenIdle()
    }
    this.#link.request.bot.run(asBegun(run.delivery, this.#options)).then(settle, ignoreEnd)
    this.#watch()
  }

  /** The files that handle these deliveries; undefined if the thread ends before it answers. */
  async files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[] | undefined> {
    const answer = this.#link.request.bot.files(deliveries)
    // Sent at once: the next run may block or end the thread.
    this.#link.flush()
    return answer.catch(ignoreEnd)
  }

  /** Sends an apology to the user who caused an event. */
  apologize(delivery: Delivery, why: Apology): void {
    this.#link.notify.bot.apologize(asBegun(delivery, this.#options), why)
    this.#link.flush()
  }

  /** A newer question to the same user was asked in another thread: no handler here gets the answer. */
  replaced(key: string): void {
    this.#link.notify.bot.replaced(key)
  }

  /** Moves the clock of its handlers ahead of the system's. Returns the time until their next timer; undefined if the thread ends first. */
  async moveClock(aheadMs: number): Promise<number | undefined> {
    if (this.#ended) return undefined
    const answer = this.#link.request.bot.moveClock(aheadMs)
    this.#link.flush()
    return answer.catch(ignoreEnd)
  }

  #setClock(): void {
    this.#current[2] = this.#options.clockAheadMs?.() ?? 0
  }

  /** Runs a lifecycle file; resolves when it or the thread has ended. */
  async lifecycle(moment: Moment): Promise<void> {
    await this.#link.request.bot.lifecycle(moment).catch(ignoreEnd)
  }

  /** Runs the `onDispose` functions of its code; resolves when they or the thread have ended, or one of them took too long. */
  dispose(): Promise<void> {
    if (this.#ended || !this.#loaded) return Promise.resolve()
    if (!this.#disposal) {
      const disposal = (this.#disposal = new ThreadDisposal(this.#options))
      this.#link.request.bot.dispose().then(() => disposal.end(), ignoreEnd)
    }
    return this.#disposal.ended
  }

  /** Ends the thread once its runs, their requests and its conversations have finished. */
  retire(): void {
    this.#retiring = true
    this.#endWhenIdle()
  }

  /**
   * Ends a thread whose code is no longer required, after its `onDispose` functions. Code that is loading has a moment to finish, because a
   * thread that is terminated while it reads modules leaves their files open in the process.
   */
  giveUp(): void {
    if (this.#loading === undefined) return this.#loaded && !this.#disposal ? this.retire() : this.end()
    const timer = this.#options.clock.after(ABANDONED_LOAD_MS, () => this.end())
    const loaded = () => {
      timer.cancel()
      this.retire()
    }
    this.#load!.then(loaded, loaded)
  }

  /** Terminates the thread now. */
  end(): void {
    if (this.#how === 'exit') this.#how = 'ended'
    void this.#worker.terminate()
  }

  /** Terminates the thread and gives its runs up, which then belong to other instances. Resolves when it has ended. */
  abandon(): Promise<void> {
    for (const { giveUp } of this.open.values()) giveUp(new Unfinished())
    this.open.clear()
    this.#conversations.clear()
    // It may run on for a moment: its requests have no effect.
    this.#link.close(new Error('this thread was abandoned'))
    return new Promise((resolve) => {
      if (this.#ended) return resolve()
      this.#worker.once('exit', () => resolve())
      this.end()
    })
  }

  /** Detects that it is blocked: by a handler, also one that waits for a user and continues. */
  #watch(): void {
    this.#heartbeat ??= this.#options.clock.after(Math.min(HEARTBEAT_MS, this.#hooks.blockMs), this.#beat)
  }

  readonly #beat = (): void => {
    this.#heartbeat = undefined
    if (this.#ended || (this.open.size + this.#conversations.size === 0 && this.#pingSentMs === undefined)) return
    const { clock } = this.#options
    const { blockMs } = this.#hooks
    if (this.#pingSentMs === undefined) {
      this.#pingSentMs = clock.monotonic()
      this.#link.request.bot.ping().then((usedBytes) => {
        this.#pingSentMs = undefined
        this.#heap = heapOf(usedBytes)
      }, ignoreEnd)
    } else if (clock.monotonic() - this.#pingSentMs >= blockMs && !isDebugged()) {
      this.#how = 'blocked'
      this.#outOfMemory = isOutOfMemory(undefined, this.#heap)
      void this.#worker.terminate()
      return
    }
    this.#watch()
  }

  /** Whether runs, requests or handlers that wait for a user are still open. */
  get #busy(): boolean {
    // A broadcast continues without the thread that started it.
    const hasRequests = () => this.#link.serving.some((service) => service === 'client' || service === 'store')
    return this.open.size + this.#conversations.size > 0 || hasRequests()
  }

  #endWhenIdle(): void {
    if (!this.#retiring || this.#ended || this.#disposal || this.#busy) return
    if (this.#loaded) void this.dispose().then(() => this.end())
    else this.end()
  }

  #onExit(exitCode: number): void {
    this.#heartbeat?.cancel()
    if (this.#how === 'ended') this.#disposal?.end()
    else this.#disposal?.died(exitCode, this.#error)
    const at = sourceLine(this.#error, this.#root)
    const [id = 0, era = 0] = this.#current
    this.#ended = {
      how: this.#how,
      ...(this.#error && { error: this.#error }),
      ...(at !== undefined && { at }),
      exitCode,
      outOfMemory: this.#outOfMemory || (this.#error !== undefined && isOutOfMemory(this.#error, this.#heap)),
      current: eventKey({ id, era }),
      conversations: [...this.#conversations],
    }
    // The next run repeats the requests of the dead thread; answering them now would send them twice.
    this.#link.close(this.#reasonOf(exitCode))
    this.#hooks.onEnd(this.#ended)
  }

  #reasonOf(exitCode: number): Error {
    if (this.#loading === undefined) return new Error('the worker that made the call has ended')
    return (
      this.#error ??
      new Error(
        `${this.#loading}: ended its thread with code ${exitCode} while it loaded: is there a process.exit outside of the handler?`,
      )
    )
  }
}

/** The thread ended before it answered; `onEnd` handles its open runs. */
const ignoreEnd = (): undefined => undefined
