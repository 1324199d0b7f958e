import { networkFix } from '@botwright/protocol/network-fix'
import type { ClusterFacts } from '../../runtime/ports/cluster-facts.ts'
import { type HealthFacts, pollAgeSeconds } from './health-facts.ts'

/** A poll takes at most 25 s (§4) plus the response time. With webhooks only, there is one poll a minute. */
const OLDEST_POLL_SECONDS = { poll: 60, both: 60, webhook: 150 } as const

/** A condition that keeps events from the handlers of a bot. */
export interface Obstacle {
  code:
    | 'starting'
    | 'stopping'
    | 'token_refused'
    | 'no_poll'
    | 'service_unreachable'
    | 'journal_failing'
    | 'cluster_unreachable'
    | 'lease_lost'
    | 'handlers_slow'
  text: string
  /** If the cause is known. */
  fix?: string
}

/** Everything that keeps events from the handlers at this moment. */
export function obstaclesOf(facts: HealthFacts): Obstacle[] {
  const { state, delivery, mostWaiting, monotonicMs, bot, unanswered, end } = facts
  const pollAge = pollAgeSeconds(facts)
  const instance = bot?.cluster?.member
  // In a cluster, only the leader polls.
  const polls = instance?.leads ?? true
  const obstacles: Obstacle[] = []
  if (end?.reason === 'unauthorized')
    obstacles.push({ code: 'token_refused', text: "the service rejects the bot's token (401), so the bot stops" })
  else if (state !== 'running')
    obstacles.push({ code: state, ...withCause(`the bot is ${state}`, state === 'starting' ? unanswered : undefined) })
  else if (pollAge === undefined) {
    if (polls) obstacles.push({ code: 'no_poll', ...withCause('no poll has succeeded yet', bot?.stats.pollFailure) })
  } else if (polls && pollAge > OLDEST_POLL_SECONDS[delivery]) {
    const text = `the last poll succeeded ${Math.round(pollAge)} s ago`
    const { pollFailure = 'the service does not respond' } = bot?.stats ?? {}
    obstacles.push({ code: 'service_unreachable', ...withCause(text, pollFailure) })
  }
  if (bot?.journal?.failingSinceMs !== undefined) {
    const { failingSinceMs, failure } = bot.journal
    const text = `the journal has not been writable for ${Math.round((monotonicMs - failingSinceMs) / 1000)} s`
    obstacles.push({
      code: 'journal_failing',
      text: failure ? `${text}: ${failure.reason}` : text,
      ...(failure && { fix: failure.fix }),
    })
  }
  if (instance) obstacles.push(...instanceObstacles(instance, monotonicMs))
  const waiting = bot?.stats.waiting ?? 0
  if (waiting > mostWaiting)
    obstacles.push({ code: 'handlers_slow', text: `${waiting} events are waiting: the handlers cannot keep up` })
  return obstacles
}

/** The words of the log, with its fix. */
function withCause(text: string, cause: string | undefined): Pick<Obstacle, 'text' | 'fix'> {
  if (cause === undefined) return { text }
  const fix = networkFix(cause)
  return { text: `${text}: ${cause}`, ...(fix !== undefined && { fix }) }
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
