import type { EnvSchema, EnvValues } from '../env-schema.ts'
import type { PluginUse } from '../plugins/plugin.ts'
import type { StateStore, StoreHost } from '../ports.ts'
import type { OwnLanguage } from '../texts/words.ts'
import type { EventType } from '@botwright/protocol/shapes'
import type { Duration } from '../time/duration.ts'
import type { Timezone } from '../time/timezone.ts'

// A message budget: a number of messages in a number of seconds.
interface MessageBudget {
  requests: number
  seconds: number
}

// Two times of day in a time zone, UTC by default.
interface DailyHours {
  from?: string | undefined
  until?: string | undefined
  timezone?: Timezone | undefined
}

interface QuietHours extends DailyHours {
  servers?: Record<string, false | DailyHours> | undefined
}

/** The contents of `bot.config.ts`; every field is optional. Its schema is `config-schema.ts`; a test compares them. */
export interface ConfigInput {
  /** How events arrive (§4): by `'poll'` (default), `'webhook'` or `'both'`. */
  delivery?: 'poll' | 'webhook' | 'both' | undefined
  /** Where the first start begins: `'now'` (default), or with the `'kept'` events (§6: 1 day). */
  start?: 'now' | 'kept' | undefined
  limits?:
    | {
        /** The maximum run time of a handler, in seconds; 60. */
        handlerSeconds?: number | undefined
        /** How long a stop waits for running handlers, in seconds; 10. */
        graceSeconds?: number | undefined
        /** The number of waiting events above which the bot requests no more; 1000. */
        waiting?: number | undefined
        /** Threads that run handlers; 1. */
        workers?: number | undefined
      }
    | undefined
  /** Whether messages of other bots start commands; false. */
  answerBots?: boolean | undefined
  /** Whether there is a built-in `/help`; true. */
  help?: boolean | undefined
  /** The language of the framework's own texts, such as refusals, usage and `/help`: `'en'` (default) or `'de'`. */
  language?: OwnLanguage | undefined
  /** Replaces the 30 messages a minute of §8; `false` for no budget. */
  messageBudget?: false | MessageBudget | undefined
  /** Where event webhooks are received. Defaults: port 8788, host 127.0.0.1, path /. */
  webhook?: { port?: number | undefined; host?: string | undefined; path?: string | undefined } | undefined
  /**
   * Which missed events run after downtime, by their type: `{ message: '2m', member_join: 'all', interaction: 'open',
   * default: '1h' }`. Older events are skipped. Without a rule, all run, except clicks that
   * users saw fail because the bot was offline.
   */
  catchUp?: CatchUpInput | undefined
  /**
   * Where `routes/` is served. Defaults: port 8789 (or `BOT_HTTP_PORT`), host 127.0.0.1. `false`: nowhere without it; pass requests
   * to `fetch` of the running bot.
   */
  http?: false | { port?: number | undefined; host?: string | undefined } | undefined
  /**
   * Where `/livez`, `/readyz` and `/metrics` are served (host 127.0.0.1). Default: nowhere, unless `BOT_HEALTH_PORT` is set.
   * `control`: also serves the control room under `/control`, with the token `BOT_CONTROL_TOKEN`; `actions` lets it replay events and
   * cancel durable runs.
   */
  health?:
    | { port: number; host?: string | undefined; control?: { actions?: boolean | undefined } | undefined }
    | undefined
  /**
   * Runs the bot as one of several instances that share a Redis, under `framework start`. Requires `@botwright/cluster`.
   * `url`: its address, or the name of its variable. Default: `BOT_CLUSTER_URL`.
   */
  cluster?: { url?: string | undefined } | undefined
  /** Whether each handler run is an OpenTelemetry span; false. Requires `@opentelemetry/api`. */
  tracing?: boolean | undefined
  /**
   * Records events and answers in `.botwright/history.db` (`framework dev`: `history.dev.db`), for `framework events` and `framework replay`: `true` keeps
   * `{ days: 7, events: 100_000 }`. `framework dev` records unless it is `false`.
   */
  record?: boolean | { days?: number | undefined; events?: number | undefined } | undefined
  /** Holds the bot's own messages at night: `{ from: '22:00', until: '07:00', timezone: 'Europe/Berlin' }`; `servers`: by their ids. */
  quietHours?: QuietHours | undefined
  /** Files and folders that `framework build` copies. */
  assets?: readonly string[] | undefined
  /** The bot's variables, as `z.object({ … })`: checked at startup, and passed to handlers as `ctx.env`. */
  env?: EnvSchema | undefined
  /** The store of the bot's values, instead of `state.db` in its state folder: `({ clock }) => keyValueStore(storage, clock)`. */
  store?: ((host: StoreHost) => StateStore | Promise<StateStore>) | undefined
  /** Plugins with their options, by the names of their buttons and state: `{ counting: counting({ … }) }`. */
  plugins?: Record<string, PluginUse> | undefined
}

