import type { EnvSchema, EnvValues } from '../env-schema.ts'
import type { PluginUse } from '../plugins/plugin.ts'
import type { StateStore, StoreHost } from '../ports.ts'
import type { OwnLanguage } from '../texts/words.ts'
import type { EventType } from '@botwright/protocol/shapes'
import type { Duration } from '../duration.ts'

/** What the message budget allows: so many messages in so many seconds. */
interface MessageBudget {
  requests: number
  seconds: number
}

/** What `bot.config.ts` may say; all of it may be left out. Its schema is `config-schema.ts`; a test holds them equal. */
export interface ConfigInput {
  /** How events come (§4): by `'poll'` (default), by `'webhook'`, or by `'both'`. */
  delivery?: 'poll' | 'webhook' | 'both' | undefined
  /** Where the very first start begins: `'now'` (default), or with the events that are still `'kept'` (§6: 1 day). */
  start?: 'now' | 'kept' | undefined
  limits?:
    | {
        /** A handler's greatest time; 60. */
        handlerSeconds?: number | undefined
        /** How long a stop waits for running handlers; 10. */
        graceSeconds?: number | undefined
        /** Events that may wait before the bot stops asking for more; 1000. */
        waiting?: number | undefined
        /** Threads that run handlers; 1. */
        workers?: number | undefined
      }
    | undefined
  /** Whether messages of other bots start commands; false. */
  answerBots?: boolean | undefined
  /** Whether there is a `/help` when no file makes one; true. */
  help?: boolean | undefined
  /** The language of the framework's own texts, such as refusals, usage and `/help`: `'en'` (default) or `'de'`. */
  language?: OwnLanguage | undefined
  /** Instead of the 30 messages a minute of §8; `false` for no budget. */
  messageBudget?: false | MessageBudget | undefined
  /** Where event webhooks are received: port 8788, host 127.0.0.1, path / unless it says otherwise. */
  webhook?: { port?: number | undefined; host?: string | undefined; path?: string | undefined } | undefined
  /**
   * How far back events are made up for after a stop, by their type: `{ message: '2m', member_join: 'all', interaction: 'open',
   * default: '1h' }`. What is older is passed over; `'all'` where nothing is said. Clicks have a rule of their own there: those
   * that their people saw fail, because the bot was away, are passed over.
   */
  catchUp?: CatchUpInput | undefined
  /** Where `/livez`, `/readyz` and `/metrics` are served (host 127.0.0.1); nowhere unless it is given here or as `BOT_HEALTH_PORT`. */
  health?: { port: number; host?: string | undefined } | undefined
  /**
   * Runs the bot as one of many machines that share a Redis, when it is started by `framework start`. Needs `@botwright/cluster`.
   * `url`: its address, or the name of the variable that holds it; `BOT_CLUSTER_URL` unless it says otherwise.
   */
  cluster?: { url?: string | undefined } | undefined
  /** Whether each handler's run is an OpenTelemetry span; false. Needs `@opentelemetry/api`. */
  tracing?: boolean | undefined
  /**
   * Writes events and answers into `.botwright/history.db` (`framework dev`: `history.dev.db`), for `framework events` and `framework replay`: `true` keeps
   * `{ days: 7, events: 100_000 }`. `framework dev` records unless it says `false`.
   */
  record?: boolean | { days?: number | undefined; events?: number | undefined } | undefined
  /** The variables that the bot reads, as `z.object({ … })`: checked when it starts, given to handlers as `ctx.env`. */
  env?: EnvSchema | undefined
  /** Where the bot keeps its values, instead of `state.db` in its folder of state: `({ clock }) => keyValueStore(storage, clock)`. */
  store?: ((host: StoreHost) => StateStore | Promise<StateStore>) | undefined
  /** Plugins with their options, by the names under which their buttons and their state live: `{ counting: counting({ … }) }`. */
  plugins?: Record<string, PluginUse> | undefined
}

/** What stands in a configuration once every default is filled in. */
export interface FilledConfig {
  delivery: 'poll' | 'webhook' | 'both'
  start: 'now' | 'kept'
  limits: { handlerSeconds: number; graceSeconds: number; waiting: number; workers: number }
  answerBots: boolean
  help: boolean
  language?: OwnLanguage | undefined
  messageBudget?: false | MessageBudget | undefined
  webhook: { port: number; host: string; path: string }
  catchUp?: CatchUp | undefined
  health?: { port: number; host: string } | undefined
  cluster?: { url?: string | undefined } | undefined
  tracing: boolean
  record?: boolean | HistoryBounds | undefined
  store?: ((host: StoreHost) => StateStore | Promise<StateStore>) | undefined
}

/** A bot's configuration with every default filled in. Durations are seconds. */
export interface Config extends FilledConfig {
  /** The values of the variables that the bot declares. Plain data, as all of this is. */
  readonly env?: EnvValues
  /** The names of those whose values the log hides. */
  readonly hiddenEnv?: readonly string[]
  /** The options of each plugin, as its schema gives them. */
  readonly plugins?: Readonly<Record<string, { options: unknown }>>
}

/** Writes down a bot's configuration with its types; the default export of `bot.config.ts`. It is checked when the bot starts. */
export const defineConfig = <const E extends EnvSchema = EnvSchema>(
  config: ConfigInput & { env?: E },
): ConfigInput & { env?: E } => config

/** How far back events of a type are made up for: so old at most, all of them, or while the click is open. */
export type CatchUpLimit = number | 'all' | 'open'

/** For which types a limit may be given: those of the interface, types that it does not list, and all others. */
type Limited = EventType | 'unknown' | 'default'

/** `catchUp` of `bot.config.ts` as it is written: `{ message: '2m', member_join: 'all', interaction: 'open', default: '1h' }`. */
export type CatchUpInput = {
  [Type in Limited]?: Duration | 'all' | (Type extends 'interaction' ? 'open' : never) | undefined
}

/** The limits in milliseconds. */
export type CatchUp = { [Type in Limited]?: CatchUpLimit | undefined }

/** How much of its past a bot keeps. */
export interface HistoryBounds {
  days: number
  events: number
}

/** The files in a bot's state folder: what `framework start` recorded, and what `framework dev` did. */
export const historyNames = { start: 'history.db', dev: 'history.dev.db' } as const

/** Kept when nothing else is said. */
export const usualBounds: HistoryBounds = { days: 7, events: 100_000 }

/** What is kept; undefined where nothing is. `byItself`: records unless the configuration says no, as `framework dev` does. */
export function boundsOf(
  { record }: { readonly record?: boolean | HistoryBounds | undefined },
  byItself: boolean,
): HistoryBounds | undefined {
  if (record === undefined) return byItself ? usualBounds : undefined
  if (record === false) return undefined
  return record === true ? usualBounds : record
}

/** A bot's configuration where no `bot.config.ts` says otherwise. Durations are seconds. */
export const defaults = {
  delivery: 'poll',
  start: 'now',
  limits: { handlerSeconds: 60, graceSeconds: 10, waiting: 1000, workers: 1 },
  answerBots: false,
  help: true,
  tracing: false,
  webhook: { port: 8788, host: '127.0.0.1', path: '/' },
} as const
