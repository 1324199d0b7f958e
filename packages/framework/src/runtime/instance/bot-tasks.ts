import type { Clock } from '@botwright/clock'
import type { Definition } from '../../author/files/entries.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { Observer } from '../ports/observer.ts'
import type { Switches } from '../ports/switches.ts'
import type { Scheduler } from '../tasks/scheduler.ts'

export interface BotTasksOptions {
  store: StateStore
  clock: Clock
  dispatcher: Pick<BotDispatcher, 'dispatch'>
  options: { log: Log; config: { env?: Readonly<Record<string, unknown>> } }
  observer: Pick<Observer, 'workBegan'>
  switches?: Pick<Switches, 'isOff'>
  claims?: Claims | undefined
}

/** The bot's tasks. Without any, the scheduler is not loaded and the store stays closed. */
export class BotTasks {
  readonly #options: BotTasksOptions
  #scheduler: Scheduler | undefined
  #timerPrefix: string | undefined
  #stopped = false

  constructor(options: BotTasksOptions) {
    this.#options = options
  }

  /** Replaces the tasks with those of new code; the first tasks start the scheduler. */
  async update(definitions: readonly Definition[]): Promise<void> {
    if (!this.#scheduler && !definitions.some(({ kind }) => kind === 'task')) return
    const { Scheduler } = await import('../tasks/scheduler.ts')
    const { timerPrefix } = await import('../../link/tasks/stored-timers.ts')
    const { store, clock, dispatcher, observer, options, claims, switches } = this.#options
    if (this.#stopped) return
    this.#timerPrefix = timerPrefix
    this.#scheduler ??= new Scheduler({
      store,
      clock,
      log: options.log,
      ...(options.config.env && { env: options.config.env }),
      dispatch: (run, failed) => dispatcher.dispatch(run, (end) => 'reason' in end && failed(end)),
      began: observer.workBegan,
      switches,
      ...(claims && { claims }),
    })
    this.#scheduler.update(definitions)
  }

  /** Called when a key of the store was written: a handler may have scheduled a task. */
  onStoreWrite(key: string): void {
    if (this.#timerPrefix !== undefined && key.startsWith(this.#timerPrefix)) this.#scheduler?.wake()
  }

  /** Checks for due tasks, including those of dead instances. */
  wake(): void {
    this.#scheduler?.wake()
  }

  async stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }> {
    this.#stopped = true
    return (await this.#scheduler?.stop(graceMs, until)) ?? { unfinished: 0 }
  }
}
