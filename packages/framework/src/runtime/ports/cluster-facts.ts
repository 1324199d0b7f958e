import type { ClusterStatus, MemberStatus } from './cluster.ts'

/** How an instance of a cluster stands, for the health of its process. */
export interface ClusterFacts {
  member: MemberStatus
  /** How often this instance became the leader. */
  takeovers: number
  /** Calls that were not let out because others may have taken over what they were made for. */
  fenced: number
  /** The whole cluster when it was last asked about. */
  cluster?: ClusterStatus
}
