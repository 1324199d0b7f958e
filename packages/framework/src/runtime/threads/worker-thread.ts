import type { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { startWorker } from './bare-worker.ts'
import type { Config } from '../../author/config/config.ts'
import { ThreadDisposal } from './thread-disposal.ts'
import { tellLateLifecycle } from '../../link/late-lifecycle.ts'
import { hideFromNow } from '../../link/redaction.ts'
import type { Apology, BotSource, LoadedCode, Outbox, Outcome } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { CallRecorder } from '../../link/record-call.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { ThreadCalls } from './thread-calls.ts'
import { answerRequest } from '../../link/worker-answer.ts'
import { fromPlainError } from '../../link/errors/plain-error.ts'
import { requestOutbox } from './request-outbox.ts'
import { requestStore } from './request-store.ts'
import type { FromWorker, Moment, ToWorker } from '../../link/messages.ts'

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
  talks: readonly number[]
}

export interface WorkerThreadOptions {
  call: Call
  /** Asked for when a request comes: threads start before the store is known. */
  store: () => StateStore
  outbox: () => Outbox
  clock: Clock
  log: Log
  observe?: (outcome: Outcome) => void
  /** Asked for when there is code to load: threads start before it is known. */
  recorder: () => CallRecorder | undefined
  /** No answer to a heartbeat for so long while handlers run: the thread is blocked. */
  blockMs: number
  onSettled(run: OpenRun): void
  /** A handler in it waits for an answer with this key, or no longer. */
  onWaits(key: string, on: boolean): void
  onGivenUp(event: BotEvent, reason: string, file: string): void
  onEnd(end: WorkerEnd): void
}

/** Somebody may have stopped the thread at a breakpoint: then it is not blocked, however long it takes. */
const isDebugged = (): boolean => process.getBuiltinModule('node:inspector').url() !== undefined

const HEARTBEAT_MS = 1000
const GIVEN_UP_MS = 2000

/** One worker thread, seen from the supervisor: its runs, its calls, its heartbeat. */
export class WorkerThread {
  /** Deliveries that run in it, by event id, in the order of their start. */
  readonly open = new Map<number, OpenRun>()
  readonly #options: WorkerThreadOptions
  readonly #worker: Worker
  readonly #current: Float64Array
  readonly #calls: ThreadCalls
  readonly #questions = new Map<number, (files: (string | undefined)[]) => void>()
  /** Events whose handlers talk with somebody: the thread lives on until they have ended. */
  readonly #talks = new Set<number>()
  /** Requests to the store that are not answered yet. */
  #storing = 0
  #outbox: OpenRun[] = []
  #loading: { files: string; resolve: (code: LoadedCode) => void; reject: (error: Error) => void } | undefined
  #lifecycle: { moment: Moment; end: () => void } | undefined
  #loaded = false
  #disposal: ThreadDisposal | undefined
  #heartbeat: Timer | undefined
  #pingSentMs: number | undefined
  #lastQuestion = 0
  #error: Error | undefined
  #root = ''
  #how: WorkerEnd['how'] = 'exit'
  #retiring = false
  #ended = false
  #abandoned = false

