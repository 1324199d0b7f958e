import { resolve } from 'node:path'
import { BotwrightError, lowerId } from '@botwright/protocol/facts'
import type { StateStore } from '../../author/ports.ts'
import { configuredUrl, reachCluster } from './reach-cluster.ts'
import type { ProgramIo } from '../../program/program-io.ts'
import { storeIn } from './state-file.ts'
import { hasEnded } from './temporary-bots.ts'

export interface StoreOptions {
  io: Pick<ProgramIo, 'cwd' | 'env'>
  /** The folder of the state, instead of the cluster that is configured. */
  stateDir?: string | undefined
  /** Only this bot. */
  botId?: string | undefined
  /** The Redis of a cluster. */
  url?: string | undefined
}

/** The values of one bot. */
export interface BotStore {
  botId: string
  store: StateStore
  /** It was the bot of a `framework dev` that kept its data in memory, and has ended. */
  ended: boolean
}

/** Calls `work` with the values of each bot of the folder, or of the bot of the cluster. `idsIn`: the bots of a folder. */
export async function withStores<T>(
  { who, idsIn }: { who: string; idsIn: (folder: string) => string[] },
  { io, stateDir, botId, url }: StoreOptions,
  work: (bots: BotStore[]) => Promise<T>,
): Promise<T> {
  const configured = url === undefined && stateDir === undefined ? await configuredUrl(io.cwd, io.env) : undefined
  if (url !== undefined || configured !== undefined) {
    const given = url !== undefined && { url }
    const { cluster, bot } = await reachCluster({ who, io, configured, ...given })
    return cluster.withStore(bot, (store) => work([{ botId: bot.botId, store, ended: false }]))
  }
  const folder = resolve(io.cwd, stateDir ?? '.botwright')
  const known = idsIn(folder)
  const ids = known.filter((id) => botId === undefined || id === lowerId(botId))
  if (botId !== undefined && ids.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${folder} has no values of the bot ${botId}; it has those of: ${known.join(', ') || 'no bot'}`,
    )
  const stores = ids.map((id) => storeIn(folder, id))
  try {
    const bots = stores.map(async (store, at) => ({ botId: ids[at]!, store, ended: await hasEnded(store) }))
    return await work(await Promise.all(bots))
  } finally {
    for (const store of stores) store.close()
  }
}
