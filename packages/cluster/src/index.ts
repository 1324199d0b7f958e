export type { Cluster } from '@botwright/framework/cluster'
