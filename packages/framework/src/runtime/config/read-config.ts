import { type Config, defaults } from '../../author/config/config.ts'
import type { Variables } from '../../link/redaction.ts'

/**
 * Checks the exports of a `bot.config.ts` and fills in the defaults; `undefined` (no such file) returns all defaults.
 * With `variables`, those that it declares as `env` are checked too, and its `env` contains their values.
 * Rejects with `ERR_CONFIG`, naming the file and each wrong field, or each wrong variable.
 */
export async function readConfig(value: unknown, file = 'bot.config.ts', variables?: Variables): Promise<Config> {
  if (value === undefined || value === null) return defaults
  // Only a bot with a configuration loads its schema.
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
  healthPort?: number
}

/** The configuration with these overrides. */
export function withOverrides(config: Config, { workers, healthPort }: ConfigOverrides): Config {
  return {
    ...config,
    ...(workers !== undefined && { limits: { ...config.limits, workers } }),
    ...(healthPort !== undefined && { health: { host: '127.0.0.1', ...config.health, port: healthPort } }),
  }
}
