import { hideFromNow, passwordsOf, type Variables } from '../../link/redaction.ts'
import type { Log } from '../../author/ports.ts'
import { clusterUrl } from './cluster-url.ts'
import { findCluster } from './find-cluster.ts'
import type { ClusteredBot } from '../../runtime/ports/cluster.ts'

/**
 * Looks at what `framework start` would meet: undefined for a bot that runs on one machine, else what is allowed and worth knowing.
 * Rejects with what the start would: `ERR_CONFIG`, `ERR_CLUSTER`.
 */
export async function checkCluster(options: {
  config: { cluster?: { url?: string | undefined } | undefined }
  env: Variables
  /** The bot's folder. */
  root: string
  bot: ClusteredBot
}): Promise<{ notes: string[] } | undefined> {
  const { config, env, root, bot } = options
  const url = clusterUrl(config, env)
  if (url === undefined) return undefined
  hideFromNow(...passwordsOf(url))
  const notes: string[] = []
  const log: Log = {
    ...{ debug() {}, info() {}, error() {} },
    warn: (_facts: unknown, text: string) => void notes.push(text),
  }
  const cluster = await findCluster(url, root, 'framework start --cluster')
  await cluster.check(bot, log)
  return { notes }
}
