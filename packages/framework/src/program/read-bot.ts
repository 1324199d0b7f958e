import { orAborted } from '@botwright/clock/timers'
import { BotwrightError } from '@botwright/protocol/facts'
import { type ConfigOverrides, withOverrides } from '../runtime/config/read-config.ts'
import { hasCode } from '../author/error-code.ts'
import { hiddenValues, hideFromNow, passwordsOf } from '../link/redaction.ts'
import { readBuild, readBuiltConfig } from './build-manifest.ts'
import { clusterUrl } from './cluster/cluster-url.ts'
import { readEnv } from './env.ts'
import { readPackageJson } from './package-json.ts'

/** Where a built bot is, and what the command line sets. */
export interface BotPlace extends Pick<ConfigOverrides, 'workers' | 'controlActions'> {
  /** The output folder of `framework build`. */
  folder: string
  /** The folder of the bot. */
  root: string
  env: NodeJS.ProcessEnv
  clusterUrl?: string | undefined
  /** Ends the wait for the configuration. */
  signal?: AbortSignal
}

/** Reads a built bot, its configuration and its variables. `options`: loads the cluster, if it has one. Throws `ERR_CONFIG`. */
export async function readBot({ folder, root, env, clusterUrl: given, signal, ...overrides }: BotPlace) {
  const loading = orAborted(loadSource(folder, root, env), signal)
  const [botEnv, { source, fileConfig }] = await allOf((async () => readEnv(env))(), loading)
  const { token, baseUrl, webhookSecret, logLevel, controlToken, ...ports } = botEnv
  const config = withOverrides(fileConfig, { ...overrides, ...ports })
  const url = clusterUrl(config, env, given)
  const secrets = [token, webhookSecret, controlToken, ...passwordsOf(url), ...hiddenValues(config.hiddenEnv, env)]
  const options = async () => ({
    ...{ source, config, baseUrl, token },
    // Shown in the status of a cluster during a rolling upgrade.
    version: String(readPackageJson(root)?.version ?? 'unknown'),
    ...(url !== undefined && { cluster: await loadCluster(url, root, secrets) }),
    ...(controlToken !== undefined && { controlToken }),
    ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }),
  })
  return { source, config, controlToken, logLevel, secrets, options }
}

async function loadSource(folder: string, root: string, env: NodeJS.ProcessEnv) {
  const built = readBuild(folder, root)
  return { ...built, fileConfig: await readBuiltConfig(built, env) }
}

/** Resolves with both results, or rejects with the configuration errors of both, so that users can fix them all at once. */
async function allOf<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value]
  const reasons = [first, second].flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
  if (!reasons.every((reason) => hasCode(reason, 'ERR_CONFIG'))) throw reasons[0]!
  throw new BotwrightError('ERR_CONFIG', reasons.map(({ message }) => message).join('\n'))
}

/** Loaded only for bots that run as a cluster. */
async function loadCluster(url: string, root: string, secrets: readonly (string | undefined)[]) {
  hideFromNow(...secrets)
  const { findCluster } = await import('./cluster/find-cluster.ts')
  return findCluster(url, root, 'framework start --cluster')
}
