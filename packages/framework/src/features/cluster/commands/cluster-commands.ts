import { printableLine } from '@botwright/protocol/facts'
import { systemClock } from '@botwright/clock'
import { durationText } from '../../../author/time/duration.ts'
import { exitCodes } from '../../../program/exit-codes.ts'
import { clusterLagSeconds } from '../cluster-lag.ts'
import type { ClusterStatus } from '../../../runtime/ports/cluster.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { table } from '../../../program/table.ts'
import { reachCluster } from '../../stored-state/reach-cluster.ts'

interface ClusterOptions {
  io: ProgramIo
  /** The Redis of the cluster. */
  url?: string
}

/** `framework cluster status`. Resolves with the exit code, which is `nobodyLeads` if there is no leader, for monitoring. */
export async function clusterStatusCommand({ io, json, url }: ClusterOptions & { json: boolean }): Promise<number> {
  const { cluster, bot } = await reachCluster({
    who: 'framework cluster status',
    io,
    ...(url !== undefined && { url }),
  })
  const status = await cluster.status(bot)
  const { nowMs = systemClock.now() } = status
  io.stdout.write(`${json ? JSON.stringify(plainStatus(status, nowMs)) : statusText(status, nowMs)}\n`)
  return status.leader === undefined ? exitCodes.nobodyLeads : 0
}

/** The JSON output. Without the data of events: a click's contains its token. */
function plainStatus(status: ClusterStatus, nowMs: number): object {
  const { instances, leader, term, cursor, partitions, setAside } = status
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    leader: leader ?? null,
    term,
    position: cursor ? { after: cursor.after, saved_at: iso(cursor.savedAtMs) } : null,
    lag_seconds: clusterLagSeconds(status, nowMs),
    instances: instances.map(({ id, leads, joinedAtMs, seenAtMs, partitions: owned, waiting, running, version }) => {
      const times = { joined_at: iso(joinedAtMs), seen_at: iso(seenAtMs) }
      return { id, leads, version, partitions: owned, waiting, running, ...times }
    }),
    partitions: partitions.map(({ name, owner, waiting, running, oldestAtMs }) => {
      const oldest = oldestAtMs === undefined ? null : iso(oldestAtMs)
      return { name, owner: owner ?? null, waiting, running, oldest_at: oldest }
    }),
    set_aside: setAside.map(({ event, reason, atMs }) => {
      return { id: event.id, type: event.type, reason, set_aside_at: iso(atMs) }
    }),
  }
}

/** The output for the terminal. */
function statusText(status: ClusterStatus, nowMs: number): string {
  const { instances, leader, term, cursor, partitions, setAside } = status
  const ago = (ms: number) => `${durationText(Math.max(nowMs - ms, 1000))} ago`
  const waiting = partitions.reduce((sum, partition) => sum + partition.waiting, 0)
  const running = partitions.reduce((sum, partition) => sum + partition.running, 0)
  const lag = clusterLagSeconds(status, nowMs)
  const lines = [
    leader === undefined ? 'Leader     none' : `Leader     ${printableLine(leader)} (term ${term})`,
    cursor ? `Position   event ${cursor.after}, saved ${ago(cursor.savedAtMs)}` : 'Position   none yet',
    `Events     ${waiting} waiting, ${running} running; lag ${durationText(lag * 1000)}`,
    `Set aside  ${setAside.length}`,
    '',
    ...table(
      ['Instance', 'Version', 'Partitions', 'Waiting', 'Running', 'Joined', 'Seen'],
      instances.map(({ id, leads, version, joinedAtMs, seenAtMs, ...counts }) => {
        const numbers = [counts.partitions, counts.waiting, counts.running].map(String)
        return [leads ? `${id} *` : id, version, ...numbers, ago(joinedAtMs), ago(seenAtMs)]
      }),
    ),
  ]
  if (instances.length === 0) lines.push('no instance is running: start one with framework start --cluster')
  if (partitions.length > 0) {
    const rows = partitions.map(({ name, owner = 'none', waiting: waits, running: runs, oldestAtMs }) => {
      return [name, owner, String(waits), String(runs), oldestAtMs === undefined ? '' : ago(oldestAtMs)]
    })
    lines.push('', ...table(['Partition', 'Owner', 'Waiting', 'Running', 'Oldest'], rows))
  }
  if (setAside.length > 0) {
    const rows = setAside.map(({ event, reason, atMs }) => [String(event.id), event.type, ago(atMs), reason])
    lines.push('', ...table(['Event', 'Type', 'Set aside', 'Reason'], rows))
    const [first] = setAside
    lines.push(
      '',
      `To run them again once the cause is fixed: framework cluster replay ${first!.event.id}, or framework cluster replay --all`,
    )
  }
  return lines.join('\n')
}

/** `framework cluster replay`. Resolves with the exit code, which is `failed` if an event is not set aside. */
export async function clusterReplayCommand(
  options: ClusterOptions & {
    ids: readonly number[] | 'all'
    json: boolean
  },
): Promise<number> {
  const { ids, io, json, url } = options
  const { cluster, bot } = await reachCluster({
    who: 'framework cluster replay',
    io,
    ...(url !== undefined && { url }),
  })
  const replayed = await cluster.replay(bot, ids)
  const missing = ids === 'all' ? [] : ids.filter((id) => !replayed.includes(id))
  if (json) io.stdout.write(`${JSON.stringify({ replayed, missing })}\n`)
  else if (replayed.length > 0) io.stdout.write(`run again, on any instance: ${replayed.join(', ')}\n`)
  else if (ids === 'all') io.stdout.write('no event is set aside\n')
  if (missing.length > 0 && !json)
    io.stderr.write(`${missing.join(', ')}: not set aside; framework cluster status lists the events that are\n`)
  return missing.length > 0 ? exitCodes.failed : 0
}

/** `framework cluster partitions`. Resolves with the exit code. */
export async function clusterPartitionsCommand({
  partitions,
  io,
  url,
}: ClusterOptions & { partitions: number }): Promise<number> {
  const who = 'framework cluster partitions'
  const { cluster, bot } = await reachCluster({ who, io, ...(url !== undefined && { url }) })
  await cluster.repartition(bot, partitions)
  io.stdout.write(`the bot now has ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}\n`)
  return 0
}
