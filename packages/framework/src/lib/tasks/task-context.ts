import type { Timer } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { BotContext, type Surroundings } from '../context/bot-context.ts'
import type { Log } from '../ports.ts'
import type { TaskRun } from './task-event.ts'

/** What a task is given. It is about no event: `ctx.state.bot` is its state, and `ctx.state.for({ server_id })` that of others. */
export class TaskContext<P = unknown> extends BotContext {
  readonly kind = 'task'
  /** The task's file. */
  readonly file: string
  /** What it was scheduled with. */
  payload: P
  /** True when an earlier run did not end: some of its work may have been done. */
  readonly redelivered: boolean
  readonly #run: TaskRun
  #abort: AbortController | undefined
  #timer: Timer | undefined

  constructor(around: Surroundings, run: TaskRun, facts: { file: string; redelivered: boolean }) {
    super(around)
    this.#run = run
    this.file = facts.file
    this.redelivered = facts.redelivered
    this.payload = run.payload as P
  }

  /** The task's name: its file's, without the folder. */
  get name(): string {
    return this.#run.task
  }
  /** The time that it was meant for; after a stop it may be long ago. */
  get scheduledAt(): Date {
    return new Date(this.#run.scheduledAtMs)
  }
  protected override get occasion(): string {
    return `task ${this.name} ${this.#run.timer ?? this.#run.scheduledAtMs}`
  }
  override get log(): Log {
    const { log } = this.around
    const file = this.file
    return {
      debug: (facts, message) => log.debug({ file, ...facts }, message),
      info: (facts, message) => log.info({ file, ...facts }, message),
      warn: (facts, message) => log.warn({ file, ...facts }, message),
      error: (facts, message) => log.error({ file, ...facts }, message),
    }
  }
  /** Aborts when the task's time (`limits.handlerSeconds`) is over. Made when it is first asked for. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController())
      const { clock, handlerSeconds } = this.around
      const late = new BotwrightError(
        'ERR_HANDLER_TIMEOUT',
        `${this.file}: did not end within ${handlerSeconds} seconds`,
      )
      this.#timer = clock.after(handlerSeconds * 1000, () => abort.abort(late))
    }
    return this.#abort.signal
  }

  /** The task has ended: its time no longer runs. For the dispatcher. */
  end(): void {
    this.#timer?.cancel()
  }
}
