import type { Worker } from 'node:worker_threads'
import type { Timer } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { loadRequest, plainDelivery, type DispatcherOptions } from './dispatcher.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { type Frame, Link } from '../../link/link.ts'
import type { BotPort, Moment, RuntimePort } from '../../link/messages.ts'
import type { Apology, BotSource, LoadedCode } from '../../link/ports.ts'
import type { BareWorker } from './bare-worker.ts'
import { type CodeReports, runtimePort } from './runtime-port.ts'
import { ThreadDisposal } from './thread-disposal.ts'

/** One delivery on its way through workers: it survives the one that it runs in. */
export interface OpenRun {
  readonly delivery: Delivery
  attempt: number
  /** How often a worker died of it, or may have. */
  faults: number
  /** It was open when a worker died, and nothing tells whether it was the cause. */
  suspect: boolean
  settle: () => void
}

/** How a worker came to its end. */
export interface WorkerEnd {
  /** `blocked`: it did not answer and was terminated; `exit`: it ended by itself; `ended`: it was told to. */
  how: 'blocked' | 'exit' | 'ended'
  error?: Error
  /** The line of the bot's own code where `error` began, as far as its stack tells. */
  at?: string
  exitCode: number
  /** The event whose handler held the thread; 0 when none did. */
  currentId: number
  /** The events whose handlers waited for somebody's answer, which nobody hears now. */
  conversations: readonly number[]
}

export interface WorkerThreadHooks extends Pick<CodeReports, 'onWaits' | 'onDeadLetter'> {
  /** No answer to a heartbeat for so long while handlers run: the thread is blocked. */
  blockMs: number
  onSettled(run: OpenRun): void
  onEnd(end: WorkerEnd): void
}

/** Somebody may have stopped the thread at a breakpoint: then it is not blocked, however long it takes. */
const isDebugged = (): boolean => process.getBuiltinModule('node:inspector').url() !== undefined

const HEARTBEAT_MS = 1000
const GIVEN_UP_MS = 2000

/** One worker thread, seen from the supervisor: its runs, its requests, its heartbeat. */
export class WorkerThread {
  /** Deliveries that run in it, by event id, in the order of their start. */
  readonly open = new Map<number, OpenRun>()
  readonly #options: DispatcherOptions
  readonly #hooks: WorkerThreadHooks
  readonly #worker: Worker
  readonly #current: Float64Array
  readonly #link: Link<RuntimePort, BotPort>
  /** Events whose handlers talk with somebody: the thread lives on until they have ended. */
  readonly #conversations = new Set<number>()
  /** The files that are loading. */
  #loading: string | undefined
  #load: Promise<LoadedCode> | undefined
  #loaded = false
  #disposal: ThreadDisposal | undefined
  #heartbeat: Timer | undefined
  #pingSentMs: number | undefined
  #error: Error | undefined
  #root = ''
  #how: WorkerEnd['how'] = 'exit'
  #retiring = false
  #ended = false

