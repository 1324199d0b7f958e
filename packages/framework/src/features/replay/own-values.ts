import { BotwrightError } from '@botwright/protocol/facts'
import type { Config } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'
import type { StateStore, StoreHost } from '../../author/ports.ts'
import type { BotSource } from '../../link/ports.ts'
import { hideFromNow, passwordsOf } from '../../link/redaction.ts'
import { clusterUrl } from '../../program/cluster/cluster-url.ts'
import { findCluster } from '../../program/cluster/find-cluster.ts'
import type { Cluster, ClusteredBot } from '../../runtime/ports/cluster.ts'
import type { RecordedBy } from '../history/choose-history.ts'

interface OwnValues extends AsyncDisposable {
  store: StateStore
}

/**
 * Opens the values of a bot that does not keep them in its folder, but in the store of `bot.config.ts` or in its cluster. Throws
 * `ERR_ALREADY_RUNNING` if instances of the cluster are running.
 */
export async function openOwnValues(
  { config, source, env, recordedBy }: { config: Config; source: BotSource; env: Variables; recordedBy?: RecordedBy },
  bot: StoreHost & ClusteredBot,
): Promise<OwnValues | undefined> {
  if (config.store) return { store: await config.store(bot), [Symbol.asyncDispose]: async () => {} }
  const url = recordedBy === 'dev' ? undefined : clusterUrl(config, env)
  if (url === undefined) return undefined
  hideFromNow(...passwordsOf(url))
  const cluster = await findCluster(url, source.root, 'framework replay')
  const { instances } = await cluster.status(bot)
  if (instances.length > 0)
    throw new BotwrightError(
      'ERR_ALREADY_RUNNING',
      `instances of this bot are running in its cluster (${instances.map(({ id }) => id).join(', ')}); stop them first, or they will answer too`,
    )
  return valuesOf(cluster, bot)
}

/** The values of a cluster. */
function valuesOf(cluster: Cluster, bot: ClusteredBot): Promise<OwnValues> {
  return new Promise((resolve, reject) => {
    const closed = cluster.withStore(bot, (store) => {
      return new Promise<void>((end) => {
        const close = (): Promise<void> => (end(), closed)
        resolve({ store, [Symbol.asyncDispose]: close })
      })
    })
    closed.catch(reject)
  })
}
