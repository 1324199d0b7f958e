import type { z } from 'zod'
import { defaults } from './config-defaults.ts'
import type { Config as ConfigSchema } from './config-schema.ts'
import type { Variables } from './environment/check-env.ts'
import type { EnvSchema, EnvValues } from './environment/env-schema.ts'

/** A bot's configuration with every default filled in. Durations are seconds. */
export type Config = Omit<z.output<typeof ConfigSchema>, 'env' | 'plugins'> & {
  /** The values of the variables that the bot declares. Plain data, as all of this is. */
  readonly env?: EnvValues
  /** The names of those whose values the log hides. */
  readonly hiddenEnv?: readonly string[]
  /** The options of each plugin, as its schema gives them. */
  readonly plugins?: Readonly<Record<string, { options: unknown }>>
}

/**
 * What `bot.config.ts` may say; all of it may be left out.
 * - `delivery`: how events come: `'poll'` (default), `'webhook'` or `'both'` (§4).
 * - `start`: where the very first start begins: `'now'` (default) or with the events that are still `'kept'` (§6: 1 day).
 * - `limits`: `handlerSeconds` 60 (a handler's greatest time), `graceSeconds` 10 (how long a stop waits for running handlers),
 *   `waiting` 1000 (events that may wait before the bot stops asking for more), `workers` 1 (threads that run handlers).
 * - `help`: whether there is a `/help` when no file makes one; true.
 * - `answerBots`: whether messages of other bots start commands; false.
 * - `messageBudget`: `{ requests, seconds }` instead of the 30 a minute of §8; `false` for none.
 * - `webhook`: where event webhooks are received: `port` 8788, `host` 127.0.0.1, `path` /.
 * - `store`: where the bot keeps its values, instead of `state.db` in its folder of state: `() => keyValueStore(storage)`.
 * - `catchUp`: how far back events are made up for after a stop, by their type: `{ message: '2m', member_join: 'all',
 *   interaction: 'open', default: '1h' }`. What is older is passed over; `'all'` where nothing is said.
 * - `health`: `port` and `host` (127.0.0.1) of `/livez`, `/readyz` and `/metrics`; none unless it is given here or as `BOT_HEALTH_PORT`.
 * - `tracing`: whether each handler's run is an OpenTelemetry span; false. Needs `@opentelemetry/api`.
 * - `record`: writes events and answers into `.botwright/history.db`, for `framework events` and `framework replay`: `true` keeps
 *   `{ days: 7, events: 100_000 }`. `framework dev` records unless it says `false`.
 * - `env`: the variables that the bot reads, as `z.object({ … })`: checked when it starts, given to handlers as `ctx.env`.
 * - `plugins`: plugins with their options, by the names under which their buttons and their state live.
 */
export type ConfigInput = z.input<typeof ConfigSchema>

/** Writes down a bot's configuration with its types; the default export of `bot.config.ts`. It is checked when the bot starts. */
export const defineConfig = <const E extends EnvSchema = EnvSchema>(
  config: ConfigInput & { env?: E },
): ConfigInput & { env?: E } => config

/**
 * Checks what a `bot.config.ts` exports and fills in the defaults; `undefined` (no such file) gives all defaults.
 * With `variables` those that it declares as `env` are checked too, and its `env` holds their values.
 * Rejects with `ERR_CONFIG`, naming the file and each wrong field, or each wrong variable.
 */
export async function readConfig(value: unknown, file = 'bot.config.ts', variables?: Variables): Promise<Config> {
  if (value === undefined || value === null) return defaults
  // Only a bot that has a configuration waits for the schema of one.
  const { checkConfig } = await import('./config-schema.ts')
  const { env, plugins, ...config } = checkConfig(value, file)
  const readPlugins = plugins && (await import('./plugins/read-options.ts')).readPluginOptions
  const more = readPlugins && { plugins: await readPlugins(value, file) }
  if (!env || !variables) return { ...config, ...more }
  const { checkEnv, hiddenNames } = await import('./environment/check-env.ts')
  return { ...config, ...more, env: checkEnv(env, variables, file), hiddenEnv: hiddenNames(env) }
}

/** What is said when the bot is started stands above its `bot.config.ts`. */
export interface ConfigOverrides {
  /** `--workers`. */
  workers?: number
  /** `BOT_HEALTH_PORT`. */
  healthPort?: number
}

export function withOverrides(config: Config, { workers, healthPort }: ConfigOverrides): Config {
  return {
    ...config,
    ...(workers !== undefined && { limits: { ...config.limits, workers } }),
    ...(healthPort !== undefined && { health: { host: '127.0.0.1', ...config.health, port: healthPort } }),
  }
}
