import type * as author from '../../author/context.ts'
import { elapsedOf, type Timer } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { CallOptions } from '@botwright/rest'
import { type BotServices, services } from '../services.ts'
import { limited, place } from '../linked-services.ts'
import { BotContext, handlerLog, joinCalls } from './bot-context.ts'

/** Replaces the list of callbacks once they have run. */
const ended: (() => void)[] = []

/** Calls a function when the handler has ended, or at once if it already has. */
export let onHandlerEnd: (ctx: HandlerContext, work: () => void) => void
/** Pauses the handler's time limit while it waits for a user. The limit starts again afterwards. */
export let pauseTimeLimit: <T>(ctx: HandlerContext, waiting: Promise<T>) => Promise<T>
/** A click that a handler has waited for belongs to the run of that handler: its time limit, its calls and its end. */
export let joinRun: (click: HandlerContext, run: HandlerContext) => void
/** A handler runs a command: while that waits for a user, the time limit of the handler is paused, too. */
export let pauseToo: (handler: author.HandlerContext, command: HandlerContext) => void
/** Marks the handler as ended. */
export let endHandler: (ctx: HandlerContext) => void
/** How long it has waited for people, in milliseconds. */
export let waitedMsOf: (ctx: HandlerContext) => number
/** Lets the handler run again for the same event, with other args or params: its guards do not check it again. */
export let setInput: (ctx: HandlerContext, input: unknown) => void
/** The input that `setInput` has set. */
export let inputOf: (ctx: author.HandlerContext) => { readonly input: unknown } | undefined

/** The context of one run of an event handler or a task, with its file, a log that names it, and its time limit. */
export abstract class HandlerContext extends BotContext implements author.HandlerContext {
  static {
    onHandlerEnd = (ctx, work) => ctx.#onEnd(work)
    pauseTimeLimit = (ctx, waiting) => ctx.#pauseTimeLimit(waiting)
    joinRun = (click, run) => {
      click.#run = run
      joinCalls(click, run)
    }
    pauseToo = (handler, command) => {
      if (#caller in handler) command.#caller = handler
    }
    endHandler = (ctx) => ctx.#end()
    waitedMsOf = (ctx) => ctx.#waitedMs
    setInput = (ctx, input) => (ctx.#input = { input })
    inputOf = (ctx) => (#input in ctx ? ctx.#input : undefined)
  }

  readonly file: string
  /** See `joinRun`. */
  #run: HandlerContext | undefined
  /** See `pauseToo`. */
  #caller: HandlerContext | undefined
  #abort: AbortController | undefined
  #timeout: Timer | undefined
  #waitsFromMs = 0
  #waitedMs = 0
  /** When its time ends, on the monotonic clock, and how many answers it is waiting for: the time begins again afterwards. */
  #limitMs: number
  #pauses = 0
  #endings: (() => void)[] | undefined
  #input: { input: unknown } | undefined

  constructor(botServices: BotServices, file: string) {
    super(botServices)
    this.file = file
    this.#limitMs = elapsedOf(botServices.clock).monotonic() + botServices.handlerSeconds * 1000
  }

  protected override get [place](): string {
    return this.file
  }

  /**
   * A call that would wait longer than the handler has time fails at once, while the handler can still notify its user. Calls after its end,
   * such as those of a timer, have no such limit.
   */
  protected override [limited](options: CallOptions = {}): CallOptions {
    if (this.#pauses > 0 || this.#endings === ended) return options
    const leftMs = this.#limitMs - elapsedOf(this[services].clock).monotonic()
    return { longestWaitMs: Math.max(0, leftMs), ...options }
  }

  override get log(): author.HandlerLog {
    return handlerLog(this[services].log, { file: this.file })
  }
  get signal(): AbortSignal {
    if (this.#run) return this.#run.signal
    if (!this.#abort) {
      this.#abort = new AbortController()
      this.#startTimeout(this.#abort)
      this.#onEnd(() => this.#timeout?.cancel())
    }
    return this.#abort.signal
  }

  #startTimeout(abort: AbortController): void {
    const { clock, handlerSeconds } = this[services]
    const fact = `${this.file}: did not end within ${handlerSeconds} seconds`
    const error = new BotwrightError('ERR_HANDLER_TIMEOUT', fact)
    const leftMs = this.#limitMs - elapsedOf(clock).monotonic()
    if (this.#pauses > 0 || this.#endings === ended) return
    if (leftMs <= 0) abort.abort(error)
    else this.#timeout = elapsedOf(clock).after(leftMs, () => abort.abort(error))
  }

  async #pauseTimeLimit<T>(waiting: Promise<T>): Promise<T> {
    if (this.#run) return this.#run.#pauseTimeLimit(waiting)
    this.#timeout?.cancel()
    if (this.#pauses++ === 0) this.#waitsFromMs = elapsedOf(this[services].clock).monotonic()
    try {
      return await (this.#caller ? this.#caller.#pauseTimeLimit(waiting) : waiting)
    } finally {
      if (--this.#pauses === 0) this.#resumeTimeLimit()
    }
  }

  #resumeTimeLimit(): void {
    const { clock, handlerSeconds } = this[services]
    const nowMs = elapsedOf(clock).monotonic()
    this.#waitedMs += nowMs - this.#waitsFromMs
    this.#limitMs = nowMs + handlerSeconds * 1000
    if (this.#abort) this.#startTimeout(this.#abort)
  }

  #onEnd(work: () => void): void {
    if (this.#run) this.#run.#onEnd(work)
    else if (this.#endings === ended) work()
    else (this.#endings ??= []).push(work)
  }
  #end(): void {
    const endings = this.#endings
    this.#endings = ended
    if (endings) for (const work of endings) work()
  }
}
