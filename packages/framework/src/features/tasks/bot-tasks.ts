import type { Definition } from '../../author/files/entries.ts'
import type { Tasks } from '../../runtime/ports/tasks.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import type { Scheduler } from './runtime/scheduler.ts'
import type { TasksHost } from './known-task.ts'

/** The bot's tasks. Without any, their code is not loaded and the store stays closed. */
export class BotTasks implements Tasks {
  readonly #host: WorkHost
  #scheduler: Scheduler | undefined
  #stopped = false

  constructor(host: WorkHost) {
    this.#host = host
  }

  async update(definitions: readonly Definition[]): Promise<void> {
    if (!this.#scheduler && !definitions.some(({ kind }) => kind === 'task')) return
    const { Scheduler } = await import('./runtime/scheduler.ts')
    if (this.#stopped) return
    this.#scheduler ??= new Scheduler(tasksHostOf(this.#host))
    this.#scheduler.update(definitions)
  }

  onStoreWrite(key: string): void {
    this.#scheduler?.onStoreWrite(key)
  }

  wake(): void {
    this.#scheduler?.wake()
  }

  async stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }> {
    this.#stopped = true
    return (await this.#scheduler?.stop(graceMs, until)) ?? { unfinished: 0 }
  }
}

/** The parts of a bot that its tasks use. */
export const tasksHostOf = ({ config, dispatch, ...host }: WorkHost): TasksHost => ({
  ...host,
  ...(config.env && { env: config.env }),
  dispatch: (run, failed) => dispatch(run, (end) => 'reason' in end && failed(end)),
})
