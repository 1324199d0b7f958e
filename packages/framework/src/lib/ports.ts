import type { Scope } from './state/scope.ts'
import type { Timezone } from './timezone.ts'
import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Broadcasts } from './sending/broadcast-job.ts'
import type { Waiting } from './conversation/waiting.ts'
import type { BudgetMeter } from './sending/budget-meter.ts'
import type { OwnLanguage, Words } from './texts/words.ts'

/** What a file of a bot is for; decided by the folder that it stands in. */
export type EntryKind = 'command' | 'button' | 'event' | 'task' | 'state' | 'middleware'

/** One file of a bot, found by its name alone. */
export interface Entry {
  kind: EntryKind
  /** A command's words joined by a space (`role add`), a button's path (`poll/vote`), an event's type, a middleware's folder (`''` for the root). */
  name: string
  /** Path relative to the bot's folder, with `/`, as its author wrote it: `commands/ping.ts`. */
  file: string
  /** The name of the plugin that the file belongs to; its `file` begins with the name of the plugin's package. */
  plugin?: string
}

/** All files of a bot, sorted by path: pure data, made from names without loading anything. */
export interface Manifest {
  entries: readonly Entry[]
  // In the order of `bot.config.ts`; their entries follow the bot's own.
  plugins?: readonly PluginMount[]
}

/** A plugin of a bot. Plain data. */
export interface PluginMount {
  // The name under which `bot.config.ts` mounts it.
  name: string
  // The name of its package.
  package: string
  // Its `context.ts`, a key of `modules`.
  context?: string
  // The JSON files that it asks for, each a key of `modules`.
  data?: readonly MountedFiles[]
}

/** One JSON file that a plugin asks for. */
export interface MountedFiles {
  // The plugin that it belongs to; `''` for the bot.
  owner: string
  // Its path without the ending: `locales/de`.
  name: string
  file: string
}

/** When a task runs. */
export interface TaskSchedule {
  cron?: string
  /** A zone, or the declared variable that names it. */
  timezone?: Timezone
  everyMs?: number
  /** What becomes of runs whose time came while they could not run. */
  missed: 'once' | 'all' | 'skip'
  /** Whether an interrupted run runs again. */
  retry: boolean
}

/** What is known of an entry once its module was loaded; plain data, so that it can be kept for the next start. */
export interface Definition extends Entry {
  /** Of a task. */
  schedule?: TaskSchedule
  /** Of a state: by whom it is kept. */
  scope?: Scope
  /** Of a state: its version, where it is not the first. */
  version?: number
  /** Of a button with parameters: the type of each, as TypeScript writes it. */
  params?: Readonly<Record<string, string>>
  /** Of a command: what `PUT /commands` registers (a folder of subcommands registers its first word). */
  description?: string
  /** What its guards let through, in words; of a middleware: those of its folder. */
  guards?: readonly Words[]
  /** Of a command: further words for its last one. */
  aliases?: readonly string[]
  /** Of a command: `/help` does not tell of it. */
  hidden?: boolean
  /** Of a command: what else `/help` tells; nothing when there is nothing. */
  help?: CommandHelp
}

/** What `/help` tells of a command beside its description. */
export interface CommandHelp {
  /** What is typed behind it: `<question> [minutes=10] [--secret]`. */
  usage: string
  args: readonly ArgHelp[]
  /** Without the command itself. */
  examples: readonly string[]
  /** What its guards say of themselves. */
  rules: readonly Words[]
}

/** What `/help` tells of one argument. */
export interface ArgHelp {
  /** As it is typed: `minutes`, `--secret`. */
  name: string
  /** `a whole number from 1 to 60` */
  expects: Words
  /** What its author says of it. */
  about?: string
  /** What stands in its place when it is left out, as it is typed. */
  default?: Words
  optional?: true
}

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

