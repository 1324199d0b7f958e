import { BotwrightError } from '@botwright/protocol/facts'
import { passwordsOf, type Variables } from '../../link/redaction.ts'

/** The variable that holds the address of Redis where nothing else is said. */
const USUAL = 'BOT_CLUSTER_URL'

const isName = (text: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(text)

/**
 * Where the machines of a bot meet: what the command line says, or `BOT_CLUSTER_URL`, or `cluster` of `bot.config.ts`. Undefined for a
 * bot that runs on one machine. Throws `ERR_CONFIG` when a variable that is named is not set, and when a password stands in the file.
 */
export function clusterUrl(
  config: { cluster?: { url?: string | undefined } | undefined },
  env: Variables,
  given?: string,
): string | undefined {
  const usual = env[USUAL]?.trim() || undefined
  const url = given ?? usual ?? config.cluster?.url
  if (url === undefined && !config.cluster) return undefined
  const name = url === undefined ? USUAL : isName(url) ? url : undefined
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
      `bot.config.ts: cluster.url holds a password, which does not belong into a file of the bot: set ${USUAL} in the environment instead`,
    )
  return url
}

/** A password that was typed stands where every user of the machine can read it (`ps`): no longer than needed. */
export function hideTyped(url: string | undefined, who: string): void {
  if (passwordsOf(url).length > 0) process.title = who
}
