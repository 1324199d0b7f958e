import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Cluster, ClusteredBot } from '../../runtime/ports/cluster.ts'
import type { Variables } from '../../author/env-schema.ts'
import { hideFromNow, passwordsOf } from '../../link/redaction.ts'
import type { Log } from '../../author/ports.ts'
import { clusterUrl } from './cluster-url.ts'

/** The exports of `@botwright/cluster`. */
interface ClusterPackage {
  redisCluster: (url: string) => Cluster
}

/**
 * Loads `@botwright/cluster` from the bot's own folder, because bots with a single instance do not install it.
 * Throws `ERR_CONFIG` if it is not installed. `who`: the command that requires it, such as `framework start --cluster`.
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

/** What to install. A bot that was created from a checkout has its own packed copy, which no registry has. */
function sourceOf(folder: string): string {
  try {
    const packed = readdirSync(join(folder, 'packages.local')).find((name) => /^botwright-cluster-.*\.tgz$/.test(name))
    if (packed !== undefined) return `./packages.local/${packed}`
  } catch {
    // The bot's packages are from a registry.
  }
  return '@botwright/cluster'
}

/**
 * Checks the cluster as `framework start` would. Returns notes, or undefined for a bot with a single instance.
 * Rejects with the errors of the start: `ERR_CONFIG`, `ERR_CLUSTER`.
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
