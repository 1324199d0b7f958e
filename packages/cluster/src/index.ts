export { redisCluster } from './lib/redis-cluster.ts'
