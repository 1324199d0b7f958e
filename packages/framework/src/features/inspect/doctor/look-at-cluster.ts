import { isBotwrightError } from '@botwright/protocol/facts'
import { createCall } from '@botwright/rest'
import { checkCluster } from '../../../program/cluster/find-cluster.ts'
import { readEnv } from '../../../program/env.ts'
import { fault, ok, warning, type Finding } from './finding.ts'

/** Checks the package and the Redis of a bot that runs as a cluster; returns nothing if no cluster is configured. */
export async function lookAtCluster(
  root: string,
  config: { cluster?: { url?: string | undefined } | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  try {
    const found = await checkCluster({ config, env, root, bot: await whichBot(env) })
    if (!found) return []
    if (found.notes.length === 0) return [ok('cluster', 'Redis responds and is configured correctly')]
    return found.notes.map((note) => warning('cluster', note, 'see "Redis" in the cluster guide'))
  } catch (error) {
    if (!isBotwrightError(error)) throw error
    const [, fact = error.message, fix = 'compare with "Redis" in the cluster guide'] =
      /^(.*): (npm i .*|set it to the URL .*|set BOT_CLUSTER_URL .*)$/s.exec(error.message) ?? []
    return [fault('cluster', fact.replace(/^cluster: /, ''), fix, error.code)]
  }
}

/** Each bot has keys of its own. If the service does not identify the bot, a placeholder is used. */
async function whichBot(env: NodeJS.ProcessEnv): Promise<{ baseUrl: string; botId: string }> {
  const unknown = { baseUrl: 'unknown', botId: 'unknown' }
  try {
    const { token, baseUrl } = readEnv(env)
    const call = createCall({ baseUrl, token, messageBudget: false })
    try {
      return { baseUrl, botId: (await call('me.get', {}, { signal: AbortSignal.timeout(PATIENCE_MS) })).id }
    } finally {
      await call[Symbol.asyncDispose]()
    }
  } catch {
    return unknown
  }
}

const PATIENCE_MS = 3000
