import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { systemClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { createCall } from '@botwright/rest'
import { buildManifestName, readBuild, readBuiltConfig } from '../../program/build-manifest.ts'
import type { Config } from '../../author/config/config.ts'
import { loadEnvFile, readEnv } from '../../program/env.ts'
import type { ProgramIo } from '../../program/program-io.ts'
import { hideFromNow, passwordsOf } from '../../link/redaction.ts'
import { clusterUrl, hideProcessTitle } from '../../program/cluster/cluster-url.ts'
import { findCluster } from '../../program/cluster/find-cluster.ts'
import type { Cluster, ClusteredBot } from '../../runtime/ports/cluster.ts'

/** The cluster of the bot in this folder, and the bot's identity from the service. Does not run the bot. */
export async function reachCluster(options: {
  url?: string
  /** From `configuredUrl`, if the caller has read it. */
  configured?: string | undefined
  who: string
  io: Pick<ProgramIo, 'cwd' | 'env'>
}): Promise<{ cluster: Cluster; bot: ClusteredBot }> {
  hideProcessTitle(options.url, options.who)
  const { cwd: root, env } = options.io
  loadEnvFile(root, env)
  const { token, baseUrl } = readEnv(env)
  const url = options.configured ?? clusterUrl(await configOf(root), env, options.url)
  if (url === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${options.who}: no cluster is configured: set BOT_CLUSTER_URL, or pass --cluster redis://127.0.0.1:6379`,
    )
  hideFromNow(token, ...passwordsOf(url))
  const cluster = await findCluster(url, root, options.who)
  await using call = createCall({ baseUrl, token, clock: systemClock, messageBudget: false })
  const { id } = await call('me.get', {})
  return { cluster, bot: { baseUrl, botId: id } }
}

/** Whether the bot in this folder is configured as a cluster. */
export const isClustered = async (root: string, env: NodeJS.ProcessEnv): Promise<boolean> =>
  (await configuredUrl(root, env)) !== undefined

/** The URL of the cluster that the bot in this folder is configured as. */
export async function configuredUrl(root: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    loadEnvFile(root, env)
    return clusterUrl(await configOf(root), env)
  } catch {
    return undefined
  }
}

/** The configuration of a build of the bot in this folder, if there is one. */
export async function configOf(root: string, folder = join(root, 'dist')): Promise<Partial<Config>> {
  return existsSync(join(folder, buildManifestName)) ? readBuiltConfig(readBuild(folder, root)) : {}
}
