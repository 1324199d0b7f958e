import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BotMetrics } from './metrics.ts'
import type { HealthFacts } from '../problems/health-facts.ts'
import { readinessOf } from './readiness.ts'
import { clusterLagSeconds } from '../cluster/cluster-lag.ts'
import { clusterMetrics } from './cluster-metrics.ts'
import type { MemberStatus } from '../../runtime/ports/cluster.ts'

const member: MemberStatus = { id: 'one', leads: false, member: true, engine: 'Redis', running: 0 }
const facts = (status: Partial<MemberStatus>, stats: object = {}) =>
  ({
    state: 'running',
    nowMs: 0,
    monotonicMs: 1_000_000,
    delivery: 'poll',
    mostWaiting: 10,
    bot: {
      stats,
      rest: {},
      setAside: 0,
      runs: { counts: {}, countWaiting: () => 0 },
      cluster: { member: { ...member, ...status }, takeovers: 2, fenced: 1 },
    },
  }) as unknown as HealthFacts

test('the lag is the time for which the oldest event waits', () => {
  const partitions = [
    { name: 'p1', waiting: 2, running: 1, oldestAtMs: 4000 },
    { name: 'p2', waiting: 0, running: 1 },
  ]
  expect(clusterLagSeconds({ partitions }, 6500)).toBe(2.5)
  expect(clusterLagSeconds({ partitions: [] }, 6500)).toBe(0)
})

test('docs/cluster-reference.md lists every metric, and every metric is returned', async () => {
  const page = readFileSync(new URL('../../../docs/cluster-reference.md', import.meta.url), 'utf8')
  const told = [...page.matchAll(/^\| `(botwright_cluster_\w+)`/gm)].map(([, name]) => name)
  expect(told).toEqual(Object.keys(clusterMetrics))
  using metrics = new BotMetrics(() => facts({ leads: true }), clusterMetrics)
  const text = await metrics.text()
  expect(text).toContain('\nbotwright_cluster_leads 1\n')
  expect(text).toContain('\nbotwright_cluster_takeovers_total 2\n')
  using alone = new BotMetrics(() => facts({}))
  expect(await alone.text()).not.toContain('botwright_cluster')
})

test('an instance is ready while its lease holds and Redis answers; only the leader needs a poll for it', () => {
  expect(readinessOf(facts({})).reasons).toEqual([])
  expect(readinessOf(facts({ member: false, awaySinceMs: 990_000 })).reasons).toEqual([
    'Redis has not responded for 10 s',
    'the lease of this instance has expired',
  ])
  expect(readinessOf(facts({ member: false, refused: 'its memory is used up' })).reasons).toEqual([
    'the lease of this instance has expired: Redis refuses it: its memory is used up',
  ])
  expect(readinessOf(facts({ leads: true })).reasons).toEqual(['no poll has succeeded yet'])
  expect(readinessOf(facts({ leads: true }, { lastPollMs: 999_000 })).reasons).toEqual([])
})
