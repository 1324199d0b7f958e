import type { EventKey } from '@botwright/events/event'
import type { Command } from '@botwright/protocol/shapes'
import type { Definition, Manifest } from '../author/files/entries.ts'
import type { Broadcasts } from '../author/sending/broadcast.ts'
import type { BudgetMeter } from '../author/ports.ts'

/** The source of a bot's code. Plain data except `bundled`, `provide` and `loading`: it is sent to worker threads and written by `framework build`. */
export interface BotSource {
  manifest: Manifest
  // The absolute path of the bot's folder, for messages.
  root: string
  // The absolute path of the JavaScript module of each entry's `file`.
  modules: Readonly<Record<string, string>>
  // Instead of `modules`, for code in this thread: imports the module of each file, all of which are one file.
  bundled?: Readonly<Record<string, () => Promise<unknown>>>
  // Identifies the code: the same id means the same code. Without it, the framework does not compare the arguments of the steps of durable
  // handlers.
  codeId?: string
  // Known definitions. With them a module is loaded when its first event arrives, and in a thread in the background soon after the start;
  // without them every module is loaded at once.
  definitions?: readonly Definition[]
  // Files that are loaded at once nevertheless: those that a save has just changed.
  eager?: readonly string[]
  // Called before a file's module is imported, to create it. For code in this thread: a test's.
  provide?: (file: string) => void
  // Called with each handler whose modules load when its first event arrives. For code in this thread: a test's.
  loading?: (loaded: Promise<unknown>) => void
}

/** Why a handler that did not finish has not replied: a key of the framework's own texts. */
export type Apology = 'failed' | 'took_too_long'

/** Messages that the supervisor sends for handlers, and that outlive them. */
export interface Outbox {
  readonly broadcasts: Broadcasts
  // The message budget at this moment (§8).
  budget(): Promise<BudgetMeter>
}

/**
 * The result of an event. `timed_out`: its handler took longer than `limits.handlerSeconds`. `crashed`: its thread ended, and it runs again.
 * `dead_lettered`: the last attempt failed. `skipped`: because of `catchUp`. `refused`: by its arguments, a guard or an outdated button.
 */
export type Result = 'ok' | 'error' | 'refused' | 'timed_out' | 'crashed' | 'dead_lettered' | 'skipped'

/** The outcome of one delivery. */
export interface Outcome {
  // The event's id, with its era if the service's ids have started again.
  eventId: EventKey
  // The event's type.
  type: string
  // Undefined if no file handles it.
  file: string | undefined
  // The run time of its handler; undefined if unknown.
  ms?: number
  // How much of it was waits for people.
  waitedMs?: number
  result: Result
  // `at`: the line of the bot's own code that threw, `commands/ping.ts:12`, or the file alone.
  error?: { message: string; at: string; stack?: string; reference: string; name?: string; code?: string }
  // With `crashed` and `dead_lettered`: the handler blocked its thread and did not end it.
  blocked?: true
  // With the same results: the thread had no memory left.
  outOfMemory?: true
  // Why it was refused, in English.
  reason?: string
  // A failed run of a task that runs again after a wait.
  again?: true
}

/** How a run that the bot has begun itself ended, if not as usual: why it failed, or its result. */
export type RunEnd = RunFailure | { result: unknown }

/** Why a run of a task failed. */
export interface RunFailure {
  reason: string
  // It must not run again.
  isFinal?: boolean
}

/** The metadata of loaded code. */
export interface LoadedCode {
  definitions: readonly Definition[]
  commands: readonly Command[]
}
