import type { Scope } from './state/scope.ts'
import type { Timezone } from './timezone.ts'
import type { Words } from './texts/words.ts'

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