  constructor({ worker, current }: BareWorker, options: DispatcherOptions, hooks: WorkerThreadHooks) {
    this.#options = options
    this.#hooks = hooks
    this.#worker = worker
    this.#current = current
    this.#link = new Link<RuntimePort, BotPort>({
      post: (frames) => worker.postMessage(frames),
      local: runtimePort(options, () => this.#root, {
        onWaits: (key, on) => hooks.onWaits(key, on),
        onDeadLetter: (event, reason, file) => hooks.onDeadLetter(event, reason, file),
        onDisposing: (at) => this.#disposal?.next(at),
        onConversation: (eventId, on) => {
          if (on) this.#conversations.add(eventId)
          else this.#conversations.delete(eventId)
          this.#endWhenIdle()
        },
      }),
      onServed: () => this.#endWhenIdle(),
    })
    worker.on('message', (frames: readonly Frame[]) => this.#link.receive(frames))
    worker.on('error', (error: Error) => (this.#error = error))
    worker.on('messageerror', (error) => (this.#error = error))
    worker.on('exit', (code) => this.#onExit(code))
  }

  /** Loads the bot's code. Rejects when it throws, or is not done within `timeoutMs`: then the thread is terminated. */
  async load(source: BotSource, timeoutMs: number): Promise<LoadedCode> {
    if (this.#ended) throw this.#error ?? new Error('the worker ended before it had loaded the bot')
    this.#root = source.root
    const files = source.eager?.length ? source.eager.join(', ') : 'the bot'
    this.#loading = files
    this.#load = this.#link.request.bot.load(loadRequest(source, this.#options)).then((code) => {
      this.#loaded = true
      return code
    })
    let timer!: Timer
    const late = new Promise<never>((_resolve, reject) => {
      const tooLong = () => {
        reject(
          new Error(
            `${files}: did not finish loading within ${timeoutMs / 1000} s: is there an endless loop, or an await that never ends, outside of the handler?`,
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

  get ended(): boolean {
    return this.#ended
  }

  /** Runs a delivery. A thread that ends before its handler leaves the run open. */
  run(run: OpenRun): void {
    const { id } = run.delivery
    this.open.set(id, run)
    const settle = () => {
      if (!this.open.delete(id)) return
      run.settle()
      this.#hooks.onSettled(run)
      this.#endWhenIdle()
    }
    this.#link.request.bot
      .run(plainDelivery({ event: run.delivery.event, attempt: run.attempt }))
      .then(settle, ignoreEnd)
    this.#heartbeat ??= this.#options.clock.after(Math.min(HEARTBEAT_MS, this.#hooks.blockMs), this.#beat)
  }

  /** The files that handle these deliveries; none when the thread ends before it answers. */
  async files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]> {
    const answer = this.#link.request.bot.files(deliveries.map(plainDelivery))
    // A message of its own: what runs next may block the thread, or end it.
    this.#link.flush()
    return (await answer.catch(ignoreEnd)) ?? []
  }

  /** Sends an apology to the user whom an event came from. */
  apologize(delivery: Delivery, why: Apology): void {
    this.#link.notify.bot.apologize(plainDelivery(delivery), why)
    this.#link.flush()
  }

  /** A newer question to the same user was asked in another thread: no handler here gets the answer. */
  replaced(key: string): void {
    this.#link.notify.bot.replaced(key)
  }

  /** Runs a lifecycle file; resolves when it has ended, or the thread has. */
  async lifecycle(moment: Moment): Promise<void> {
    await this.#link.request.bot.lifecycle(moment).catch(ignoreEnd)
  }

  /** Has its code undo what it asked for with `onDispose`; resolves when that has ended, one of them took too long, or the thread has ended. */
  dispose(): Promise<void> {
    if (this.#ended || !this.#loaded) return Promise.resolve()
    if (!this.#disposal) {
      const disposal = (this.#disposal = new ThreadDisposal(this.#options))
      this.#link.request.bot.dispose().then(() => disposal.end(), ignoreEnd)
    }
    return this.#disposal.ended
  }

  /** Ends the thread as soon as what runs in it, and what that has asked for, is finished. */
  retire(): void {
    this.#retiring = true
    this.#endWhenIdle()
  }

  /**
   * Nobody waits for its load any more. It ends when that is over, or is stuck: a thread that is terminated while it reads its modules
   * leaves their files open in the process.
   */
  giveUp(): void {
    if (this.#loading === undefined) return this.end()
    const timer = this.#options.clock.after(GIVEN_UP_MS, () => this.end())
    const over = () => {
      timer.cancel()
      this.retire()
    }
    this.#load!.then(over, over)
  }

  /** Terminates the thread now. */
  end(): void {
    if (this.#how === 'exit') this.#how = 'ended'
    void this.#worker.terminate()
  }

  /** Terminates the thread; what ran in it is not its supervisor's any more. Resolves when it has ended. */
  abandon(): Promise<void> {
    this.open.clear()
    this.#conversations.clear()
    // It may go on for a moment: nothing does what it asks for.
    this.#link.close(new Error('this thread was abandoned'))
    return new Promise((resolve) => {
      if (this.#ended) return resolve()
      this.#worker.once('exit', () => resolve())
      this.end()
    })
  }

  readonly #beat = (): void => {
    this.#heartbeat = undefined
    if (this.#ended || (this.open.size === 0 && this.#pingSentMs === undefined)) return
    const { clock } = this.#options
    const { blockMs } = this.#hooks
    if (this.#pingSentMs === undefined) {
      this.#pingSentMs = clock.monotonic()
      this.#link.request.bot.ping().then(() => (this.#pingSentMs = undefined), ignoreEnd)
    } else if (clock.monotonic() - this.#pingSentMs >= blockMs && !isDebugged()) {
      this.#how = 'blocked'
      void this.#worker.terminate()
      return
    }
    this.#heartbeat = clock.after(Math.min(HEARTBEAT_MS, blockMs), this.#beat)
  }

  /** What the thread may not end before: its runs, what it asked for, the handlers that wait for a user. */
  get #busy(): boolean {
    // A broadcast goes on without the thread that asked for it.
    const asks = () => this.#link.serving.some((service) => service === 'client' || service === 'store')
    return this.open.size + this.#conversations.size > 0 || asks()
  }

  #endWhenIdle(): void {
    if (!this.#retiring || this.#ended || this.#disposal || this.#busy) return
    if (this.#loaded) void this.dispose().then(() => this.end())
    else this.end()
  }

  #onExit(exitCode: number): void {
    this.#ended = true
    this.#heartbeat?.cancel()
    if (this.#how === 'ended') this.#disposal?.end()
    else this.#disposal?.died(exitCode, this.#error)
    // What the dead thread still asked for is asked again by the next run; sending it now would send it twice.
    this.#link.close(this.#reasonOf(exitCode))
    const at = sourceLine(this.#error, this.#root)
    this.#hooks.onEnd({
      how: this.#how,
      ...(this.#error && { error: this.#error }),
      ...(at !== undefined && { at }),
      exitCode,
      currentId: this.#current[0] ?? 0,
      conversations: [...this.#conversations],
    })
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

/** The thread ended before it answered: `onEnd` has what was open. */
const ignoreEnd = (): undefined => undefined
