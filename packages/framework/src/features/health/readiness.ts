import { type HealthFacts, lagSeconds, pollAgeSeconds, rounded } from '../problems/health-facts.ts'
import { obstaclesOf } from '../problems/obstacles.ts'

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
