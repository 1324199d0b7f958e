import type { ClusterStatus } from '../../runtime/ports/cluster.ts'

/** How long the oldest event that no instance has started has waited; 0 if none waits. */
export function clusterLagSeconds({ partitions }: Pick<ClusterStatus, 'partitions'>, nowMs: number): number {
  const oldestMs = Math.min(nowMs, ...partitions.map(({ oldestAtMs }) => oldestAtMs ?? nowMs))
  return Math.round(nowMs - oldestMs) / 1000
}
