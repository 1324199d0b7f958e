import type { ClusterFacts } from '../ports/cluster-facts.ts'
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

/** Determines whether events reach the handlers of a bot. */
export function readinessOf(facts: HealthFacts): Readiness {
  const { state, delivery, mostWaiting, monotonicMs, bot } = facts
  const pollAge = pollAgeSeconds(facts)
  const instance = bot?.cluster?.member
  // In a cluster, only the leader polls.
  const polls = instance?.leads ?? true
  const reasons: string[] = []
  if (state !== 'running') reasons.push(`the bot is ${state}`)
  else if (pollAge === undefined) {
    if (polls) reasons.push('no poll has succeeded yet')
  } else if (polls && pollAge > OLDEST_POLL_SECONDS[delivery])
    reasons.push(`the last poll succeeded ${Math.round(pollAge)} s ago: the service does not respond`)
  if (bot?.journal?.failingSinceMs !== undefined) {
    const seconds = Math.round((monotonicMs - bot.journal.failingSinceMs) / 1000)
    reasons.push(`the journal has not been writable for ${seconds} s`)
  }
  if (instance) reasons.push(...instanceReasons(instance, monotonicMs))
  const waiting = bot?.stats.waiting ?? 0
  if (waiting > mostWaiting) reasons.push(`${waiting} events are waiting: the handlers cannot keep up`)
  return {
    ready: reasons.length === 0,
    reasons,
    last_poll_seconds: pollAge === undefined ? null : rounded(pollAge),
    lag_seconds: rounded(lagSeconds(facts)),
    waiting,
    running: bot?.stats.running ?? 0,
    set_aside: bot?.setAside ?? 0,
  }
}

/** Why this instance of a cluster takes no events. */
function instanceReasons(
  { member, engine, refused, awaySinceMs }: ClusterFacts['member'],
  monotonicMs: number,
): string[] {
  const reasons: string[] = []
  if (awaySinceMs !== undefined)
    reasons.push(`${engine} has not responded for ${Math.round((monotonicMs - awaySinceMs) / 1000)} s`)
  if (!member)
    reasons.push(
      `the lease of this instance has expired${refused === undefined ? '' : `: ${engine} refuses it: ${refused}`}`,
    )
  return reasons
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000
