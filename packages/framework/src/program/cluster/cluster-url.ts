import { BotwrightError } from '@botwright/protocol/facts'
import type { Variables } from '../../author/env-schema.ts'
import { passwordsOf } from '../../link/redaction.ts'

/** The default variable for the URL of Redis. */
const VARIABLE = 'BOT_CLUSTER_URL'

const isName = (text: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(text)

/**
 * The URL of the cluster's Redis, from the command line, `BOT_CLUSTER_URL`, or `cluster` of `bot.config.ts`. Undefined for a bot with a
 * single instance. Throws `ERR_CONFIG` if a named variable is not set or the file contains a password.
 */
export function clusterUrl(
  config: { cluster?: { url?: string | undefined } | undefined },
  env: Variables,
  given?: string,
): string | undefined {
  const fromEnv = env[VARIABLE]?.trim() || undefined
  const url = given ?? fromEnv ?? config.cluster?.url
  if (url === undefined && !config.cluster) return undefined
  const name = url === undefined ? VARIABLE : isName(url) ? url : undefined
  if (name !== undefined) {
    const value = env[name]?.trim()
    if (value) return value
    throw new BotwrightError(
      'ERR_CONFIG',
      `${name} is not set, and bot.config.ts has a cluster: set it to the URL of Redis, such as redis://127.0.0.1:6379`,
    )
  }
  if (url === config.cluster?.url && passwordsOf(url).length > 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `bot.config.ts: cluster.url contains a password: remove it, and set ${VARIABLE} in the environment instead`,
    )
  return url
}

/** Hides a password on the command line from `ps`, where every user of the computer could read it. */
export function hideProcessTitle(url: string | undefined, who: string): void {
  if (passwordsOf(url).length > 0) process.title = who
}
