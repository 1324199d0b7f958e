import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Cluster, ClusteredBot } from '../../runtime/ports/cluster.ts'
import { hideFromNow, passwordsOf, type Variables } from '../../link/redaction.ts'
import type { Log } from '../../author/ports.ts'
import { clusterUrl } from './cluster-url.ts'

/** What `@botwright/cluster` gives. */
interface ClusterPackage {
  redisCluster: (url: string) => Cluster
}

/**
 * Looks the engine up from the bot's own folder, at run time: a bot that runs on one machine neither has nor loads it.
 * Throws `ERR_CONFIG` where it is not installed. `who` needs it: `framework start --cluster`.
 */
export async function findCluster(url: string, folder: string, who: string): Promise<Cluster> {
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve('@botwright/cluster')
  } catch {
    throw new BotwrightError('ERR_CONFIG', `${who} needs @botwright/cluster: npm i ${sourceOf(folder)}`)
  }
  const { redisCluster } = (await import(pathToFileURL(path).href)) as ClusterPackage
  return redisCluster(url)
}

/** What to install: a bot that was made from a checkout has the package beside it, and no registry does. */
function sourceOf(folder: string): string {
  try {
    const packed = readdirSync(join(folder, 'packages.local')).find((name) => /^botwright-cluster-.*\.tgz$/.test(name))
    if (packed !== undefined) return `./packages.local/${packed}`
  } catch {
    // Its packages come from a registry.
  }
  return '@botwright/cluster'
}

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
