import type { Definition } from '../ports.ts'
import type { Scheduler } from '../tasks/scheduler.ts'
import type { BotParts } from './parts.ts'

/** The bot's tasks. A bot without any loads nothing for them, and its store stays closed. */
export class BotTasks {
  readonly #parts: BotParts
  #scheduler: Scheduler | undefined
  #stopped = false

  constructor(parts: BotParts) {
    this.#parts = parts
  }

  /** Takes the tasks of new code; the first ones start the schedule. */
  async update(definitions: readonly Definition[]): Promise<void> {
    if (!this.#scheduler && !definitions.some(({ kind }) => kind === 'task')) return
    const { Scheduler } = await import('../tasks/scheduler.ts')
    const { timerPrefix } = await import('../tasks/timers.ts')
    const { store, clock, dispatcher, options } = this.#parts
    if (this.#stopped) return
    if (!this.#scheduler) {
      const dispatch = dispatcher.dispatch.bind(dispatcher)
      const made = (this.#scheduler = new Scheduler({ store, clock, log: options.log, dispatch }))
      store.heard = (key) => {
        if (key.startsWith(timerPrefix)) made.wake()
      }
    }
    this.#scheduler.update(definitions)
  }

  async stop(graceMs: number): Promise<{ unfinished: number }> {
    this.#stopped = true
    return (await this.#scheduler?.stop(graceMs)) ?? { unfinished: 0 }
  }
}
