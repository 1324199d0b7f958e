import type { AnyScope } from '../state/scope.ts'
import type { Timezone } from '../time/timezone.ts'
import type { Words } from '../texts/words.ts'

/** The kind of a bot's file; decided by its folder. */
export type EntryKind = 'command' | 'button' | 'event' | 'task' | 'route' | 'state' | 'resource' | 'middleware'

/** One file of a bot, identified by its name alone. */
export interface Entry {
  kind: EntryKind
  /** A command's words joined by a space (`role add`), a button's path (`poll/vote`), an event's type, a route's method and path (`POST /github`), a middleware's folder (`''` for the root). */
  name: string
  /** The path relative to the bot's folder, with `/`, as the author wrote it: `commands/ping.ts`. */
  file: string
  /** The name of the plugin that the file belongs to; its `file` begins with the name of the plugin's package. */
  plugin?: string
}

/** All files of a bot, sorted by path: pure data, computed from names without loading anything. */
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
  // The JSON files that it requests, each a key of `modules`.
  data?: readonly MountedFiles[]
}

/** One JSON file that a plugin requests. */
export interface MountedFiles {
  // The plugin that it belongs to; `''` for the bot.
  owner: string
  // Its path without the extension: `locales/de`.
  name: string
  file: string
}

/** The schedule of a task. */
export interface TaskSchedule {
  cron?: string
  /** A zone, or the declared variable that contains it. */
  timezone?: Timezone
  everyMs?: number
  /** How to handle runs that were due while they could not run. */
  missed: 'once' | 'all' | 'skip'
  /** Whether a failed or interrupted run runs again; `true` stands for the default policy. */
  retry: boolean | RetryPolicy
}

/** How often a run that failed runs again, and after which waits. The last wait repeats. */
export interface RetryPolicy {
  errors: number
  waitsMs: readonly number[]
}

/** The metadata of an entry after its module was loaded; plain data, so that it can be stored for the next start. */
export interface Definition extends Entry {
  /** Of a task. */
  schedule?: TaskSchedule
  /** Of a state: its scope. */
  scope?: AnyScope
  /** Of a state: its version, unless it is the first. */
  version?: number
  /** Whether its handler is durable. */
  durable?: true
  /** Of a button with parameters: the TypeScript type of each. */
  params?: Readonly<Record<string, string>>
  /** Of a command: the description that `PUT /commands` registers (a folder of subcommands registers its first word). */
  description?: string
  /** Of an event: when this file runs, in words; undefined if it always does. */
  conditions?: readonly Words[]
  /** Of an event: the pattern that it matches, as `/source/flags`. */
  match?: string
  /** Plain data of the feature that the file belongs to. */
  facts?: object
  /** The conditions of its guards, in words; of a middleware: those of its folder. */
  guards?: readonly Words[]
  /** The permissions that the bot itself needs to pass these guards, as roles name them. */
  needs?: readonly string[]
  /** Of a command: other names for its last word. */
  aliases?: readonly string[]
  /** Of a command: omitted from `/help`. */
  hidden?: boolean
  /** Of a command: further contents of `/help`; undefined if there are none. */
  help?: CommandHelp
}

/** The contents of `/help` for a command in addition to its description. */
export interface CommandHelp {
  /** The input after it: `<question> [minutes=10] [--secret]`. */
  usage: Words
  args: readonly ArgHelp[]
  /** Without the command itself. */
  examples: readonly string[]
  /** The conditions of its guards. */
  rules: readonly Words[]
}

/** The numbers that an argument accepts. */
export interface NumberRange {
  /** Whether it must be a whole number. */
  whole: boolean
  min?: number
  max?: number
}

/** The contents of `/help` for one argument. */
export interface ArgHelp {
  /** As it is typed: `minutes`, `--secret`. */
  name: string
  /** One word (or quoted text), all remaining words, the remaining text unchanged, or a `--flag`. */
  takes: 'word' | 'words' | 'text' | 'flag'
  /** The maximum number of unquoted words in a value, if more than one, as in `tomorrow 18:00`. */
  mostWords?: number
  /** The accepted words, if there are no others. */
  choices?: readonly string[]
  /** The accepted numbers, of a number. */
  number?: NumberRange
  /** `a whole number from 1 to 60` */
  expects: Words
  /** The author's description. */
  about?: string
  /** The value if it is omitted, as a user would type it. */
  default?: Words
  optional?: true
}