type Unfilled = 'language' | 'messageBudget' | 'cluster' | 'quietHours' | 'assets' | 'store'

// The fields of a configuration after all defaults were filled in.
export interface FilledConfig extends Pick<ConfigInput, Unfilled> {
  delivery: 'poll' | 'webhook' | 'both'
  start: 'now' | 'kept'
  limits: { handlerSeconds: number; graceSeconds: number; waiting: number; workers: number }
  answerBots: boolean
  help: boolean
  webhook: { port: number; host: string; path: string }
  catchUp?: CatchUp | undefined
  http: false | { port: number; host: string }
  health?: { port: number; host: string; control?: { actions: boolean } | undefined } | undefined
  tracing: boolean
  record?: boolean | HistoryBounds | undefined
}

/** A bot's configuration with all defaults filled in. Durations are in seconds. */
export interface Config extends FilledConfig {
  /** The values of the declared variables. Plain data, like all of this. */
  readonly env?: EnvValues
  /** The names of those whose values the log hides. */
  readonly hiddenEnv?: readonly string[]
  /** The options of each plugin, parsed by its schema. */
  readonly plugins?: Readonly<Record<string, { options: unknown }>>
}

/** Types a bot's configuration; the default export of `bot.config.ts`. It is checked when the bot starts. */
export const defineConfig = <const E extends EnvSchema = EnvSchema>(
  config: ConfigInput & { env?: E },
): ConfigInput & { env?: E } => config

// Which missed events of a type run: up to an age, all of them, or clicks that are still open.
export type CatchUpLimit = number | 'all' | 'open'

// The keys of `catchUp`: types of the interface, unknown types, and a default.
type Limited = EventType | 'unknown' | 'default'

/** `catchUp` of `bot.config.ts`: `{ message: '2m', member_join: 'all', interaction: 'open', default: '1h' }`. */
type CatchUpInput = {
  [Type in Limited]?: Duration | 'all' | (Type extends 'interaction' ? 'open' : never) | undefined
}

// The limits in milliseconds.
export type CatchUp = { [Type in Limited]?: CatchUpLimit | undefined }

// How much history a bot keeps.
export interface HistoryBounds {
  days: number
  events: number
}

/** The files in a bot's state folder: the recordings of `framework start` and `framework dev`. */
export const historyNames = { start: 'history.db', dev: 'history.dev.db' } as const

// The default.
export const usualBounds: HistoryBounds = { days: 7, events: 100_000 }

// The bounds; undefined if nothing is kept. `byItself`: records unless the configuration forbids it, as `framework dev` does.
export function boundsOf(
  { record }: { readonly record?: boolean | HistoryBounds | undefined },
  byItself: boolean,
): HistoryBounds | undefined {
  if (record === undefined) return byItself ? usualBounds : undefined
  if (record === false) return undefined
  return record === true ? usualBounds : record
}

// The defaults of `bot.config.ts`. Durations are in seconds.
export const defaults = {
  delivery: 'poll',
  start: 'now',
  limits: { handlerSeconds: 60, graceSeconds: 10, waiting: 1000, workers: 1 },
  answerBots: false,
  help: true,
  tracing: false,
  webhook: { port: 8788, host: '127.0.0.1', path: '/' },
  http: { port: 8789, host: '127.0.0.1' },
} as const
