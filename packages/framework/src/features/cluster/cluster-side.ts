import type { Call } from '@botwright/rest'
import type { ClusterClaims } from './cluster-claims.ts'
import type { ClusterMember } from '../../runtime/ports/cluster.ts'

/** The services that all parts of an instance share. */
export interface ClusterSide {
  readonly member: ClusterMember
  readonly claims: ClusterClaims
  /** Calls that the fence refused. */
  readonly fenced: number
  /** The client for calls made on behalf of handlers. */
  callOf(call: Call): Call
}