  constructor(options: WorkerThreadOptions) {
    this.#options = options
    const { call, clock, recorder } = options
    this.#calls = new ThreadCalls({
      ...{ call, clock, recorder },
      root: () => this.#root,
      answered: (reply) => {
        if (!this.#ended) this.#send(reply)
        this.#endWhenIdle()
      },
    })
    const { worker, current } = startWorker()
    this.#worker = worker
    this.#current = current
    this.#worker.on('message', (message: FromWorker) => this.#onMessage(message))
    this.#worker.on('error', (error: Error) => (this.#error = error))
    this.#worker.on('messageerror', (error) => (this.#error = error))
    this.#worker.on('exit', (code) => this.#onExit(code))
  }

  /** Loads the bot's code. Rejects when it throws, or is not done within `timeoutMs`: then the thread is terminated. */
  load(source: BotSource, me: BotProfile, config: Config, timeoutMs: number): Promise<LoadedCode> {
    this.#root = source.root
    return new Promise<LoadedCode>((resolve, reject) => {
      if (this.#ended) return reject(this.#error ?? new Error('the worker ended before it had loaded the bot'))
      const { clock } = this.#options
      const files = source.eager?.length ? source.eager.join(', ') : 'the bot'
      const timer = clock.after(
        timeoutMs,
        () => {
          const seconds = timeoutMs / 1000
          this.#loading = undefined
          reject(
            new Error(
              `${files}: did not finish loading within ${seconds} s: is there an endless loop, or an await that never ends, outside of the handler?`,
            ),
          )
          this.end()
        },
        { keepAlive: true },
      )
      this.#loading = {
        files,
        resolve: (code) => (timer.cancel(), resolve(code)),
        reject: (error) => (timer.cancel(), reject(error)),
      }
      const { store: _store, ...plain } = config
      this.#send({
        kind: 'load',
        source,
        me,
        config: plain,
        record: this.#options.recorder() !== undefined,
        observed: this.#options.observe !== undefined,
      })
    })
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Runs a delivery. What is given in one turn travels in one message. */
  run(run: OpenRun): void {
    this.open.set(run.delivery.id, run)
    if (this.#outbox.push(run) === 1) queueMicrotask(() => this.#flush())
    this.#heartbeat ??= this.#options.clock.after(Math.min(HEARTBEAT_MS, this.#options.blockMs), this.#beat)
  }

  /** The files that handle these deliveries; unknown ones when the worker does not answer. */
  files(deliveries: readonly Delivery[]): Promise<(string | undefined)[]> {
    return new Promise((resolve) => {
      if (this.#ended) return resolve([])
      const id = ++this.#lastQuestion
      this.#questions.set(id, resolve)
      this.#send({ kind: 'files', id, deliveries: deliveries.map(({ event, attempt }) => ({ event, attempt })) })
    })
  }

  /** Tells the person whom an event came from what became of it. */
  apologize(delivery: Delivery, why: Apology): void {
    const { event, attempt } = delivery
    if (!this.#ended) this.#send({ kind: 'apologize', delivery: { event, attempt }, why })
  }

  /** Somebody was asked something newer, in another thread: no handler here hears the answer. */
  replaced(key: string): void {
    if (!this.#ended) this.#send({ kind: 'replaced', key })
  }

  /** Runs a file of the bot's own life; resolves when it has ended, or the thread has. */
  lifecycle(moment: Moment, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ended) return resolve()
      const { clock, log } = this.#options
      const late = () => (tellLateLifecycle(log, moment, limitMs), resolve())
      const timer = clock.after(limitMs, late, { keepAlive: true })
      this.#lifecycle = { moment, end: () => (timer.cancel(), resolve()) }
      this.#send({ kind: 'lifecycle', moment })
    })
  }

  /** Has its code undo what it asked for with `onDispose`; resolves when that has ended, one of them took too long, or the thread has ended. */
  dispose(): Promise<void> {
    if (this.#ended || !this.#loaded) return Promise.resolve()
    if (!this.#disposal) {
      this.#disposal = new ThreadDisposal(this.#options)
      this.#send({ kind: 'dispose' })
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
    const loading = this.#loading
    if (!loading) return this.end()
    const timer = this.#options.clock.after(GIVEN_UP_MS, () => this.end())
    const over = () => {
      timer.cancel()
      this.retire()
    }
    this.#loading = {
      files: loading.files,
      resolve: (code) => (loading.resolve(code), over()),
      reject: (error) => (loading.reject(error), over()),
    }
  }

  /** Terminates the thread now. */
  end(): void {
    if (this.#how === 'exit') this.#how = 'ended'
    void this.#worker.terminate()
  }

  /** Terminates the thread; what ran in it is not its supervisor's any more. Resolves when it has ended. */
  abandon(): Promise<void> {
    this.open.clear()
    this.#outbox = []
    this.#talks.clear()
    this.#abandoned = true
    this.#calls.cancelAll('this thread was abandoned')
    return new Promise((resolve) => {
      if (this.#ended) return resolve()
      this.#worker.once('exit', () => resolve())
      this.end()
    })
  }

  readonly #send = (message: ToWorker): void => this.#worker.postMessage(message)

  #flush(): void {
    const deliveries = this.#outbox.map(({ delivery, attempt }) => ({ event: delivery.event, attempt }))
    this.#outbox = []
    if (!this.#ended) this.#send({ kind: 'run', deliveries })
  }

  readonly #beat = (): void => {
    this.#heartbeat = undefined
    if (this.#ended || (this.open.size === 0 && this.#pingSentMs === undefined)) return
    const { clock, blockMs } = this.#options
    if (this.#pingSentMs === undefined) {
      this.#pingSentMs = clock.monotonic()
      this.#send({ kind: 'ping' })
    } else if (clock.monotonic() - this.#pingSentMs >= blockMs && !isDebugged()) {
      this.#how = 'blocked'
      void this.#worker.terminate()
      return
    }
    this.#heartbeat = clock.after(Math.min(HEARTBEAT_MS, blockMs), this.#beat)
  }

  #onMessage(message: FromWorker): void {
    // It may go on for a moment: nobody does what it asks for.
    if (this.#abandoned) return
    const { log, observe } = this.#options
    switch (message.kind) {
      case 'done':
        return this.#settle(message.ids)
      case 'call':
        return this.#calls.make(message)
      case 'store':
        this.#storing++
        return void answerRequest(message.id, () => requestStore(this.#options.store(), message.request)).then(
          (reply) => {
            this.#storing--
            if (!this.#ended) this.#send(reply)
            this.#endWhenIdle()
          },
        )
      case 'given up':
        return this.#options.onGivenUp(message.event, message.reason, message.file)
      case 'waits':
        return this.#options.onWaits(message.key, message.on)
      case 'talks':
        if (message.on) this.#talks.add(message.id)
        else this.#talks.delete(message.id)
        return this.#endWhenIdle()
      case 'outbox':
        // Not counted as work: a broadcast goes on without the thread that asked for it.
        return void answerRequest(message.id, () => requestOutbox(this.#options.outbox(), message.request)).then(
          (reply) => {
            if (!this.#ended) this.#send(reply)
          },
        )
      case 'cancel':
        return this.#calls.cancel(message.id, 'the handler aborted the call')
      case 'secret':
        return hideFromNow(message.secret)
      case 'log':
        return log[message.level](message.facts, message.message)
      case 'outcome':
        return observe?.(message.outcome)
      case 'pong':
        this.#pingSentMs = undefined
        return
      case 'files':
        this.#questions.get(message.id)?.(message.files)
        this.#questions.delete(message.id)
        return
      case 'lifecycle':
        // One that was too late may end while the next is waited for.
        if (this.#lifecycle?.moment === message.moment) this.#lifecycle.end()
        return
      case 'disposing':
        return this.#disposal?.next(message.at)
      case 'disposed':
        return this.#disposal?.end()
      case 'loaded':
        this.#loaded = true
        this.#loading?.resolve(message.code)
        this.#loading = undefined
        return
      case 'refused': {
        const loading = this.#loading
        this.#loading = undefined
        if (loading) fromPlainError(message.error).then(loading.reject, loading.reject)
      }
    }
  }

  #settle(ids: readonly number[]): void {
    for (const id of ids) {
      const run = this.open.get(id)
      if (!run) continue
      this.open.delete(id)
      run.settle()
      this.#options.onSettled(run)
    }
    this.#endWhenIdle()
  }

  /** What the thread may not end before: its runs, what it asked for, the handlers that wait for somebody. */
  get #busy(): number {
    return this.open.size + this.#calls.size + this.#storing + this.#talks.size
  }

  #endWhenIdle(): void {
    if (!this.#retiring || this.#ended || this.#busy > 0 || this.#disposal) return
    if (this.#loaded) void this.dispose().then(() => this.end())
    else this.end()
  }

  #onExit(exitCode: number): void {
    this.#ended = true
    this.#heartbeat?.cancel()
    // What the dead thread still asked for is asked again by the next run; sending it now would send it twice.
    this.#calls.cancelAll('the worker that made the call has ended')
    for (const answer of this.#questions.values()) answer([])
    this.#lifecycle?.end()
    if (this.#how === 'ended') this.#disposal?.end()
    else this.#disposal?.died(exitCode, this.#error)
    const loading = this.#loading
    this.#loading = undefined
    loading?.reject(
      this.#error ??
        new Error(
          `${loading.files}: ended its thread with code ${exitCode} while it loaded: is there a process.exit outside of the handler?`,
        ),
    )
    const at = sourceLine(this.#error, this.#root)
    this.#options.onEnd({
      how: this.#how,
      ...(this.#error && { error: this.#error }),
      ...(at !== undefined && { at }),
      exitCode,
      currentId: this.#current[0] ?? 0,
      talks: [...this.#talks],
    })
  }
}
