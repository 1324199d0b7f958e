import type { Definition } from '../../author/files/entries.ts'

/** Runs the tasks of a bot at their times. */
export interface Tasks {
  /** Called with the definitions of new code. */
  update(definitions: readonly Definition[]): Promise<void>
  /** A key of the store was written: a handler may have scheduled a task. */
  onStoreWrite(key: string): void
  /** Checks again: a handler has scheduled a run, or an instance has died. */
  wake(): void
  /** Claims no new runs; those that are claimed have `graceMs` to finish. `until`: see `DueRowRunner.stop`. */
  stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }>
}
