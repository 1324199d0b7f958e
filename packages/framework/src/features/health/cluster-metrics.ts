import { clusterLagSeconds } from '../cluster/cluster-lag.ts'
import type { HealthFacts } from '../problems/health-facts.ts'
import type { MetricTable } from './metrics.ts'

/** The metrics of an instance of a cluster, in addition to those of every bot. docs/cluster-reference.md has the same rows. */
export const clusterMetrics: MetricTable = {
  botwright_cluster_leads: ['1 when this instance leads', ({ bot }) => Number(bot?.cluster?.member.leads ?? false)],
  botwright_cluster_member: [
    '1 while this instance holds its lease',
    ({ bot }) => Number(bot?.cluster?.member.member ?? false),
  ],
  botwright_cluster_takeovers_total: [
    'How often this instance became the leader',
    ({ bot }) => bot?.cluster?.takeovers,
  ],
  botwright_cluster_fenced_total: [
    'Calls that were blocked because another instance had taken over',
    ({ bot }) => bot?.cluster?.fenced,
  ],
  botwright_cluster_term: ['Number of the current term', ({ bot }) => bot?.cluster?.cluster?.term],
  botwright_cluster_instances: [
    'Instances that hold their lease',
    ({ bot }) => bot?.cluster?.cluster?.instances.length,
  ],
  botwright_cluster_waiting: [
    'Events waiting in the partitions',
    ({ bot }) => bot?.cluster?.cluster?.partitions.reduce((sum, { waiting }) => sum + waiting, 0),
  ],
  botwright_cluster_instance_waiting: [
    'Events waiting in the partitions of this instance',
    (facts) => ownOf(facts)?.waiting,
  ],
  botwright_cluster_instance_partitions: ['Partitions that this instance owns', (facts) => ownOf(facts)?.partitions],
  botwright_cluster_partition_waiting_max: [
    'Events waiting in the partition with the most',
    ({ bot }) => bot?.cluster?.cluster && Math.max(0, ...bot.cluster.cluster.partitions.map(({ waiting }) => waiting)),
  ],
  botwright_cluster_lag_seconds: [
    'How long the oldest event has waited in the partitions',
    ({ bot, nowMs }) => bot?.cluster?.cluster && clusterLagSeconds(bot.cluster.cluster, nowMs),
  ],
  botwright_cluster_set_aside: [
    'Events set aside; rerun them with framework cluster replay',
    ({ bot }) => bot?.cluster?.cluster?.setAside.length,
  ],
}

const ownOf = ({ bot }: HealthFacts) => bot?.cluster?.cluster?.instances.find(({ id }) => id === bot.cluster?.member.id)
