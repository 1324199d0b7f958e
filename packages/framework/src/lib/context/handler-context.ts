import type { Timer } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { BotContext, type Surroundings } from './bot-context.ts'
import { type HandlerLog, handlerLog } from './handler-log.ts'

/** In the place of what is to be done at the end, once that is over. */
const over: (() => void)[] = []

/** What a run of a file has, of an event or of a task: the file, a log that names it, and a time. */
export abstract class HandlerContext extends BotContext {
  /** The handler's file. */
  readonly file: string
  /** Made when the signal is first asked for. `resting`: for how many answers it waits. */
  #time: { abort: AbortController; late: Timer; resting: number } | undefined
  #endings: (() => void)[] | undefined

  constructor(around: Surroundings, file: string) {
    super(around)
    this.file = file
  }

  /** The bot's log; each line also tells the handler's `file`. */
  override get log(): HandlerLog {
    return handlerLog(this.around.log, { file: this.file })
  }
  /** Aborts when the handler's time (`limits.handlerSeconds`) is over. Made when it is first asked for. */
  get signal(): AbortSignal {
    if (!this.#time) {
      const abort = new AbortController()
      const time = { abort, late: this.#lateTimer(abort), resting: 0 }
      this.#time = time
      this.atEnd(() => time.late.cancel())
    }
    return this.#time.abort.signal
  }

  #lateTimer(abort: AbortController): Timer {
    const { clock, handlerSeconds } = this.around
    const late = new BotwrightError('ERR_HANDLER_TIMEOUT', `${this.file}: did not end within ${handlerSeconds} seconds`)
    return clock.after(handlerSeconds * 1000, () => abort.abort(late))
  }

  /** Its time does not run while it waits for somebody, and begins anew behind the answer. For the framework. */
  async pauseFor<T>(waiting: Promise<T>): Promise<T> {
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

  /** What has to be done when the handler has ended: at once where it has. For the framework. */
  atEnd(work: () => void): void {
    if (this.#endings === over) work()
    else (this.#endings ??= []).push(work)
  }
  /** The handler has ended. For the dispatcher. */
  end(): void {
    const endings = this.#endings
    this.#endings = over
    if (endings) for (const work of endings) work()
  }
}
