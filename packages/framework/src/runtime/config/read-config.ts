import { type Config, defaults } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'

/**
 * Checks the exports of a `bot.config.ts` and fills in the defaults. `undefined` means that there is no such file and returns all
 * defaults. With `variables`, the variables declared in `env` are checked too, and the `env` of the result contains their values.
 * Rejects with `ERR_CONFIG`, naming the file and each invalid field, or each invalid variable.
 */
export async function readConfig(value: unknown, file = 'bot.config.ts', variables?: Variables): Promise<Config> {
  if (value === undefined || value === null) return defaults
  // Loaded lazily: a bot without a configuration does not load the schema.
  const { checkConfig } = await import('./config-schema.ts')
  const { env, plugins, ...config } = checkConfig(value, file)
  const readPlugins = plugins && (await import('./read-options.ts')).readPluginOptions
  const more = readPlugins && { plugins: await readPlugins(value, file) }
  if (!env || !variables) return { ...config, ...more }
  const { checkEnv, hiddenNames } = await import('./check-env.ts')
  return { ...config, ...more, env: checkEnv(env, variables, file), hiddenEnv: hiddenNames(env) }
}

/** Options of the command line and the environment, which override `bot.config.ts`. */
export interface ConfigOverrides {
  /** `--workers`. */
  workers?: number
  /** `BOT_HEALTH_PORT`. */
  healthPort?: number | undefined
  /** `BOT_HTTP_PORT`. */
  httpPort?: number | undefined
  /** `--control-actions`. */
  controlActions?: boolean
}

/** Returns the configuration with these overrides. */
export function withOverrides(
  config: Config,
  { workers, healthPort, httpPort, controlActions }: ConfigOverrides,
): Config {
  const health = healthPort === undefined ? config.health : { host: '127.0.0.1', ...config.health, port: healthPort }
  return {
    ...config,
    ...(workers !== undefined && { limits: { ...config.limits, workers } }),
    ...(httpPort !== undefined && { http: { host: '127.0.0.1', ...config.http, port: httpPort } }),
    ...(health && { health: { ...health, ...(controlActions && { control: { actions: true } }) } }),
  }
}
