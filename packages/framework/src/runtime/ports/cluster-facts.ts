import type { ClusterStatus, MachineStatus } from './cluster.ts'

/** How a machine of a cluster stands, for the health of its process. */
export interface ClusterFacts {
  machine: MachineStatus
  /** How often this instance became the leader. */
  takeovers: number
  /** Calls that were not let out because others may have taken over what they were made for. */
  fenced: number
  /** The whole cluster when it was last asked about. */
  cluster?: ClusterStatus
}
