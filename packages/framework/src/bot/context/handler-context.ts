import type * as author from '../../author/context.ts'
import type { Timer } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type BotServices, services } from '../services.ts'
import { BotContext, handlerLog } from './bot-context.ts'

/** In the place of what is to be done at the end, once that is over. */
const over: (() => void)[] = []

/** Has something done when the handler has ended: at once where it has. */
export let atEnd: (ctx: HandlerContext, work: () => void) => void
/** The time of the handler does not run while it waits for somebody, and begins anew when that is over. */
export let pauseFor: <T>(ctx: HandlerContext, waiting: Promise<T>) => Promise<T>
/** The handler has ended. */
export let endHandler: (ctx: HandlerContext) => void

/** What a run of a file has, of an event or of a task: the file, a log that names it, and a time. */
export abstract class HandlerContext extends BotContext implements author.HandlerContext {
  static {
    atEnd = (ctx, work) => ctx.#atEnd(work)
    pauseFor = (ctx, waiting) => ctx.#pauseFor(waiting)
    endHandler = (ctx) => ctx.#end()
  }

  readonly file: string
  /** Made when the signal is first asked for. `resting`: for how many answers it waits. */
  #time: { abort: AbortController; late: Timer; resting: number } | undefined
  #endings: (() => void)[] | undefined

  constructor(surroundings: BotServices, file: string) {
    super(surroundings)
    this.file = file
  }

  override get log(): author.HandlerLog {
    return handlerLog(this[services].log, { file: this.file })
  }
  get signal(): AbortSignal {
    if (!this.#time) {
      const abort = new AbortController()
      const time = { abort, late: this.#lateTimer(abort), resting: 0 }
      this.#time = time
      this.#atEnd(() => time.late.cancel())
    }
    return this.#time.abort.signal
  }

  #lateTimer(abort: AbortController): Timer {
    const { clock, handlerSeconds } = this[services]
    const late = new BotwrightError('ERR_HANDLER_TIMEOUT', `${this.file}: did not end within ${handlerSeconds} seconds`)
    return clock.after(handlerSeconds * 1000, () => abort.abort(late))
  }

  async #pauseFor<T>(waiting: Promise<T>): Promise<T> {
    const time = this.#time
    if (!time) return waiting
    time.late.cancel()
    time.resting++
    try {
      return await waiting
    } finally {
      if (--time.resting === 0 && this.#endings !== over) time.late = this.#lateTimer(time.abort)
    }
  }

  #atEnd(work: () => void): void {
    if (this.#endings === over) work()
    else (this.#endings ??= []).push(work)
  }
  #end(): void {
    const endings = this.#endings
    this.#endings = over
    if (endings) for (const work of endings) work()
  }
}
