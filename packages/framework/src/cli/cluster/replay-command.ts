import { exitCodes } from '../exit-codes.ts'
import { reachCluster } from './reach-cluster.ts'

/** `framework cluster replay`. Resolves with the exit code: `failed` when an event is not set aside. */
export async function clusterReplayCommand(options: {
  ids: readonly number[] | 'all'
  json: boolean
  url?: string
}): Promise<number> {
  const { ids, json, url } = options
  const { cluster, bot } = await reachCluster({ who: 'framework cluster replay', ...(url !== undefined && { url }) })
  const replayed = await cluster.replay(bot, ids)
  const missing = ids === 'all' ? [] : ids.filter((id) => !replayed.includes(id))
  if (json) process.stdout.write(`${JSON.stringify({ replayed, missing })}\n`)
  else if (replayed.length > 0) process.stdout.write(`run again, on any instance: ${replayed.join(', ')}\n`)
  else if (ids === 'all') process.stdout.write('no event is set aside\n')
  if (missing.length > 0 && !json)
    process.stderr.write(`${missing.join(', ')}: not set aside; framework cluster status lists the events that are\n`)
  return missing.length > 0 ? exitCodes.failed : 0
}
