import type { Clock } from '@botwright/clock'
import type { JournalStats } from '@botwright/events'
import type { RestStats } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { RunDispatch } from '../durable/run-dispatch.ts'
import type { ClusterFacts } from '../ports/cluster-facts.ts'
import type { BotStats } from '../ports/running-bot.ts'

/** The state and counts of a bot at one moment, read only for a request to the health endpoint. */
export interface HealthFacts {
  state: 'starting' | 'running' | 'stopping'
  nowMs: number
  monotonicMs: number
  delivery: 'poll' | 'webhook' | 'both'
  /** `limits.waiting`. */
  mostWaiting: number
  /** Undefined until the bot reads events. */
  bot?: {
    stats: BotStats
    /** How far the clock of the service, which has created the events, is ahead of `nowMs`. */
    serviceAheadMs: number
    rest: RestStats
    journal?: JournalStats
    cluster?: ClusterFacts
    setAside: number
    runs: Pick<RunDispatch, 'counts' | 'countWaiting'>
    reloads: number
    workerRestarts: number
  }
}

export const lagSeconds = ({ bot, nowMs }: HealthFacts): number => {
  const createdMs = bot?.stats.oldest === undefined ? NaN : Date.parse(bot.stats.oldest)
  return Number.isNaN(createdMs) ? 0 : Math.max(0, (nowMs + bot!.serviceAheadMs - createdMs) / 1000)
}

/** Undefined before the first poll. */
export const pollAgeSeconds = ({ bot, monotonicMs }: HealthFacts): number | undefined =>
  bot?.stats.lastPollMs === undefined ? undefined : (monotonicMs - bot.stats.lastPollMs) / 1000

/** Provides the facts for the health endpoint, some of which are missing while the bot starts. */
export class HealthWatch {
  state: HealthFacts['state'] = 'starting'
  /** Reads the bot's counts; undefined until there are any. */
  bot: (() => NonNullable<HealthFacts['bot']>) | undefined
  /** Awaited before each response: loads what needs a request. */
  refresh: (() => Promise<void>) | undefined
  /** In a cluster: the one of all instances, once this one has joined. */
  clock: Clock
  readonly #config: Config

  constructor(config: Config, clock: Clock) {
    this.#config = config
    this.clock = clock
  }

  readonly facts = (): HealthFacts => {
    const { delivery, limits } = this.#config
    const { clock } = this
    return {
      state: this.state,
      nowMs: clock.now(),
      monotonicMs: clock.monotonic(),
      delivery,
      mostWaiting: limits.waiting,
      ...(this.bot && { bot: this.bot() }),
    }
  }
}
