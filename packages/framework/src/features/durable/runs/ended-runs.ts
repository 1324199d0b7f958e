import type { Outcome } from '../../../link/ports.ts'
import { type RunHead, type RunRows, rowsOf, type RunStore } from '../stored/run-store.ts'
import { outcomeOf } from './live-run.ts'
import type { DurableHandlersHost } from '../../../bot/durable-handlers.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

/**
 * The end of a durable run, once its head is stored: its outcome is reported, then its rows are deleted, and last the row that wakes it. Until
 * then, its event or that row leads to it: after a crash, the next process does the rest.
 */
export class EndedRuns {
  readonly #host: DurableHandlersHost
  readonly #store: RunStore
  readonly #unstored: UnstoredRuns

  constructor(host: DurableHandlersHost, store: RunStore, unstored: UnstoredRuns) {
    this.#host = host
    this.#store = store
    this.#unstored = unstored
  }

  /** Settles when the rows are deleted; never if the bot stops before. */
  async end(head: RunHead, rows: RunRows, error: Outcome['error']): Promise<void> {
    this.#host.observe?.(outcomeOf(head, head.changedMs, error))
    await this.#tried(head, () => this.#store.clear(head, rows))
  }

  /** Does what a former process has left, or one that could not store the end. */
  async again(head: RunHead): Promise<void> {
    this.#unstored.stored(head.id)
    // Its log is deleted after its outcome is reported.
    if (!(await this.#tried(head, () => this.#store.hasLog(head)))) return
    const { file, status, error = '' } = head
    const failed = status === 'failed' ? { message: error, at: file, reference: '' } : undefined
    await this.end(head, rowsOf(head), failed)
  }

  logCancelled({ id, file }: Pick<RunHead, 'id' | 'file'>, reason: string): void {
    this.#host.log.info({ run: id, file }, `${file}: run ${id} is cancelled: ${reason}`)
  }

  async #tried<T>(head: RunHead, use: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await use()
      } catch (error) {
        this.#unstored.notCleared(head, error)
        await this.#unstored.later()
      }
  }
}
