export type { Cluster } from '@botwright/framework/cluster'
export { redisCluster } from './lib/redis-cluster.ts'
