import type { ClusterFacts } from '../../runtime/ports/cluster-facts.ts'
import { type HealthFacts, lagSeconds, pollAgeSeconds } from './health-facts.ts'

/** The response of `/readyz`. */
export interface Readiness {
  ready: boolean
  /** Human-readable reasons why the bot is not ready. */
  reasons: string[]
  /** Since the last completed poll; null before the first. */
  last_poll_seconds: number | null
  /** Age of the oldest event that is not finished. */
  lag_seconds: number
  waiting: number
  running: number
  set_aside: number
}

/** A poll takes at most 25 s (§4) plus the response time. With webhooks only, there is one poll a minute. */
const OLDEST_POLL_SECONDS = { poll: 60, both: 60, webhook: 150 } as const

/** A condition that keeps events from the handlers of a bot. */
export interface Obstacle {
  code:
    | 'starting'
    | 'stopping'
    | 'no_poll'
    | 'service_unreachable'
    | 'journal_failing'
    | 'cluster_unreachable'
    | 'lease_lost'
    | 'handlers_slow'
  text: string
}

/** Determines whether events reach the handlers of a bot. */
export function readinessOf(facts: HealthFacts): Readiness {
  const { bot } = facts
  const pollAge = pollAgeSeconds(facts)
  const obstacles = obstaclesOf(facts)
  return {
    ready: obstacles.length === 0,
    reasons: obstacles.map(({ text }) => text),
    last_poll_seconds: pollAge === undefined ? null : rounded(pollAge),
    lag_seconds: rounded(lagSeconds(facts)),
    waiting: bot?.stats.waiting ?? 0,
    running: bot?.stats.running ?? 0,
    set_aside: bot?.setAside ?? 0,
  }
}

/** Everything that keeps events from the handlers at this moment. */
export function obstaclesOf(facts: HealthFacts): Obstacle[] {
  const { state, delivery, mostWaiting, monotonicMs, bot } = facts
  const pollAge = pollAgeSeconds(facts)
  const instance = bot?.cluster?.member
  // In a cluster, only the leader polls.
  const polls = instance?.leads ?? true
  const obstacles: Obstacle[] = []
  if (state !== 'running') obstacles.push({ code: state, text: `the bot is ${state}` })
  else if (pollAge === undefined) {
    if (polls) obstacles.push({ code: 'no_poll', text: 'no poll has succeeded yet' })
  } else if (polls && pollAge > OLDEST_POLL_SECONDS[delivery]) {
    const text = `the last poll succeeded ${Math.round(pollAge)} s ago: the service does not respond`
    obstacles.push({ code: 'service_unreachable', text })
  }
  if (bot?.journal?.failingSinceMs !== undefined) {
    const seconds = Math.round((monotonicMs - bot.journal.failingSinceMs) / 1000)
    obstacles.push({ code: 'journal_failing', text: `the journal has not been writable for ${seconds} s` })
  }
  if (instance) obstacles.push(...instanceObstacles(instance, monotonicMs))
  const waiting = bot?.stats.waiting ?? 0
  if (waiting > mostWaiting)
    obstacles.push({ code: 'handlers_slow', text: `${waiting} events are waiting: the handlers cannot keep up` })
  return obstacles
}

/** Why this instance of a cluster takes no events. */
function instanceObstacles(
  { member, engine, refused, awaySinceMs }: ClusterFacts['member'],
  monotonicMs: number,
): Obstacle[] {
  const obstacles: Obstacle[] = []
  if (awaySinceMs !== undefined) {
    const text = `${engine} has not responded for ${Math.round((monotonicMs - awaySinceMs) / 1000)} s`
    obstacles.push({ code: 'cluster_unreachable', text })
  }
  if (!member)
    obstacles.push({
      code: 'lease_lost',
      text: `the lease of this instance has expired${refused === undefined ? '' : `: ${engine} refuses it: ${refused}`}`,
    })
  return obstacles
}

/** To milliseconds. */
export const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000
