import type { Clock } from '@botwright/clock'
import type { Definition } from '../../author/files/entries.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { Observer } from '../ports/observer.ts'
import type { Switches } from '../ports/switches.ts'
import type { OpenTasks, Tasks } from '../ports/tasks.ts'

export interface BotTasksOptions {
  /** Loads the running of tasks. */
  openTasks: () => Promise<OpenTasks>
  store: StateStore
  clock: Clock
  dispatcher: Pick<BotDispatcher, 'dispatch'>
  options: { log: Log; config: { env?: Readonly<Record<string, unknown>> } }
  observer: Pick<Observer, 'workBegan'>
  switches?: Pick<Switches, 'isOff'>
  claims?: Claims | undefined
}

/** The bot's tasks. Without any, their code is not loaded and the store stays closed. */
export class BotTasks {
  readonly #options: BotTasksOptions
  #tasks: Tasks | undefined
  #stopped = false

  constructor(options: BotTasksOptions) {
    this.#options = options
  }

  /** Replaces the tasks with those of new code; the first tasks load their code. */
  async update(definitions: readonly Definition[]): Promise<void> {
    if (!this.#tasks && !definitions.some(({ kind }) => kind === 'task')) return
    const { create } = await this.#options.openTasks()
    const { store, clock, dispatcher, observer, options, claims, switches } = this.#options
    if (this.#stopped) return
    this.#tasks ??= create({
      store,
      clock,
      log: options.log,
      ...(options.config.env && { env: options.config.env }),
      dispatch: (run, failed) => dispatcher.dispatch(run, (end) => 'reason' in end && failed(end)),
      began: observer.workBegan,
      switches,
      ...(claims && { claims }),
    })
    this.#tasks.update(definitions)
  }

  /** Called when a key of the store was written: a handler may have scheduled a task. */
  onStoreWrite(key: string): void {
    this.#tasks?.onStoreWrite(key)
  }

  /** Checks for due tasks, including those of dead instances. */
  wake(): void {
    this.#tasks?.wake()
  }

  async stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }> {
    this.#stopped = true
    return (await this.#tasks?.stop(graceMs, until)) ?? { unfinished: 0 }
  }
}
