import type { Delivery } from '@botwright/events/event'
import type { Command } from '@botwright/protocol/shapes'
import type { Definition, Manifest } from '../author/entries.ts'
import type { Broadcasts } from '../author/sending/broadcast-job.ts'
import type { BudgetMeter } from '../author/ports.ts'

/** Where the code of a bot comes from. Plain data but for `provide`: it is sent to worker threads and written by `framework build`. */
export interface BotSource {
  manifest: Manifest
  // Absolute path of the bot's folder, for messages.
  root: string
  // For each entry's `file` the absolute path of the JavaScript module to import.
  modules: Readonly<Record<string, string>>
  /**
   * Definitions that are known already. With them a module is loaded when its first event arrives;
   * without them every module is loaded at once.
   */
  definitions?: readonly Definition[]
  // Files that are loaded at once all the same: what a save has just changed.
  eager?: readonly string[]
  // Called before a file's module is imported, which need not be there until then. For code that runs in this thread: a test's.
  provide?: (file: string) => void
  // Told of each handler whose modules are being loaded when its first event arrives. For code that runs in this thread: a test's.
  loading?: (loaded: Promise<unknown>) => void
}

/** Why a handler that did not end by itself has not answered: a key of the framework's own texts. */
export type Apology = 'failed' | 'took_too_long'

/** What the supervisor sends for handlers, longer than any of them lives. */
export interface Outbox {
  readonly broadcasts: Broadcasts
  // The message budget at this moment (§8).
  budget(): Promise<BudgetMeter>
}

/**
 * What became of an event. `timed_out`: its handler took longer than `limits.handlerSeconds`. `crashed`: its handler brought down its
 * thread, and runs again. `dead_lettered`: it had its last attempt. `skipped`: it never ran, as `catchUp` says.
 */
export type Result = 'ok' | 'error' | 'timed_out' | 'crashed' | 'dead_lettered' | 'skipped'

/** How one delivery went. */
export interface Outcome {
  eventId: number
  // The event's type.
  type: string
  // Undefined where no file handles it.
  file: string | undefined
  // How long its handler ran; undefined where that is not known.
  ms?: number
  result: Result
  // `at`: the line of the bot's own code where it began, `commands/ping.ts:12`, or the file alone.
  error?: { message: string; at: string; stack?: string; reference: string }
}

/** Runs handlers: in this thread, in workers, or on other machines. One conformance suite holds all versions to the same promises. */
export interface Dispatcher {
  // Settles when the handler has finished, whatever became of it; a delivery whose worker died is run again, marked `redelivered`.
  dispatch(delivery: Delivery): void | Promise<void>
  /**
   * Takes new code: resolves when it serves, rejects (and keeps the old code) when it does not load.
   * `signal` gives up code that is still loading, stuck in an endless loop perhaps.
   */
  replace(source: BotSource, options?: { signal?: AbortSignal }): Promise<LoadedCode>
  // No new handler starts; running ones finish within `graceMs`, then they are given up. Returns how many were.
  close(options: { graceMs: number }): Promise<{ unfinished: number }>
}

/** What a dispatcher learned by loading code. */
export interface LoadedCode {
  definitions: readonly Definition[]
  commands: readonly Command[]
}