/** A bot, loaded: the side of the house that runs the author's code. Lives in the main thread or in a worker. */
export interface Bot {
  definitions: readonly Definition[]
  // What is to be registered, sorted by name.
  commands: readonly Command[]
  // The file that handles an event, or undefined when none does.
  handlerOf(delivery: Delivery): string | undefined
  // Tells the person whom an event came from what became of it, where somebody waits for an answer. Never rejects.
  apologize(delivery: Delivery, why: Apology): Promise<void>
  // Runs the handler. Never rejects: errors are logged with the source line, and the user gets a short apology.
  handle(delivery: Delivery): void | Promise<void>
  // `events/ready.ts` and `events/shutdown.ts`.
  lifecycle(moment: 'ready' | 'shutdown'): Promise<void>
}

/** A kept value. */
export interface Stored {
  /** What JSON can hold. */
  value: unknown
  /** Changes with each write, and never comes back, also after a delete. */
  version: number
  /** When it is over, milliseconds since 1970. */
  expiresAtMs?: number
}

/**
 * Values kept for a bot, over restarts. One conformance suite holds every version to the same promises.
 * A key is a text that is not empty; what it begins with names its feature (`state:`, `once:`). A value that has expired is absent.
 * Rejects with `ERR_STATE` when the store cannot be read or written, and with `ERR_INVALID_REQUEST` when the value cannot be stored as JSON.
 */
export interface StateStore {
  get(key: string): Promise<Stored | undefined>
  /** `expected`: the version that it must still have, 0 for "absent". False: somebody was quicker. Without `expiresAtMs` it is kept for ever. */
  set(key: string, value: unknown, options?: { expected?: number; expiresAtMs?: number }): Promise<boolean>
  /** False: it was absent, or somebody was quicker. */
  delete(key: string, options?: { expected?: number }): Promise<boolean>
  /** The keys that begin with `prefix`, in the order of their code points; all of them without a `limit`. */
  list(prefix: string, options?: { after?: string; limit?: number }): Promise<({ key: string } & Stored)[]>
}

/** What a store of the author's own is made with. */
export interface StoreHost {
  // Of the bot: several may share what lies behind the store.
  botId: string
  clock: Clock
  log: Log
}

/** What the supervisor sends for handlers, longer than any of them lives. */
export interface Outbox {
  readonly broadcasts: Broadcasts
  // The message budget at this moment (§8).
  budget(): Promise<BudgetMeter>
}

/** What `loadBot` needs from the thread it runs in. Its fields have plain comments: a bot's compiler reads this file, its author does not. */
export interface BotHost {
  call: Call
  clock: Clock
  log: Log
  me: BotProfile
  // Where the bot keeps its values. Without one they are gone with the thread.
  store?: StateStore
  // Needed by bots that broadcast.
  outbox?: Outbox
  // The handlers of this thread that wait for answers; outlives the bot's code.
  waiting?: Waiting
  // Lets the lane of an event go on although its handler has not ended.
  park?: (eventId: number) => void
  // Sets an event aside that failed by no fault of its handler: somebody may have it run again.
  giveUp?: (event: BotEvent, reason: string, file: string) => void
  // Whether messages of other bots start commands (`answerBots` of the configuration); no unless it says so.
  answerBots?: boolean
  // Whether there is a `/help` that no file makes (`help` of the configuration); yes unless it says otherwise.
  help?: boolean
  // The language of the framework's own texts; English.
  language?: OwnLanguage
  // When `ctx.signal` aborts (`limits.handlerSeconds` of the configuration); 60 unless it says otherwise.
  handlerSeconds?: number
  // The values of the variables that the configuration declares.
  env?: Readonly<Record<string, unknown>>
  // The names of those of them that nothing which leaves the process may hold.
  hiddenEnv?: readonly string[]
  // What `bot.config.ts` gives each plugin, by the name under which it is mounted.
  plugins?: Readonly<Record<string, { options: unknown }>>
  // Whether each handler's run is an OpenTelemetry span.
  tracing?: boolean
  // Captures where each call is made, so that its error names the line even where nothing awaits it. Where a bot is recorded.
  callSites?: boolean
  // Tells how a delivery went; the terminal of `framework dev` shows it.
  observe?: (outcome: Outcome) => void
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

/** The logger port: pino fits. Objects first, as pino has it. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  /** Whether anybody reads a level. Without it nothing is told that costs something each time. */
  isLevelEnabled?(level: string): boolean
}

/** How much a line of the log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

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
